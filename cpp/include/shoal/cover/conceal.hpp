// Concealment: every original is covered by k released records that could be its own.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// What is asked, from weak to strong: (k,1): every released record covers k originals; (1,k):
// every original is covered by k; (k,k): both; concealment: every original has k that lie with it
// in a perfect matching.
enum class Concealing { k_1, one_k, k_k, concealment };

// The originals that each released record is the closure of, its own first. Records are not
// folded: every count must be 1.
std::vector<std::vector<std::int32_t>> conceal(const Records& records, std::int32_t k,
                                               Concealing aim, Control& control);

}  // namespace shoal
