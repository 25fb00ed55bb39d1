// Clustering by growth: open a class, add the records that cost it least.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

struct Growth {
    std::int64_t k = 2;
    // Rows of k or more equal records are settled: classes of their own, which lose nothing.
    // Otherwise k of them make a class and the rest must find company at a loss.
    bool settle = false;
    Path path = Path::scalar;
    // k-member opens no class after so many seconds, and gives up the one it is growing: records
    // that are left, if there are k or more, stay without a class. Negative: no limit.
    double seconds = -1.0;
};

// Greedy Search: classes open at the first record of `order` not yet placed. Ties go to copies of
// the record just taken (they cost nothing), then to the earliest in `order`.
Partition greedy(const Records& records, std::span<const std::int32_t> order, const Growth& growth,
                 Control& control);

// k-member: the first class opens at row `start`, the next ones at the record furthest from the
// last one taken. With `centre`, a class takes the records nearest to the one that opened it.
// Ties as in `greedy`. An order in which neighbours are alike lowers the loss: tied records are
// then taken from one neighbourhood, and the others stay whole for later classes.
Partition k_member(const Records& records, std::span<const std::int32_t> order, std::int32_t start,
                   bool centre, const Growth& growth, Control& control);

}  // namespace shoal
