// Clustering by growth under the information measures.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/clustering/growth.hpp"
#include "shoal/common/objective.hpp"

namespace shoal {

// Greedy Search and k-member as in cluster.hpp, for w·MI + (1 − w)·PMI. A class takes the row of
// which one record adds least to its total cost beyond what that record costs as it is; copies come
// with it, as far as there is room. Costs that differ by rounding alone are ties, and ties go to
// rows with the values of the row just taken, then to the earliest in `order`. Distance of two
// records: that same cost in a class of the first alone.
Partition greedy(const Objective& objective, std::span<const std::int32_t> order,
                 const Growth& growth, Control& control);
Partition k_member(const Objective& objective, std::span<const std::int32_t> order,
                   std::int32_t start, bool centre, const Growth& growth, Control& control);

}  // namespace shoal
