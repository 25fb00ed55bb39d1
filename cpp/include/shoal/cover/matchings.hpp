// Perfect matchings of regular bipartite graphs, drawn at random.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"

namespace shoal {

// Divides a k-regular bipartite graph into k perfect matchings. `edges` holds the k right ends of
// each left node, `left` after `left`; the result holds for each of them the matching it is in,
// from 0 to k - 1. Random walks close augmenting paths: expected time n log n a matching.
// `words` seed the walks.
std::vector<std::int32_t> random_matchings(std::span<const std::int32_t> edges, std::int32_t k,
                                           std::span<const std::uint64_t> words, Control& control);

}  // namespace shoal
