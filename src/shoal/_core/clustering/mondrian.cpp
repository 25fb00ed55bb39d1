// Mondrian, with and without privacy models.
#include "shoal/clustering/mondrian.hpp"

#include <nanobind/nanobind.h>

#include "partition_arrays.hpp"

namespace bindings {

namespace {

nb::tuple mondrian(const shoal::Records& records, std::int64_t k, bool strict, int threads,
                   shoal::Control& control) {
    check_class_size(records, k);
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    shoal::Partition partition;
    {
        const nb::gil_scoped_release release;
        partition =
            shoal::mondrian(records, {.k = k, .strict = strict, .threads = threads}, control);
    }
    return to_tuple(std::move(partition));
}

nb::tuple mondrian_with_models(const shoal::Objective& objective, const shoal::Models& models,
                               std::int64_t k, bool strict, bool keep, int threads,
                               shoal::Control& control) {
    check_class_size(objective.records(), k);
    if (models.rows != objective.records().rows()) {
        refuse("the models must have the rows of the records");
    }
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    shoal::Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::mondrian(objective, models, {k, strict, threads, keep}, control);
    }
    return to_tuple(std::move(partition));
}

}  // namespace

void bind_mondrian(nb::module_& module) {
    module.def("mondrian", &mondrian, nb::arg("records"), nb::arg("k"), nb::arg("strict"),
               nb::arg("threads"), nb::arg("control"),
               nb::sig("def mondrian(records: Records, k: int, strict: bool, threads: int, "
                       "control: Control) -> " SHOAL_PARTITION),
               "Median cuts of the widest attribute: (row, class, count) of every placement.");
    module.def(
        "mondrian_with_models", &mondrian_with_models, nb::arg("objective"), nb::arg("models"),
        nb::arg("k"), nb::arg("strict"), nb::arg("keep"), nb::arg("threads"), nb::arg("control"),
        nb::sig("def mondrian_with_models(objective: Objective, models: Models, k: int, "
                "strict: bool, keep: bool, threads: int, control: Control) -> " SHOAL_PARTITION),
        "Median cuts that leave both sides with every model met, always or where they can; "
        "attributes in the order of what a cut saves under the objective.");
}

}  // namespace bindings
