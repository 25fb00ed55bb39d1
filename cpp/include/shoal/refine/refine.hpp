// Refinement: a local search that lowers the loss of any partition for as long as it is given.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

struct Refinement {
    std::int64_t k = 2;
    std::uint64_t seed = 0;
    int threads = 1;          // the result of a budget in steps does not depend on it
    std::int64_t steps = -1;  // evaluations of a class, -1: by time
    double seconds = 1.0;     // wall time, where steps are not given
    std::int32_t neighbours = 32;
    std::int32_t region = 0;  // records that are searched together, at least; 0: by rule
    double heat = 1.0;        // factor on the temperatures, 0: descent alone
    Path path = Path::scalar;
};

struct Refined {
    Partition partition;
    double start = 0.0;  // total loss before
    double total = 0.0;  // and after, never above it
    std::int64_t steps = 0;
};

// Records move, are exchanged, classes dissolve, open, or are cut anew, first at a temperature that
// falls with the budget (annealing), at the end downhill only. Candidates come from lists of
// nearest neighbours. The table is searched in regions of neighbouring classes that do not see each
// other, cut anew in every round: regions are small, so that they stay in cache, and independent,
// so that with a budget of steps threads do not change the result. Against the clock more threads
// get further, and tables that are not large are one region that all of them search at once.
// `start` has classes of at least k records that meet every model; so has the result, which is the
// best of what rounds ended with, part by part.
Refined refine(const Objective& objective, const Models& models, const Partition& start,
               const Refinement& refinement, Control& control);

}  // namespace shoal
