// Rank-1 cuts that a search found broken, and the choice among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/exact/rank_cuts.hpp"

namespace shoal::cutting {

using Members = std::vector<std::pair<std::int32_t, std::int32_t>>;  // rows and their weights
using Key = std::pair<std::int32_t, Members>;                        // divisor first

struct Broken {
    double violation;
    std::int32_t divisor;
    std::int32_t remainder;
    Members members;
};

// The most broken ones, with no row in too many of them.
inline RankCuts most_broken(std::vector<Broken> broken, const Separation& separation,
                            std::size_t rows) {
    std::stable_sort(broken.begin(), broken.end(),
                     [](const Broken& a, const Broken& b) { return a.violation > b.violation; });
    RankCuts cuts;
    std::vector<std::int32_t> used(rows, 0);
    for (const Broken& one : broken) {
        if (static_cast<std::int32_t>(cuts.size()) == separation.most) break;
        const bool fits = std::all_of(one.members.begin(), one.members.end(), [&](auto member) {
            return used[static_cast<std::size_t>(member.first)] < separation.most_of_row;
        });
        if (!fits) continue;
        for (const auto& [row, weight] : one.members) {
            ++used[static_cast<std::size_t>(row)];
            cuts.row.push_back(row);
            cuts.weight.push_back(weight);
        }
        cuts.start.push_back(static_cast<std::int64_t>(cuts.row.size()));
        cuts.divisor.push_back(one.divisor);
        cuts.remainder.push_back(one.remainder);
    }
    return cuts;
}

}  // namespace shoal::cutting
