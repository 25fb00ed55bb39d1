// The bound that prices prove.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/compiler.hpp"
#include "exact/bound_cuts.hpp"
#include "exact/bound_losses.hpp"

namespace shoal::bounding {

using Sum = Int128;  // of prices of all records

// A value, and how often it counts.
using Counted = std::pair<Units, std::int64_t>;

// The sum of the `most` lowest of negative values, which it sorts.
Sum lowest(std::vector<Counted>& values, std::int64_t most);

// Sums as loss per record of a table.
double per_record(const Grid& grid, Sum sum);

struct ClassLimits {
    std::int64_t k = 2;
    std::int64_t suppression_limit = 0;
};

// What all records pay at these prices, per record, corrected for classes and suppressed records
// that cost less: `least` is the least cost less prices of the classes that each row leads. Behind
// the prices of rows stand those of cuts.
double proved_loss(const Grid& grid, const KnownCuts& cuts, const ClassLimits& limits,
                   std::span<const Units> prices, std::span<const Units> least);

}  // namespace shoal::bounding
