// The Hilbert curve in any number of dimensions, and the best division of a line into classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"

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

// Of all divisions of the rows' records, in this order, into consecutive runs of k to 2k - 1, one
// of least total loss. Under the plain loss longer runs are never needed: they can be parted
// without more loss. A row of many records may lie in several runs. Ties go to the division whose
// last runs are shortest. Time O(records * k), memory O(records), where at most 5k records of a row
// count.
Partition optimal_runs(const Objective& objective, std::span<const std::int32_t> order,
                       std::int64_t k, Control& control);

}  // namespace shoal
