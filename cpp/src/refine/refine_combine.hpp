// The best of two partitions of the same records, part by part.
#pragma once

#include <cstddef>

#include "refine/refine_state.hpp"
#include "shoal/common/control.hpp"

namespace shoal {

// Two partitions fall into parts of as few classes as possible that hold the same records in both;
// the result has the classes of whichever loses less in each. It loses no more than either. Throws
// if the run is cancelled, but not if it is to end with its best so far: this is part of it.
Pieces combine(const Pieces& first, const Pieces& second, std::size_t rows, const Control& control);

}  // namespace shoal
