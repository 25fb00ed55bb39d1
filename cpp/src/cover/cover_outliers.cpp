// Which records cost a cover most: those that widen the closures they are in.
#include <algorithm>
#include <numeric>

#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

// Outliers hide each other: without the first, the next one shows. A few rounds find most.
constexpr int rounds = 8;

// Of each row, by how much all closures would shrink without it.
std::vector<std::int64_t> gains(const Cover& cover, const std::vector<char>& gone, Poll& poll) {
    std::vector<std::int64_t> gain(gone.size(), 0);
    std::vector<HullPart> hull(cover.losses().attributes());
    std::vector<std::int32_t> left, rest;
    for (std::size_t i = 0; i < cover.size(); ++i) {
        poll();
        left.clear();
        for (const std::int32_t row : cover.members(i)) {
            if (!gone[static_cast<std::size_t>(row)]) left.push_back(row);
        }
        if (left.size() < 2) continue;
        cover.losses().close(hull.data(), left);
        const std::int32_t whole = cover.losses().loss(hull.data());
        for (std::size_t m = 0; m < left.size(); ++m) {
            if (std::find(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(m), left[m]) !=
                left.begin() + static_cast<std::ptrdiff_t>(m)) {
                continue;
            }
            rest.clear();
            std::copy_if(left.begin(), left.end(), std::back_inserter(rest),
                         [&](std::int32_t row) { return row != left[m]; });
            if (rest.empty()) continue;
            cover.losses().close(hull.data(), rest);
            gain[static_cast<std::size_t>(left[m])] += whole - cover.losses().loss(hull.data());
        }
    }
    return gain;
}

}  // namespace

std::vector<std::int32_t> cover_outliers(const Cover& cover, std::int64_t limit, Control& control) {
    const std::vector<std::int32_t>& counts = cover.records().counts;
    Poll poll(control);
    poll.look();
    std::vector<char> gone(counts.size(), 0);
    std::vector<std::int32_t> order(counts.size());
    for (int round = rounds; round > 0 && limit > 0; --round) {
        const std::vector<std::int64_t> gain = gains(cover, gone, poll);
        std::iota(order.begin(), order.end(), 0);
        const auto share = [&](std::int32_t row) {
            const auto place = static_cast<std::size_t>(row);
            return gone[place] ? -1 : gain[place] / counts[place];
        };
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            poll();
            return share(a) > share(b);
        });
        std::int64_t now = std::max<std::int64_t>(1, limit / round);
        for (const std::int32_t row : order) {
            const auto place = static_cast<std::size_t>(row);
            if (now <= 0 || share(row) <= 0) break;
            if (counts[place] > limit || counts[place] > now) continue;
            gone[place] = 1;
            now -= counts[place];
            limit -= counts[place];
        }
    }
    std::vector<std::int32_t> out(counts.size(), 0);
    for (std::size_t row = 0; row < out.size(); ++row) out[row] = gone[row] ? counts[row] : 0;
    return out;
}

}  // namespace shoal
