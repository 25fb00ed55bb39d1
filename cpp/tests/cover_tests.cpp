// Covers: every method gives a regular graph, losses agree with the closures, matchings divide.
#include <algorithm>
#include <numeric>

#include "harness.hpp"
#include "shoal/closure.hpp"
#include "shoal/conceal.hpp"
#include "shoal/cover.hpp"
#include "shoal/cover_refine.hpp"
#include "shoal/dense_assignment.hpp"
#include "shoal/matchings.hpp"
#include "shoal/transport.hpp"

namespace {

using harness::Random;
using shoal::Control;
using shoal::Cover;
using shoal::CoverSettings;
using shoal::Records;

CoverSettings settings_of(const Records& records, std::int32_t k, int threads) {
    CoverSettings settings;
    settings.k = k;
    settings.threads = threads;
    settings.path = shoal::available_paths().front();
    settings.order.resize(records.rows());
    std::iota(settings.order.begin(), settings.order.end(), 0);
    return settings;
}

void check_regular(const Records& records, const Cover& cover) {
    std::vector<std::int64_t> held(records.rows(), 0);
    for (std::size_t i = 0; i < cover.size(); ++i) {
        const auto members = cover.members(i);
        CHECK(static_cast<std::int32_t>(members.size()) == cover.k());
        for (const std::int32_t row : members) {
            CHECK(std::count(members.begin(), members.end(), row) <=
                  records.counts[static_cast<std::size_t>(row)]);
            ++held[static_cast<std::size_t>(row)];
        }
    }
    for (std::size_t row = 0; row < held.size(); ++row) {
        CHECK(held[row] == std::int64_t{cover.k()} * records.counts[row]);
    }
}

// Growths, losses of gathered rows and single additions are those of plain closures.
void check_losses(const Records& records, const Cover& cover, Random& random) {
    const shoal::CoverLoss& losses = cover.losses();
    std::vector<std::int32_t> growth(records.rows()), with(records.rows()), rows(records.rows());
    std::iota(rows.begin(), rows.end(), 0);
    shoal::CoverLoss::Gathered gathered;
    losses.gather(rows, gathered);
    for (int repeat = 0; repeat < 8; ++repeat) {
        const std::size_t i = random.below(static_cast<std::uint32_t>(cover.size()));
        const auto members = cover.members(i);
        shoal::Closure closure;
        closure.open(records, static_cast<std::size_t>(members[0]));
        for (const std::int32_t row : members) closure.add(records, static_cast<std::size_t>(row));
        losses.growths(cover.hull(i), members, growth.data());
        losses.losses_adding(cover.hull(i), members, gathered, with.data());
        const std::int32_t base = losses.loss(cover.hull(i));
        CHECK(std::abs(base * losses.unit() - closure.loss(records)) < 1e-5);
        for (std::size_t row = 0; row < records.rows(); ++row) {
            const auto place = static_cast<std::int32_t>(row);
            CHECK(losses.loss_adding(cover.hull(i), members, place) == base + growth[row]);
            CHECK(with[row] == base + growth[row]);
            CHECK(std::abs(with[row] * losses.unit() - closure.loss_adding(records, row)) < 1e-5);
        }
    }
}

TEST(covers_are_regular_and_lose_what_their_closures_lose) {
    Random random(31);
    for (int repeat = 0; repeat < (quick ? 6 : 24); ++repeat) {
        const Records records =
            harness::random_records(random, 2 + random.below(60), 1 + random.below(6),
                                    repeat % 3 == 0 ? 300 : 20, 1 + repeat % 3);
        const auto k = static_cast<std::int32_t>(
            2 +
            random.below(static_cast<std::uint32_t>(std::min<std::int64_t>(records.total, 9) - 1)));
        using Method = void (*)(Cover&, const CoverSettings&, Control&);
        const Method methods[] = {shoal::cover_greedily, shoal::cover_by_sorted_pairs,
                                  shoal::cover_by_assignments, shoal::cover_by_flow};
        for (const Method method : methods) {
            std::vector<std::int32_t> members[2];
            for (int threads = 1; threads <= 2; ++threads) {
                Control control;
                Cover cover(records, k);
                method(cover, settings_of(records, k, threads), control);
                check_regular(records, cover);
                check_losses(records, cover, random);
                const std::int64_t before = cover.total();
                shoal::CoverRefinement refinement;
                refinement.steps = 50;
                refinement.block = 16;
                refinement.path = shoal::available_paths().front();
                shoal::refine_cover(cover, refinement, control);
                check_regular(records, cover);
                CHECK(cover.total() <= before);
                members[threads - 1] = cover.take();
            }
            CHECK(members[0] == members[1]);
        }
    }
}

TEST(symmetric_covers_are_symmetric) {
    Random random(32);
    for (int repeat = 0; repeat < (quick ? 20 : 80); ++repeat) {
        const Records records = harness::random_records(random, 2 + random.below(30), 3, 12, 1);
        const auto n = static_cast<std::int32_t>(records.rows());
        const std::int32_t k =
            2 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(n - 1)));
        Control control;
        Cover cover(records, k);
        shoal::cover_symmetrically(cover, settings_of(records, k, 1), control);
        check_regular(records, cover);
        int others = 0;
        for (std::int32_t i = 0; i < n; ++i) {
            const auto covered = cover.members(static_cast<std::size_t>(i));
            others += std::count(covered.begin(), covered.end(), i) == 0;
            for (const std::int32_t j : covered) {
                const auto back = cover.members(static_cast<std::size_t>(j));
                CHECK(std::count(back.begin(), back.end(), i) == 1);
            }
        }
        CHECK(others == 0 || (n % 2 == 1 && k % 2 == 0));
    }
}

TEST(concealing_covers_everyone) {
    Random random(33);
    for (int repeat = 0; repeat < (quick ? 4 : 12); ++repeat) {
        const Records records = harness::random_records(random, 4 + random.below(40), 3, 12, 1);
        const std::int32_t k = 2 + static_cast<std::int32_t>(random.below(3));
        Control control;
        const auto members = shoal::conceal(records, k, shoal::Concealing::concealment, control);
        CHECK(members.size() == records.rows());
        for (std::size_t i = 0; i < members.size(); ++i) {
            CHECK(members[i][0] == static_cast<std::int32_t>(i));
        }
    }
}

TEST(dense_assignments_are_optimal) {
    Random random(34);
    shoal::DenseAssignment assignment;
    for (int repeat = 0; repeat < 300; ++repeat) {
        const std::size_t size = 1 + random.below(6);
        std::vector<std::int32_t> cost(size * 8);
        for (auto& each : cost) each = static_cast<std::int32_t>(random.below(repeat % 2 ? 5 : 99));
        const auto& taken = assignment.solve(cost.data(), size, 8);
        std::int64_t found = 0, best = INT64_MAX;
        for (std::size_t i = 0; i < size; ++i) {
            found += cost[i * 8 + static_cast<std::size_t>(taken[i])];
        }
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), 0);
        do {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < size; ++i) sum += cost[i * 8 + order[i]];
            best = std::min(best, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        CHECK(found == best);
    }
}

TEST(matchings_divide_regular_graphs) {
    Random random(35);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const std::size_t n = 2 + random.below(40);
        const std::size_t k =
            1 + random.below(static_cast<std::uint32_t>(std::min<std::size_t>(n, 9)));
        std::vector<std::int32_t> name(n), edges;
        std::iota(name.begin(), name.end(), 0);
        for (std::size_t i = n; i > 1; --i) {
            std::swap(name[i - 1], name[random.below(static_cast<std::uint32_t>(i))]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t step = 0; step < k; ++step) edges.push_back(name[(i + step) % n]);
        }
        const std::uint64_t words[4] = {random.next(), random.next(), random.next(), random.next()};
        Control control;
        const auto matching =
            shoal::random_matchings(edges, static_cast<std::int32_t>(k), words, control);
        for (std::size_t number = 0; number < k; ++number) {
            std::vector<int> seen(n, 0);
            for (std::size_t e = 0; e < edges.size(); ++e) {
                if (matching[e] == static_cast<std::int32_t>(number)) {
                    ++seen[static_cast<std::size_t>(edges[e])];
                }
            }
            CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
        }
    }
}

}  // namespace
