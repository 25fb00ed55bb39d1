// A lower bound of the loss of every division into classes.
#include "shoal/exact/bound.hpp"

#include <nanobind/nanobind.h>

#include "partition_arrays.hpp"

namespace bindings {

namespace {

nb::tuple lower_bound(const shoal::Records& records, const AnyArray& row, const AnyArray& klass,
                      const AnyArray& count, std::int64_t classes, std::int64_t k,
                      std::int64_t suppression_limit, int threads, std::int64_t rounds,
                      double seconds, shoal::Control& control, std::int64_t different,
                      const AnyArray& values) {
    check_class_size(records, k);
    if (k > std::int64_t{1} << 40) refuse("k must be at most 2**40");
    if (suppression_limit < 0) refuse("suppression_limit must not be negative");
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    if (rounds < 0 && !(seconds >= 0)) refuse("rounds or seconds must be given");
    const shoal::Partition known = to_partition(row, klass, count, records.rows(), classes);
    std::vector<std::int64_t> placed(records.rows());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < known.row.size(); ++i) {
        placed[static_cast<std::size_t>(known.row[i])] += known.count[i];
        sizes[static_cast<std::size_t>(known.klass[i])] += known.count[i];
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i] > records.counts[i]) refuse("no record may be placed twice");
    }
    for (const std::int64_t size : sizes) {
        if (size > 0 && size < k) refuse("a class has fewer than k records");
    }
    const auto value_of_row = vector_of<std::int32_t>(values, "values", "int32");
    if (different < 1 || different > k) refuse("different must be from 1 to k");
    if (different > 1) {
        if (value_of_row.size() != records.rows()) refuse("values must have an entry for each row");
        for (const std::int32_t value : value_of_row) {
            if (value < 0) refuse("values must not be negative");
        }
    }
    const shoal::BoundTask task{k,       suppression_limit, threads,     rounds,
                                seconds, different,         value_of_row};
    shoal::LowerBound found;
    {
        const nb::gil_scoped_release release;
        found = shoal::lower_bound(records, known, task, control);
    }
    return nb::make_tuple(found.loss, found.rounds, found.converged);
}

}  // namespace

void bind_bound(nb::module_& module) {
    module.def(
        "lower_bound", &lower_bound, nb::arg("records"), nb::arg("row"), nb::arg("class_"),
        nb::arg("count"), nb::arg("classes"), nb::kw_only(), nb::arg("k"),
        nb::arg("suppression_limit"), nb::arg("threads"), nb::arg("rounds"), nb::arg("seconds"),
        nb::arg("control"), nb::arg("different"), nb::arg("values"),
        nb::sig("def lower_bound(records: Records, row: " SHOAL_INT32 ", class_: " SHOAL_INT32
                ", count: " SHOAL_INT32 ", classes: int, *, k: int, suppression_limit: int, "
                "threads: int, rounds: int, seconds: float, control: Control, different: int, "
                "values: " SHOAL_INT32 ") "
                "-> tuple[float, int, bool]"),
        "Loss per record that no division into classes of k goes below, the rounds it took, and "
        "whether more would not help. Prices start from the classes given. Every class holds so "
        "many "
        "different values, one of each row.");
}

}  // namespace bindings
