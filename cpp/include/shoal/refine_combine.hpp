// The best of two partitions of the same records, part by part.
#pragma once

#include <cstddef>

#include "shoal/refine_state.hpp"

namespace shoal {

// Two partitions fall into parts of as few classes as possible that hold the same records in both;
// the result has the classes of whichever loses less in each. It loses no more than either.
Pieces combine(const Pieces& first, const Pieces& second, std::size_t rows);

}  // namespace shoal
