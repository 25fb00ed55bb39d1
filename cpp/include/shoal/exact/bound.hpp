// A proved lower bound of the loss of every division of a table into classes.
//
// Give every record a price. If no class of k to 2k - 1 records costs less than its records'
// prices add up to, no division costs less than all prices together: each record is in one class,
// and a class of 2k or more can be cut in two without more loss. If some classes do cost less, let
// each be led by its member of the highest price. A row of m equal records leads at most m classes
// of a division, and there are at most n / k classes, so that the least cost less prices of any
// class led by each row says by how much, at most, prices have to be corrected. A record that is
// suppressed costs 1 and no price; at most so many are.
//
// Where classes need different values, larger ones cannot always be cut: then no class of k or more
// with the values costs less than its prices.
//
// Prices are integers, and losses are rounded down to integers: the bound is exact. A linear
// program over a pool of classes (bound_master.hpp) proposes prices; the search for classes that
// cost less (bound_pricing.hpp) corrects them and feeds the pool. When that gains no more, cuts
// (bound_cuts.hpp) make the program tighter.
#pragma once

#include <cstdint>
#include <span>

#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

struct BoundTask {
    std::int64_t k = 2;
    std::int64_t suppression_limit = 0;
    int threads = 1;           // the bound does not depend on it
    std::int64_t rounds = -1;  // at most so many; negative: no limit
    double seconds = -1.0;     // the same for wall time
    // If more than one: every class holds so many different values, one of each row.
    std::int64_t different = 1;
    std::span<const std::int32_t> values{};
};

struct LowerBound {
    double loss = 0.0;  // per record
    std::int64_t rounds = 0;
    bool converged = false;  // more rounds would not raise it noticeably
};

// `known` are classes of at least k records; prices start from what they cost. Records that it
// does not place count as suppressed. Steps told to `control` are rounds, its loss that of `known`.
LowerBound lower_bound(const Records& records, const Partition& known, const BoundTask& task,
                       Control& control);

}  // namespace shoal
