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

// One round of pairs, every record at most once.
struct Pairing {
    Cover& cover;
    Friends& friends;
    std::vector<char> taken;

    Pairing(Cover& covers, Friends& pairs)
        : cover(covers), friends(pairs), taken(covers.size(), 0) {}

    void pair(std::int32_t a, std::int32_t b) {
        taken[static_cast<std::size_t>(a)] = taken[static_cast<std::size_t>(b)] = 1;
        friends.join(a, b);
        cover.add(static_cast<std::size_t>(a), b);
        cover.add(static_cast<std::size_t>(b), a);
    }
    // What both lose by covering each other.
    std::int64_t cost(std::int32_t a, std::int32_t b) const {
        return std::int64_t{cover.growth(static_cast<std::size_t>(a), b)} +
               cover.growth(static_cast<std::size_t>(b), a);
    }
};

// Each record in turn takes the free one of least cost to both.
void pair_in_order(Pairing& round, std::span<const std::int32_t> order, Control& control) {
    const Cover& cover = round.cover;
    std::vector<std::int32_t> growth(cover.size());
    std::size_t looked = 0;
    for (const std::int32_t one : order) {
        const auto i = static_cast<std::size_t>(one);
        if (round.taken[i]) continue;
        if (++looked % 16 == 0 && control.cancelled()) throw Cancelled();
        cover.losses().growths(cover.hull(i), cover.members(i), growth.data());
        std::int32_t best = -1;
        std::int64_t least = no_bound;
        for (std::size_t j = 0; j < cover.size(); ++j) {
            const auto other = static_cast<std::int32_t>(j);
            if (growth[j] >= least || round.taken[j] || j == i) continue;
            if (round.friends.are(one, other)) continue;
            const std::int64_t both = growth[j] + std::int64_t{cover.growth(j, one)};
            if (both < least) {
                least = both;
                best = other;
            }
        }
        if (best >= 0) round.pair(one, best);
    }
}

// Along each cycle of an assignment every second pair is taken, the cheaper half of an even one;
// of an odd one the record that makes the others cheapest is left out.
void pair_along_cycles(Pairing& round, std::span<const std::int32_t> partner) {
    const std::size_t n = partner.size();
    std::vector<char> seen(n, 0);
    for (std::size_t start = 0; start < n; ++start) {
        std::vector<std::int32_t> cycle;
        for (std::size_t at = start; !seen[at]; at = static_cast<std::size_t>(partner[at])) {
            seen[at] = 1;
            cycle.push_back(static_cast<std::int32_t>(at));
        }
        const std::size_t size = cycle.size();
        if (size < 2) continue;
        std::vector<std::int64_t> cost(size);
        for (std::size_t p = 0; p < size; ++p)
            cost[p] = round.cost(cycle[p], cycle[(p + 1) % size]);
        const std::size_t shifts = size % 2 == 0 ? std::min<std::size_t>(size, 2) : size;
        std::size_t best = 0;
        std::int64_t least = no_bound;
        for (std::size_t shift = 0; shift < shifts; ++shift) {
            std::int64_t sum = 0;
            for (std::size_t p = 0; p + 1 < size; p += 2) sum += cost[(shift + p) % size];
            if (sum < least) {
                least = sum;
                best = shift;
            }
        }
        for (std::size_t p = 0; p + 1 < size; p += 2) {
            round.pair(cycle[(best + p) % size], cycle[(best + p + 1) % size]);
        }
    }
}

// Pairs in ascending order of what both would lose. What one side loses is a lower bound: partners
// of a record are weighed in its order, each when its turn could come.
void pair_cheapest(Pairing& round, Control& control) {
    constexpr std::int32_t next_of_list = -1;  // instead of a partner
    const Cover& cover = round.cover;
    const std::vector<char>& taken = round.taken;
    const std::vector<std::int64_t> free_of_charge(cover.size(), 0);
    std::vector<std::vector<RowCost>> lists(cover.size());
    std::vector<std::vector<std::int32_t>> weighed(cover.size());
    std::vector<std::size_t> next(cover.size(), 0);
    CandidateScan scan(cover);
    CheapestPairs offers;
    const auto announce = [&](std::size_t i) {
        if (next[i] == lists[i].size()) {
            lists[i] =
                scan.least(i, free_of_charge, candidate_list, no_bound, [&](std::int32_t row) {
                    const auto& known = weighed[i];
                    return taken[static_cast<std::size_t>(row)] != 0 ||
                           round.friends.are(static_cast<std::int32_t>(i), row) ||
                           std::find(known.begin(), known.end(), row) != known.end();
                });
            next[i] = 0;
            if (lists[i].empty()) return;
        }
        offers.push({lists[i][next[i]].reduced, static_cast<std::int32_t>(i), next_of_list});
    };
    for (std::size_t i = 0; i < cover.size(); ++i) {
        if (i % 16 == 0 && control.cancelled()) throw Cancelled();
        if (!taken[i]) announce(i);
    }
    std::size_t popped = 0;
    while (!offers.empty()) {
        if (++popped % 64 == 0 && control.cancelled()) throw Cancelled();
        const PairCost best = offers.top();
        offers.pop();
        const auto i = static_cast<std::size_t>(best.one);
        if (taken[i]) continue;
        if (best.other != next_of_list) {
            if (!taken[static_cast<std::size_t>(best.other)]) round.pair(best.one, best.other);
            continue;
        }
        const RowCost one = lists[i][next[i]++];
        if (!taken[static_cast<std::size_t>(one.row)]) {
            weighed[i].push_back(one.row);
            offers.push({one.reduced + cover.growth(static_cast<std::size_t>(one.row), best.one),
                         best.one, one.row});
        }
        announce(i);
    }
}

// Gives partners to whoever lacks them, and the cover its members.
void complete(Cover& cover, Friends& friends, const CoverSettings& settings, Control& control) {
    const std::size_t n = cover.size();
    const auto k = static_cast<std::size_t>(cover.k());
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

template <class PairRound>
void pair_in_rounds(Cover& cover, const CoverSettings& settings, Control& control,
                    PairRound pair_round) {
    Friends friends(cover.size(), static_cast<std::size_t>(cover.k()) - 1);
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        control.report((round - 1.0) / (cover.k() - 1.0));
        Pairing pairing(cover, friends);
        pair_round(pairing);
    }
    complete(cover, friends, settings, control);
}

// Takes every second of the pairs that one side alone has chosen, along closed walks over them:
// whoever is in as many pairs as he has chosen and been chosen for keeps half of them.
class Halving {
  public:
    Halving(const Cover& cover, Friends& friends) : friends_(friends), ends_(cover.size()) {
        const CoverLoss& losses = cover.losses();
        std::vector<HullPart> alone(losses.attributes());
        for (std::size_t i = 0; i < cover.size(); ++i) {
            const auto one = static_cast<std::int32_t>(i);
            losses.open(alone.data(), one);
            for (const std::int32_t other : cover.members(i)) {
                if (other == one) continue;
                const auto back = cover.members(static_cast<std::size_t>(other));
                if (std::find(back.begin(), back.end(), one) == back.end()) {
                    ends_[i].push_back(static_cast<std::int32_t>(pairs_.size()));
                    ends_[static_cast<std::size_t>(other)].push_back(
                        static_cast<std::int32_t>(pairs_.size()));
                    pairs_.push_back(
                        {one, other, losses.loss_adding(alone.data(), {&one, 1}, other)});
                } else if (one < other) {
                    friends_.join(one, other);
                }
            }
        }
        used_.assign(pairs_.size(), 0);
    }

    void run() {
        for (std::size_t start = 0; start < ends_.size(); ++start) {
            while (true) {
                const std::vector<std::int32_t> walk = closed_walk(start);
                if (walk.empty()) break;
                take_half(walk);
            }
        }
    }

  private:
    struct Pair {
        std::int32_t one, other;
        std::int64_t cost;
    };

    // All pairs that hang together with the start, each once, in the order of a closed walk.
    std::vector<std::int32_t> closed_walk(std::size_t start) {
        std::vector<std::pair<std::size_t, std::int32_t>> stack{{start, -1}};
        std::vector<std::int32_t> walk;
        while (!stack.empty()) {
            auto& open = ends_[stack.back().first];
            while (!open.empty() && used_[static_cast<std::size_t>(open.back())]) open.pop_back();
            if (open.empty()) {
                if (stack.back().second >= 0) walk.push_back(stack.back().second);
                stack.pop_back();
                continue;
            }
            const std::int32_t number = open.back();
            open.pop_back();
            used_[static_cast<std::size_t>(number)] = 1;
            const Pair& pair = pairs_[static_cast<std::size_t>(number)];
            const auto at = static_cast<std::int32_t>(stack.back().first);
            stack.emplace_back(static_cast<std::size_t>(at == pair.one ? pair.other : pair.one),
                               number);
        }
        return walk;
    }

    // The cheaper half; of an odd walk the smaller one, so that nobody gets too many.
    void take_half(const std::vector<std::int32_t>& walk) {
        std::int64_t sums[2] = {0, 0};
        for (std::size_t p = 0; p < walk.size(); ++p) {
            sums[p % 2] += pairs_[static_cast<std::size_t>(walk[p])].cost;
        }
        const std::size_t half = walk.size() % 2 == 1 || sums[1] < sums[0] ? 1 : 0;
        for (std::size_t p = half; p < walk.size(); p += 2) {
            const Pair& pair = pairs_[static_cast<std::size_t>(walk[p])];
            friends_.join(pair.one, pair.other);
        }
    }

    Friends& friends_;
    std::vector<Pair> pairs_;
    std::vector<std::vector<std::int32_t>> ends_;  // pairs of each record
    std::vector<char> used_;
};

}  // namespace

void pair_greedily(Cover& cover, const CoverSettings& settings, Control& control) {
    pair_in_rounds(cover, settings, control,
                   [&](Pairing& round) { pair_in_order(round, settings.order, control); });
}

void pair_by_sorted_pairs(Cover& cover, const CoverSettings& settings, Control& control) {
    pair_in_rounds(cover, settings, control,
                   [&](Pairing& round) { pair_cheapest(round, control); });
}

void pair_by_assignments(Cover& cover, const CoverSettings& settings, Control& control) {
    std::vector<std::int64_t> prices(cover.size(), 0);
    // With fewer than half of the records free for each, an assignment may not exist.
    const bool possible = 2 * static_cast<std::size_t>(cover.k()) <= cover.size();
    pair_in_rounds(cover, settings, control, [&](Pairing& round) {
        if (possible) pair_along_cycles(round, assign_mutually(cover, settings, prices, control));
        pair_cheapest(round, control);
    });
}

void pair_by_flow(Cover& cover, const CoverSettings& settings, Control& control) {
    cover_by_flow(cover, settings, control);
    Friends friends(cover.size(), static_cast<std::size_t>(cover.k()) - 1);
    Halving(cover, friends).run();
    complete(cover, friends, settings, control);
}

}  // namespace shoal
