#include "exact/bound_cuts.hpp"

#include <algorithm>
#include <array>

#include "exact/bound_pricing.hpp"
#include "shoal/exact/rank_cuts.hpp"

namespace shoal::bounding {

bool KnownCuts::add(std::int32_t divisor, std::span<const std::int32_t> rows,
                    std::span<const std::int32_t> weights, std::span<const std::int32_t> counts) {
    std::vector<std::int32_t> key{divisor};
    key.insert(key.end(), rows.begin(), rows.end());
    key.insert(key.end(), weights.begin(), weights.end());
    if (!known_.insert(std::move(key)).second) return false;
    const auto cut = static_cast<std::int32_t>(size());
    std::int64_t all = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(rows[i]);
        of_row_[row].push_back({cut, weights[i]});
        most_of_row_ = std::max(most_of_row_, of_row_[row].size());
        all += static_cast<std::int64_t>(weights[i]) * counts[row];
    }
    divisors_.push_back(divisor);
    most_.push_back(all / divisor);
    return true;
}

void KnownCuts::counted(std::span<const std::int32_t> members,
                        std::vector<std::int32_t>& cuts) const {
    sums_.clear();
    for (const std::int32_t member : members) {
        for (const Weight& each : of_row_[static_cast<std::size_t>(member)]) {
            const auto place = std::find_if(sums_.begin(), sums_.end(),
                                            [&](const Weight& sum) { return sum.cut == each.cut; });
            if (place == sums_.end()) {
                sums_.push_back(each);
            } else {
                place->weight += each.weight;
            }
        }
    }
    for (const Weight& sum : sums_) {
        const std::int32_t times = sum.weight / divisors_[static_cast<std::size_t>(sum.cut)];
        cuts.insert(cuts.end(), static_cast<std::size_t>(times), sum.cut);
    }
}

Fees::Fees(const KnownCuts& cuts, std::span<const Units> fees, std::size_t rows)
    : fees_(fees.begin(), fees.end()) {
    starts_.reserve(rows + 1);
    starts_.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
        for (const KnownCuts::Weight& each : cuts.of_row(row)) {
            const auto cut = static_cast<std::size_t>(each.cut);
            if (fees_[cut] > 0) entries_.push_back({each.cut, each.weight, cuts.divisor(cut)});
        }
        starts_.push_back(entries_.size());
    }
}

std::size_t add_broken_cuts(const Grid& grid, std::int64_t k, const PricedClasses& classes,
                            std::span<const double> shares, std::size_t most, KnownCuts& cuts,
                            Control& control) {
    // Shares are only nearly those of a best division.
    constexpr double least_violation = 0.05;
    shoal::Columns columns;
    columns.cost.resize(classes.size());
    std::vector<std::int32_t> rows;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        rows.assign(classes.of(c).begin(), classes.of(c).end());
        std::sort(rows.begin(), rows.end());
        for (std::size_t i = 0, next = 0; i < rows.size(); i = next) {
            while (next < rows.size() && rows[next] == rows[i]) ++next;
            columns.row.push_back(rows[i]);
            columns.count.push_back(static_cast<std::int32_t>(next - i));
        }
        columns.start.push_back(static_cast<std::int64_t>(columns.row.size()));
    }
    const std::vector<std::int64_t> places(grid.counts.begin(), grid.counts.end());
    const std::array<std::int32_t, 3> divisors{2, 3, static_cast<std::int32_t>(k)};
    const std::size_t different = k <= 3 ? 2 : 3;
    const RankCuts broken = separate(places, columns, shares,
                                     {.divisors = {divisors.data(), different},
                                      .violation = least_violation,
                                      .most = static_cast<std::int32_t>(most),
                                      .most_of_row = 3,
                                      .largest = static_cast<std::int32_t>(3 * k)},
                                     control);
    const std::size_t before = cuts.size();
    for (std::size_t c = 0; c < broken.size(); ++c) {
        const auto first = static_cast<std::size_t>(broken.start[c]);
        const auto size = static_cast<std::size_t>(broken.start[c + 1]) - first;
        cuts.add(broken.divisor[c], {broken.row.data() + first, size},
                 {broken.weight.data() + first, size}, grid.counts);
    }
    return cuts.size() - before;
}

}  // namespace shoal::bounding
