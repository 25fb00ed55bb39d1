#include "shoal/scan/scan.hpp"

#include <algorithm>

#include "scan/block_scores.hpp"

namespace shoal {

const Found& Scanner::scan(const Alive& alive, const Query& query) {
    collect(alive, query);
    decide(alive, query);
    return found_;
}

// All records whose rounded score is within the margin of the least one.
void Scanner::collect(const Alive& alive, const Query& query) {
    constexpr std::uint32_t no_score = 0xFFFF;
    const ScoreBlock score = score_block(path_);
    const BlockTask task{query.layout(), alive.columns(), query.planes()};
    const std::uint32_t margin = query.margin();
    std::uint32_t least = no_score, limit = no_score - 1;  // and what may still win
    alignas(64) std::array<std::uint16_t, Alive::block> scores;
    candidates_.clear();
    for (std::size_t begin = 0; begin < alive.size(); begin += Alive::block) {
        BlockMask mask = score(task, begin, limit, scores.data());
        mask.keep(alive.size() - begin);
        if (!mask.any()) continue;
        mask.for_each([&](std::size_t i) {
            const std::uint32_t rounded = query.rounded(alive, begin + i, scores[i], limit);
            scores[i] = static_cast<std::uint16_t>(std::min(rounded, no_score));
            least = std::min(least, rounded);
        });
        limit = std::min(least + margin, no_score - 1);
        mask.for_each([&](std::size_t i) {
            if (scores[i] > limit) return;
            candidates_.push_back({static_cast<std::uint32_t>(begin + i), scores[i]});
        });
    }
    std::erase_if(candidates_, [&](const ScanCandidate& each) { return each.score > limit; });
}

void Scanner::decide(const Alive& alive, const Query& query) {
    const Layout& layout = query.layout();
    const std::size_t attributes = query.records().attributes.size();
    const bool nearest = query.aim() == Query::Aim::nearest;
    scores_.assign(candidates_.size(), 0.0);
    for (std::size_t j = 0; j < attributes; ++j) {
        for (std::size_t i = 0; i < scores_.size(); ++i) {
            scores_[i] += query.exact(j, alive.code(layout.slot[j], candidates_[i].index));
        }
    }
    found_.indices.clear();
    if (scores_.empty()) return;
    const double best = nearest ? *std::min_element(scores_.begin(), scores_.end())
                                : *std::max_element(scores_.begin(), scores_.end());
    found_.score = best;
    bool free = nearest;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
        if (scores_[i] != best) continue;
        found_.indices.push_back(candidates_[i].index);
        free = free && candidates_[i].score == 0;
    }
    const auto by_position = [&](std::uint32_t a, std::uint32_t b) {
        return alive.position(a) < alive.position(b);
    };
    if (free) {
        std::sort(found_.indices.begin(), found_.indices.end(), by_position);
    } else {
        found_.indices[0] =
            *std::min_element(found_.indices.begin(), found_.indices.end(), by_position);
        found_.indices.resize(1);
    }
}

}  // namespace shoal
