// Rounds of matchings whose pairs are taken in ascending order of cost. The order of all pairs is
// never listed: each released record knows its next best rows, and a heap their least.
#include "common/parallel.hpp"
#include "cover/cover_candidates.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

void cover_by_sorted_pairs(Cover& cover, const CoverSettings& settings, Control& control) {
    const std::vector<std::int64_t> free_of_charge(cover.records().rows(), 0);
    const double rounds = cover.k() - 1;
    CandidateScan again(cover);
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        std::vector<std::int32_t> taken(cover.size(), -1);
        std::vector<std::int32_t> left = cover.records().counts;
        std::vector<std::vector<RowCost>> lists(cover.size());
        parallel_for(
            cover.size(), settings.threads, [&](std::size_t) { return CandidateScan(cover); },
            [&](CandidateScan& scan, std::size_t i) {
                if (i % 16 == 0 && control.cancelled()) throw Cancelled();
                lists[i] = scan.least(i, free_of_charge, candidate_list, no_bound,
                                      [](std::int32_t) { return false; });
            });
        std::vector<std::size_t> next(cover.size(), 0);
        CheapestPairs offers;
        std::vector<std::size_t> served;
        const auto offer = [&](std::size_t i) {
            if (next[i] < lists[i].size()) {
                const RowCost& one = lists[i][next[i]];
                offers.push({one.reduced, static_cast<std::int32_t>(i), one.row});
            }
        };
        for (std::size_t i = 0; i < cover.size(); ++i) offer(i);
        std::size_t popped = 0;
        while (!offers.empty()) {
            if (++popped % 64 == 0) {
                if (control.cancelled()) throw Cancelled();
                control.report(
                    (round - 1 +
                     static_cast<double>(served.size()) / static_cast<double>(cover.size())) /
                    rounds);
            }
            const PairCost best = offers.top();
            offers.pop();
            const auto i = static_cast<std::size_t>(best.one);
            if (left[static_cast<std::size_t>(best.other)] > 0) {
                --left[static_cast<std::size_t>(best.other)];
                taken[i] = best.other;
                served.push_back(i);
                continue;
            }
            if (++next[i] == lists[i].size()) {
                lists[i] = again.least(
                    i, free_of_charge, candidate_list, no_bound,
                    [&](std::int32_t row) { return left[static_cast<std::size_t>(row)] == 0; });
                next[i] = 0;
            }
            offer(i);
        }
        for (std::size_t i = 0; i < cover.size(); ++i) {
            if (taken[i] >= 0) continue;
            serve_by_exchange(cover, i, served, taken, left);
            served.push_back(i);
        }
        for (std::size_t i = 0; i < cover.size(); ++i) cover.add(i, taken[i]);
    }
}

}  // namespace shoal
