// Rank-1 cuts by mixed rounding that a fractional solution of the set-partitioning program breaks.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/common/control.hpp"
#include "shoal/exact/pricing.hpp"
#include "shoal/exact/rank_cuts.hpp"

namespace shoal {

// Searches from pairs of rows, and from unions of two classes, for weights whose cut is broken:
// they change by one at a time, the best change first, none undone at once. The remainder of a cut
// is that of the weight of all records, which makes it strongest.
RankCuts separate_mixed(std::span<const std::int64_t> counts, const Columns& columns,
                        std::span<const double> value, const Separation& separation,
                        Control& control);

}  // namespace shoal
