// Block reassignment: a local search that lowers the loss of a cover for as long as it is given.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

struct CoverRefinement {
    std::uint64_t seed = 0;
    std::int64_t steps = -1;  // blocks, -1: by time
    double seconds = 1.0;     // wall time, where steps are not given
    std::int32_t block = 64;  // released records a block
    double heat = 1.0;        // factor on the noise of the first part, 0: none
    std::int64_t region = 0;  // released records that are searched together, 0: by rule
    int threads = 1;          // results do not depend on it
    Path path = Path::scalar;
};

// Near rows, one holder of each: all give up one of theirs, and these are assigned to the holders
// anew at least loss, which takes all cyclic exchanges at once and never loses. At first the losses
// are blurred by noise that fades with the budget. What comes back is no worse than what came;
// `control.steps` counts blocks.
void refine_cover(Cover& cover, const CoverRefinement& refinement, Control& control);

}  // namespace shoal
