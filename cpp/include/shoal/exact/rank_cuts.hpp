// Rank-1 cuts that a fractional solution of the set-partitioning program breaks.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/common/control.hpp"
#include "shoal/exact/pricing.hpp"

namespace shoal {

struct Separation {
    std::span<const std::int32_t> divisors;
    double violation = 0.02;       // of a cut, at least
    std::int32_t most = 100;       // cuts
    std::int32_t most_of_row = 5;  // cuts that hold the same row
    std::int32_t largest = 40;     // rows in a cut
};

// Searches from every row for weights whose cut is broken: they change by one at a time, the best
// change first, none undone at once. `value` are the columns' shares; the equalities hold for them.
// Records of a row may have several places each: `counts`, the places, take 64 bits.
RankCuts separate(std::span<const std::int64_t> counts, const Columns& columns,
                  std::span<const double> value, const Separation& separation, Control& control);

}  // namespace shoal
