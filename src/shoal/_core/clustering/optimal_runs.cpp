// The best division of ordered rows.
#include "shoal/clustering/optimal_runs.hpp"

#include <nanobind/nanobind.h>

#include <vector>

#include "partition_arrays.hpp"

namespace bindings {

namespace {

nb::tuple optimal_runs(const shoal::Objective& objective, const AnyArray& order, std::int64_t k,
                       shoal::Control& control) {
    const shoal::Records& records = objective.records();
    check_class_size(records, k);
    // Positions of runs are counted in 32 bits.
    if (records.total > 0x7FFFFFFF) refuse("there may be at most 2**31 - 1 records");
    const std::vector<std::int32_t> rows = checked_order(records, order);
    shoal::Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::optimal_runs(objective, rows, k, control);
    }
    return to_tuple(std::move(partition));
}

}  // namespace

void bind_optimal_runs(nb::module_& module) {
    module.def("optimal_runs", &optimal_runs, nb::arg("objective"), nb::arg("order"), nb::arg("k"),
               nb::arg("control"),
               nb::sig("def optimal_runs(objective: Objective, "
                       "order: numpy.typing.NDArray[numpy.int32], k: int, control: Control) "
                       "-> " SHOAL_PARTITION),
               "The division of ordered rows into runs of k to 2k - 1 records that loses least: "
               "(row, class, count) of every placement.");
}

}  // namespace bindings
