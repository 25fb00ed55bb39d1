#include "shoal/common/records.hpp"

#include <numeric>
#include <utility>

namespace shoal {

std::int32_t Attribute::common_ancestor(std::uint32_t low, std::uint32_t high) const {
    std::uint32_t level = 0;
    std::int32_t node = tree.above(0, low, code_count);
    while (tree.node_last[static_cast<std::size_t>(node)] < static_cast<std::int32_t>(high) &&
           level + 1 < tree.levels) {
        node = tree.above(++level, low, code_count);
    }
    return node;
}

Records::Records(std::vector<std::int32_t> multiplicities) : counts(std::move(multiplicities)) {
    total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

double Records::weight_sum() const {
    double sum = 0.0;
    for (const Attribute& attribute : attributes) sum += attribute.weight;
    return sum;
}

}  // namespace shoal
