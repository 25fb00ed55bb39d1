// What a bound starts from: what is known of losses before any class is searched for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/bound_pricing.hpp"
#include "shoal/common/partition.hpp"

namespace shoal::bounding {

// What a record loses with its k-th nearest one: no class of k records that holds it loses less.
Units loss_with_kth(const Grid& grid, const NearRows& near, std::int64_t k, std::size_t row);

// The classes of a division that is known, and what it costs.
struct KnownDivision {
    // Cut into parts of fewer than 2k records, unless they need values; those that lack them are
    // left out.
    PricedClasses classes;
    std::vector<double> costs;  // of all records of each row, in units; those not placed are lost
    double loss = 0.0;          // per record
};
KnownDivision known_division(const Grid& grid, std::int64_t k, const RequiredValues& required,
                             const Partition& known);

// What all records of each row pay if those of a class share its cost in proportion to what each
// loses at least. A record that is far from all others makes its class wide: it pays for that.
std::vector<double> shared_costs(const KnownDivision& division, std::span<const Units> least);

// For each row: no more is lost by the cheapest of all classes that hold it, since one of these
// loses no more.
std::vector<Units> loss_ceilings(const Grid& grid, const PricedClasses& known);

}  // namespace shoal::bounding
