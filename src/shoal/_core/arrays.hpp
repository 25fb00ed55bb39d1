// What all bindings share: arrays in with checks, arrays out without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shoal/scan/scan.hpp"

// Array types as the stub file spells them.
#define SHOAL_INT32 "numpy.typing.NDArray[numpy.int32]"
#define SHOAL_FLOAT64 "numpy.typing.NDArray[numpy.float64]"
#define SHOAL_CODES                                                             \
    "numpy.typing.NDArray[numpy.uint8] | numpy.typing.NDArray[numpy.uint16] | " \
    "numpy.typing.NDArray[numpy.uint32]"
#define SHOAL_PARTITION "tuple[" SHOAL_INT32 ", " SHOAL_INT32 ", " SHOAL_INT32 "]"

namespace bindings {

inline constexpr std::size_t most_attributes = 4096;

namespace nb = nanobind;

// Any array; the checks below decide, so that bad ones raise ValueError.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

template <class T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

[[noreturn]] inline void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

template <class T>
std::span<const T> vector_of(const AnyArray& array, const char* name, const char* type) {
    if (array.dtype() != nb::dtype<T>()) refuse(std::string(name) + " must be of type " + type);
    if (array.ndim() != 1) refuse(std::string(name) + " must have one dimension");
    if (array.shape(0) > 1 && array.stride(0) != 1) {
        refuse(std::string(name) + " must be contiguous");
    }
    return {static_cast<const T*>(array.data()), array.shape(0)};
}

// Calls visit(span of uint8, uint16 or uint32).
template <class Visit>
auto with_codes(const AnyArray& array, Visit visit) {
    if (array.dtype() == nb::dtype<std::uint8_t>()) {
        return visit(vector_of<std::uint8_t>(array, "codes", "uint8"));
    }
    if (array.dtype() == nb::dtype<std::uint16_t>()) {
        return visit(vector_of<std::uint16_t>(array, "codes", "uint16"));
    }
    if (array.dtype() == nb::dtype<std::uint32_t>()) {
        return visit(vector_of<std::uint32_t>(array, "codes", "uint32"));
    }
    refuse("codes must be of type uint8, uint16 or uint32");
}

template <class T, class Allocator>
NumpyVector<T> to_numpy(std::vector<T, Allocator>&& values) {
    using Vector = std::vector<T, Allocator>;
    auto* kept = new Vector(std::move(values));
    const nb::capsule owner(kept,
                            [](void* pointer) noexcept { delete static_cast<Vector*>(pointer); });
    return NumpyVector<T>(kept->data(), {kept->size()}, owner);
}

// Records that kernels may read: from the first use on they take no further attributes, since
// kernels keep pointers to those there are.
inline void require_attributes(const shoal::Records& records) {
    if (records.attributes.empty()) refuse("the records have no attribute");
    records.frozen = true;
}

shoal::Path path_of(const std::string& name);  // ValueError if this processor lacks it

void bind_records(nb::module_& module);
void bind_scan(nb::module_& module);
void bind_growth(nb::module_& module);
void bind_mondrian(nb::module_& module);
void bind_partition(nb::module_& module);
void bind_agglomerative(nb::module_& module);
void bind_hilbert(nb::module_& module);
void bind_optimal_runs(nb::module_& module);
void bind_objective(nb::module_& module);
void bind_models(nb::module_& module);
void bind_sequential(nb::module_& module);
void bind_refine(nb::module_& module);
void bind_lattice(nb::module_& module);
void bind_repair(nb::module_& module);
void bind_bound(nb::module_& module);
void bind_pricing(nb::module_& module);
void bind_cover(nb::module_& module);
void bind_recoding_search(nb::module_& module);

}  // namespace bindings
