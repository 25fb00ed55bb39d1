#include "cover/cover_candidates.hpp"

#include <algorithm>
#include <limits>

#include "common/clones.hpp"

namespace shoal {

namespace {

SHOAL_CLONED(std::int64_t, least_difference,
             (const std::int32_t* growth, const std::int64_t* price, std::size_t size),
             (growth, price, size)) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = 0; r < size; ++r) {
        const std::int64_t value = growth[r] - price[r];
        least = value < least ? value : least;
    }
    return least;
}

}  // namespace

std::int64_t CandidateScan::least_of(const std::int32_t* growth, const std::int64_t* price,
                                     std::size_t size) {
    return least_difference(growth, price, size);
}

void CandidateScan::fill(std::size_t released) {
    const auto members = cover_.members(released);
    cover_.losses().growths(cover_.hull(released), members, growth_.data());
    for (const std::int32_t row : members) {
        if (!cover_.may_hold(released, row)) growth_[static_cast<std::size_t>(row)] = barred;
    }
    if (!mutual_) return;
    for (std::size_t row = 0; row < growth_.size(); ++row) {
        if (growth_[row] == barred) continue;
        growth_[row] += cover_.growth(row, static_cast<std::int32_t>(released));
    }
}

void CandidateScan::shrink(std::size_t most) {
    if (found_.size() > most) {
        std::nth_element(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(most - 1),
                         found_.end());
        found_.resize(most);
    }
    std::sort(found_.begin(), found_.end());
}

}  // namespace shoal
