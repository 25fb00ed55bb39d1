// The best division of rows in a given order into classes.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/common/control.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

// Of all divisions of the rows' records, in this order, into consecutive runs of k to 2k - 1, one
// of least total loss. Under the plain loss longer runs are never needed: they can be parted
// without more loss. A row of many records may lie in several runs. Ties go to the division whose
// last runs are shortest. Time O(records * k), memory O(records), where at most 5k records of a row
// count.
Partition optimal_runs(const Objective& objective, std::span<const std::int32_t> order,
                       std::int64_t k, Control& control);

}  // namespace shoal
