// Which rows a released record would take next: the cheapest few, or all below a price.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "shoal/cover/cover.hpp"

namespace shoal {

struct RowCost {
    std::int64_t reduced;  // growth less the row's price
    std::int32_t row;
    std::int32_t growth;
    bool operator<(const RowCost& other) const {
        return reduced != other.reduced ? reduced < other.reduced : row < other.row;
    }
};

// Two records that may be matched; a heap of them has the cheapest on top.
struct PairCost {
    std::int64_t cost;
    std::int32_t one;
    std::int32_t other;
    bool operator>(const PairCost& than) const {
        if (cost != than.cost) return cost > than.cost;
        return one != than.one ? one > than.one : other > than.other;
    }
};
using CheapestPairs = std::priority_queue<PairCost, std::vector<PairCost>, std::greater<>>;

constexpr std::size_t candidate_list = 32;
constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max() / 4;

// Scans for one released record at a time; a thread has one of its own.
class CandidateScan {
  public:
    // A mutual cost adds what the row's own released record would lose by the one that looks; the
    // records must not be folded.
    explicit CandidateScan(const Cover& cover, bool mutual = false)
        : cover_(cover), mutual_(mutual), growth_(cover.records().rows()) {}

    // The `most` rows of least reduced cost below `bound` that the record may still hold, in
    // ascending order. `skip(row)` leaves rows out.
    template <class Skip>
    const std::vector<RowCost>& least(std::size_t released, std::span<const std::int64_t> prices,
                                      std::size_t most, std::int64_t bound, Skip skip);

  private:
    void fill(std::size_t released);
    static std::int64_t least_of(const std::int32_t* growth, const std::int64_t* price,
                                 std::size_t size);
    void shrink(std::size_t most);

    static constexpr std::size_t block = 128;
    static constexpr std::int32_t barred = INT32_MAX;
    const Cover& cover_;
    bool mutual_;
    std::vector<std::int32_t> growth_;
    std::vector<RowCost> found_;
};

template <class Skip>
const std::vector<RowCost>& CandidateScan::least(std::size_t released,
                                                 std::span<const std::int64_t> prices,
                                                 std::size_t most, std::int64_t bound, Skip skip) {
    fill(released);
    found_.clear();
    for (std::size_t begin = 0; begin < growth_.size(); begin += block) {
        const std::size_t size = std::min(block, growth_.size() - begin);
        if (least_of(growth_.data() + begin, prices.data() + begin, size) >= bound) continue;
        for (std::size_t r = begin; r < begin + size; ++r) {
            if (growth_[r] == barred) continue;
            const std::int64_t reduced = growth_[r] - prices[r];
            if (reduced >= bound || skip(static_cast<std::int32_t>(r))) continue;
            found_.push_back({reduced, static_cast<std::int32_t>(r), growth_[r]});
        }
        if (found_.size() >= 4 * most) {
            shrink(most);
            bound = std::min(bound, found_.back().reduced + 1);
        }
    }
    shrink(most);
    return found_;
}

}  // namespace shoal
