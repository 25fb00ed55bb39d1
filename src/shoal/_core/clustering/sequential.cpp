// Sequential clustering.
#include "shoal/clustering/sequential.hpp"

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "partition_arrays.hpp"

namespace bindings {

namespace {

nb::tuple sequential(const shoal::Objective& objective, const shoal::Models& models, std::int64_t k,
                     std::int64_t start_size, std::int64_t most, std::int32_t restarts, bool polish,
                     std::uint64_t seed, int threads, std::int64_t steps, double seconds,
                     shoal::Control& control, bool permute) {
    const shoal::Records& records = objective.records();
    require_attributes(records);
    if (models.rows != records.rows()) refuse("the models must have the rows of the records");
    if (k < 1) refuse("k must be at least 1");
    if (k > records.total) refuse("k must not exceed the number of records");
    if (start_size < 1) refuse("start_size must be at least 1");
    if (most < 2) refuse("most must be at least 2");
    if (restarts < 1) refuse("restarts must be at least 1");
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    const shoal::Sequence sequence{k,       start_size, most,    restarts, polish, seed,
                                   threads, steps,      seconds, true,     permute};
    shoal::Sequenced found;
    {
        const nb::gil_scoped_release release;
        found = shoal::sequential(objective, models, sequence, control);
    }
    return to_tuple(std::move(found.partition));
}

}  // namespace

void bind_sequential(nb::module_& module) {
    module.def(
        "sequential", &sequential, nb::arg("objective"), nb::arg("models"), nb::arg("k"),
        nb::arg("start_size"), nb::arg("most"), nb::arg("restarts"), nb::arg("polish"),
        nb::arg("seed"), nb::arg("threads"), nb::arg("steps"), nb::arg("seconds"),
        nb::arg("control"), nb::arg("permute") = false,
        nb::sig("def sequential(objective: Objective, models: Models, k: int, "
                "start_size: int, most: int, restarts: int, polish: bool, seed: int, threads: int, "
                "steps: int, seconds: float, control: Control, permute: bool = False) "
                "-> " SHOAL_PARTITION),
        "Sequential clustering: (row, class, count) of every placement. Negative steps or "
        "seconds are no limit.");
}

}  // namespace bindings
