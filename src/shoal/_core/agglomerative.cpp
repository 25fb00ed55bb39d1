// Agglomerative clustering.
#include "shoal/agglomerative.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "partitions.hpp"

namespace bindings {

namespace {

nb::tuple agglomerative(const shoal::Records& records, std::int64_t k, bool shrink,
                        shoal::Control& control, const std::string& path) {
    require_classes_of(records, k);
    const shoal::Agglomeration settings{k, shrink, path_of(path)};
    shoal::Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::agglomerative(records, settings, control);
    }
    return placements(std::move(partition));
}

}  // namespace

void bind_agglomerative(nb::module_& module) {
    module.def("agglomerative", &agglomerative, nb::arg("records"), nb::arg("k"), nb::arg("shrink"),
               nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def agglomerative(records: Records, k: int, shrink: bool, "
                       "control: Control, path: str = 'auto') -> " SHOAL_PLACEMENTS),
               "Unite the two closest clusters again and again: (row, class, count) of every "
               "placement.");
}

}  // namespace bindings
