// The Hilbert curve in any number of dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shoal/common/control.hpp"

namespace shoal {

// Points in structure-of-arrays order, coordinates below 2^bits.
struct Points {
    std::vector<std::vector<std::uint32_t>> axes;
    std::size_t count = 0;
    unsigned bits = 1;  // the order of the curve, 1 to 32
};

// Where each point lies on the curve: a number of axes * bits bits in `words` words, the most
// significant first.
struct CurveKeys {
    std::size_t words = 1;
    std::vector<std::uint64_t> values;
};

// Hamilton's construction: Gray code, entry point and direction of each sub-cube, axis j is bit j.
CurveKeys hilbert_keys(const Points& points, Control& control);

// Points as the curve meets them; points in one place keep their order.
std::vector<std::int32_t> hilbert_order(const Points& points, Control& control);

}  // namespace shoal
