// Symmetric covers: one record covers another exactly when the other covers it. A graph without
// directions, in which every record has k - 1 others beside itself.
#include <algorithm>

#include "cover/cover_candidates.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

class Friends {
  public:
    Friends(std::size_t records, std::size_t wanted) : of_(records), wanted_(wanted) {}

    bool are(std::int32_t a, std::int32_t b) const {
        const auto& known = of_[static_cast<std::size_t>(a)];
        return std::find(known.begin(), known.end(), b) != known.end();
    }
    void join(std::int32_t a, std::int32_t b) {
        of_[static_cast<std::size_t>(a)].push_back(b);
        of_[static_cast<std::size_t>(b)].push_back(a);
    }
    void part(std::int32_t a, std::int32_t b) {
        std::erase(of_[static_cast<std::size_t>(a)], b);
        std::erase(of_[static_cast<std::size_t>(b)], a);
    }
    const std::vector<std::int32_t>& of(std::size_t record) const { return of_[record]; }
    std::size_t lacking(std::size_t record) const { return wanted_ - of_[record].size(); }

    // Joins whoever lacks friends, by exchanges if they are friends already; false if it cannot.
    bool complete() {
        for (std::size_t a = 0; a < of_.size(); ++a) {
            while (lacking(a) > 0) {
                if (!serve(static_cast<std::int32_t>(a))) return false;
            }
        }
        return true;
    }

    // A record that nobody is left for gives up itself for one more friend, taken from a pair.
    bool split_pair_for(std::int32_t a) {
        for (std::size_t x = 0; x < of_.size(); ++x) {
            const auto one = static_cast<std::int32_t>(x);
            if (one == a || are(a, one)) continue;
            for (const std::int32_t other : of_[x]) {
                if (other == a || are(a, other)) continue;
                part(one, other);
                join(a, one);
                join(a, other);
                return true;
            }
        }
        return false;
    }

  private:
    bool serve(std::int32_t a) {
        std::int32_t second = -1;
        for (std::size_t b = static_cast<std::size_t>(a) + 1; b < of_.size(); ++b) {
            if (lacking(b) == 0) continue;
            const auto other = static_cast<std::int32_t>(b);
            if (!are(a, other)) {
                join(a, other);
                return true;
            }
            second = other;
        }
        if (lacking(static_cast<std::size_t>(a)) >= 2) return split_pair_for(a);
        if (second < 0) return false;
        for (std::size_t x = 0; x < of_.size(); ++x) {
            const auto one = static_cast<std::int32_t>(x);
            if (one == a || one == second || are(a, one)) continue;
            for (const std::int32_t other : of_[x]) {
                if (other == a || other == second || are(second, other)) continue;
                part(one, other);
                join(a, one);
                join(second, other);
                return true;
            }
        }
        return false;
    }

    std::vector<std::vector<std::int32_t>> of_;
    std::size_t wanted_;
};

// The same few steps to both sides along the order; for odd k - 1 also half way round, and for
// an odd number of records a step more and nobody itself.
std::vector<std::int32_t> circulant(const std::vector<std::int32_t>& order, std::size_t k) {
    const std::size_t n = order.size();
    std::vector<std::int32_t> members;
    members.resize(n * k);
    for (std::size_t p = 0; p < n; ++p) {
        std::vector<std::int32_t> covered;
        const bool self = !(k % 2 == 0 && n % 2 == 1);
        if (self) covered.push_back(order[p]);
        const std::size_t steps = self ? (k - 1) / 2 : k / 2;
        for (std::size_t s = 1; s <= steps; ++s) {
            covered.push_back(order[(p + s) % n]);
            covered.push_back(order[(p + n - s) % n]);
        }
        if (covered.size() < k) covered.push_back(order[(p + n / 2) % n]);
        std::copy(
            covered.begin(), covered.end(),
            members.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(order[p]) * k));
    }
    return members;
}

// Pairs in ascending order of what both would lose, every record at most once.
void match_round(Cover& cover, Friends& friends, Control& control) {
    const std::vector<std::int64_t> free_of_charge(cover.size(), 0);
    std::vector<char> taken(cover.size(), 0);
    std::vector<std::vector<RowCost>> lists(cover.size());
    std::vector<std::size_t> next(cover.size(), 0);
    CandidateScan scan(cover);
    CheapestPairs offers;
    const auto look = [&](std::size_t i) {
        lists[i] = scan.least(i, free_of_charge, candidate_list, no_bound, [&](std::int32_t row) {
            return taken[static_cast<std::size_t>(row)] != 0 ||
                   friends.are(static_cast<std::int32_t>(i), row);
        });
        next[i] = 0;
    };
    const auto offer = [&](std::size_t i) {
        if (next[i] >= lists[i].size()) return;
        const RowCost& one = lists[i][next[i]];
        const std::int64_t back =
            cover.growth(static_cast<std::size_t>(one.row), static_cast<std::int32_t>(i));
        offers.push({one.reduced + back, static_cast<std::int32_t>(i), one.row});
    };
    for (std::size_t i = 0; i < cover.size(); ++i) {
        if (i % 16 == 0 && control.cancelled()) throw Cancelled();
        look(i);
        offer(i);
    }
    while (!offers.empty()) {
        if (control.cancelled()) throw Cancelled();
        const PairCost best = offers.top();
        offers.pop();
        const auto i = static_cast<std::size_t>(best.one);
        if (taken[i]) continue;
        if (!taken[static_cast<std::size_t>(best.other)]) {
            taken[i] = taken[static_cast<std::size_t>(best.other)] = 1;
            friends.join(best.one, best.other);
            cover.add(i, best.other);
            cover.add(static_cast<std::size_t>(best.other), best.one);
            continue;
        }
        if (++next[i] == lists[i].size()) look(i);
        offer(i);
    }
}

}  // namespace

void cover_symmetrically(Cover& cover, const CoverSettings& settings, Control& control) {
    const std::size_t n = cover.size();
    const auto k = static_cast<std::size_t>(cover.k());
    Friends friends(n, k - 1);
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        control.report((round - 1.0) / (cover.k() - 1.0));
        match_round(cover, friends, control);
    }
    bool done = friends.complete();
    std::size_t alone = n;
    if (!done) {
        // With an odd number of records and even k one record must do without itself.
        std::size_t lacking = 0;
        for (std::size_t i = 0; i < n; ++i) {
            lacking += friends.lacking(i);
            if (friends.lacking(i) > 0) alone = i;
        }
        done = lacking == 1 && friends.split_pair_for(static_cast<std::int32_t>(alone));
    }
    std::vector<std::int32_t> members;
    if (done) {
        for (std::size_t i = 0; i < n; ++i) {
            if (i != alone) members.push_back(static_cast<std::int32_t>(i));
            members.insert(members.end(), friends.of(i).begin(), friends.of(i).end());
        }
    } else {
        members = circulant(settings.order, k);
    }
    cover.set(members);
    control.report(1.0);
}

}  // namespace shoal
