// What bindings of kernels that place records into classes share.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "shoal/partition.hpp"
#include "shoal/records.hpp"

#define SHOAL_PLACEMENTS                        \
    "tuple[numpy.typing.NDArray[numpy.int32], " \
    "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"

namespace bindings {

inline nb::tuple placements(shoal::Partition&& partition) {
    return nb::make_tuple(to_numpy(std::move(partition.row)), to_numpy(std::move(partition.klass)),
                          to_numpy(std::move(partition.count)));
}

inline void require_classes_of(const shoal::Records& records, std::int64_t k) {
    if (records.attributes.empty()) refuse("the records have no attribute");
    if (k < 1) refuse("k must be at least 1");
    if (k > records.total) refuse("k must not exceed the number of records");
}

}  // namespace bindings
