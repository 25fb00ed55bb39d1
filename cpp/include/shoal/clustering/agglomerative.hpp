// Agglomerative clustering: unite the two closest clusters until all have k records.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

struct Agglomeration {
    std::int64_t k = 2;
    bool shrink = false;  // a closed cluster gives back rows down to k records
    Path path = Path::scalar;
    double seconds = -1.0;  // after which no clusters unite; negative: no limit
};

// Rows of k or more records are classes from the start, the others clusters numbered in row order.
// The two clusters whose union adds least to the total loss unite, under the next free number;
// ties go to the pair whose younger cluster is oldest, then whose older one is. A cluster of k or
// more records is closed: a class. With `shrink`, as long as it has a row of no more records than
// it has beyond k, that row whose return lowers the class's loss per record most (ties: the row
// named first) goes back as a cluster of its own. If at last fewer than k records are left over,
// each of their rows joins the class whose total loss it raises least. If time is up while k or
// more records are in no class, these stay without one.
//
// Each cluster knows its nearest older one, so the closest pair is known without a matrix: time
// O(n²), memory O(n).
Partition agglomerative(const Objective& objective, const Agglomeration& settings,
                        Control& control);

}  // namespace shoal
