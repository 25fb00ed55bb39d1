// Agglomerative clustering.
#include "shoal/clustering/agglomerative.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "partition_arrays.hpp"

namespace bindings {

namespace {

nb::tuple agglomerative(const shoal::Objective& objective, std::int64_t k, bool shrink,
                        shoal::Control& control, const std::string& path, double seconds) {
    check_class_size(objective.records(), k);
    const shoal::Agglomeration settings{k, shrink, path_of(path), seconds};
    shoal::Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::agglomerative(objective, settings, control);
    }
    return to_tuple(std::move(partition));
}

}  // namespace

void bind_agglomerative(nb::module_& module) {
    module.def("agglomerative", &agglomerative, nb::arg("objective"), nb::arg("k"),
               nb::arg("shrink"), nb::arg("control"), nb::arg("path") = "auto",
               nb::arg("seconds") = -1.0,
               nb::sig("def agglomerative(objective: Objective, k: int, shrink: bool, "
                       "control: Control, path: str = 'auto', seconds: float = -1.0) "
                       "-> " SHOAL_PARTITION),
               "Unite the two closest clusters again and again: (row, class, count) of every "
               "placement. After so many seconds none unite; k or more records may then have no "
               "class.");
}

}  // namespace bindings
