// The Hilbert curve.
#include "shoal/clustering/hilbert.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "arrays.hpp"

namespace bindings {

namespace {

constexpr std::int64_t most_bits = 32;

shoal::Points checked_points(const std::vector<AnyArray>& axes, std::int64_t bits) {
    if (axes.empty()) refuse("points must have at least one axis");
    if (bits < 1 || bits > most_bits) refuse("bits must be from 1 to 32");
    shoal::Points points;
    points.bits = static_cast<unsigned>(bits);
    points.count = axes[0].ndim() == 1 ? axes[0].shape(0) : 0;
    if (points.count > std::size_t{0x7FFFFFFF}) refuse("there may be at most 2**31 - 1 points");
    for (const AnyArray& axis : axes) {
        const auto values = vector_of<std::uint32_t>(axis, "every axis", "uint32");
        if (values.size() != points.count) refuse("all axes must be equally long");
        for (const std::uint32_t value : values) {
            if (std::uint64_t{value} >> bits != 0) refuse("every coordinate must be below 2**bits");
        }
        points.axes.emplace_back(values.begin(), values.end());
    }
    return points;
}

std::pair<NumpyVector<std::uint64_t>, std::size_t> hilbert_keys(const std::vector<AnyArray>& axes,
                                                                std::int64_t bits,
                                                                shoal::Control& control) {
    const shoal::Points points = checked_points(axes, bits);
    shoal::CurveKeys keys;
    {
        const nb::gil_scoped_release release;
        keys = shoal::hilbert_keys(points, control);
    }
    return {to_numpy(std::move(keys.values)), keys.words};
}

NumpyVector<std::int32_t> hilbert_order(const std::vector<AnyArray>& axes, std::int64_t bits,
                                        shoal::Control& control) {
    const shoal::Points points = checked_points(axes, bits);
    std::vector<std::int32_t> order;
    {
        const nb::gil_scoped_release release;
        order = shoal::hilbert_order(points, control);
    }
    return to_numpy(std::move(order));
}

}  // namespace

void bind_hilbert(nb::module_& module) {
    module.def("hilbert_keys", &hilbert_keys, nb::arg("axes"), nb::arg("bits"), nb::arg("control"),
               nb::sig("def hilbert_keys(axes: list[numpy.typing.NDArray[numpy.uint32]], "
                       "bits: int, control: Control) "
                       "-> tuple[numpy.typing.NDArray[numpy.uint64], int]"),
               "Where each point lies on the Hilbert curve: that many words a point, the most "
               "significant first.");
    module.def("hilbert_order", &hilbert_order, nb::arg("axes"), nb::arg("bits"),
               nb::arg("control"),
               nb::sig("def hilbert_order(axes: list[numpy.typing.NDArray[numpy.uint32]], "
                       "bits: int, control: Control) -> numpy.typing.NDArray[numpy.int32]"),
               "Points as the Hilbert curve meets them.");
}

}  // namespace bindings
