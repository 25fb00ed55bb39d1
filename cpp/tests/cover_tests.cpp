// Covers: every method gives a regular graph, losses agree with the closures, matchings divide.
#include <algorithm>
#include <numeric>

#include "cover/cover_blocks.hpp"
#include "cover/cover_members.hpp"
#include "cover/transport.hpp"
#include "harness.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/cover/conceal.hpp"
#include "shoal/cover/cover.hpp"
#include "shoal/cover/cover_refine.hpp"
#include "shoal/cover/dense_assignment.hpp"
#include "shoal/cover/matchings.hpp"

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

// Growths and single additions are those of plain closures.
void check_losses(const Records& records, const Cover& cover, Random& random) {
    const shoal::CoverLoss& losses = cover.losses();
    std::vector<std::int32_t> growth(records.rows());
    for (int repeat = 0; repeat < 8; ++repeat) {
        const std::size_t i = random.below(static_cast<std::uint32_t>(cover.size()));
        const auto members = cover.members(i);
        shoal::Closure closure;
        closure.open(records, static_cast<std::size_t>(members[0]));
        for (const std::int32_t row : members) closure.add(records, static_cast<std::size_t>(row));
        losses.growths(cover.hull(i), members, growth.data());
        const std::int32_t base = losses.loss(cover.hull(i));
        CHECK(std::abs(base * losses.unit() - closure.loss(records)) < 1e-5);
        for (std::size_t row = 0; row < records.rows(); ++row) {
            const auto place = static_cast<std::int32_t>(row);
            const std::int32_t with = base + growth[row];
            CHECK(losses.loss_adding(cover.hull(i), members, place) == with);
            CHECK(std::abs(with * losses.unit() - closure.loss_adding(records, row)) < 1e-5);
        }
    }
}

TEST_CASE("covers are regular and lose what their closures lose") {
    Random random(31);
    for (int repeat = 0; repeat < (harness::quick() ? 6 : 24); ++repeat) {
        const Records records =
            harness::random_records(random, 2 + random.below(60), 1 + random.below(6),
                                    repeat % 3 == 0 ? 300 : 20, 1 + repeat % 3);
        const auto k = static_cast<std::int32_t>(
            2 +
            random.below(static_cast<std::uint32_t>(std::min<std::int64_t>(records.total, 9) - 1)));
        using Method = void (*)(Cover&, const CoverSettings&, Control&);
        const Method methods[] = {shoal::cover_greedily, shoal::cover_greedily_by_originals,
                                  shoal::cover_by_sorted_pairs, shoal::cover_by_assignments,
                                  shoal::cover_by_flow};
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
                refinement.region = 20;
                refinement.threads = threads;
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

TEST_CASE("symmetric covers are symmetric") {
    Random random(32);
    for (int repeat = 0; repeat < (harness::quick() ? 20 : 80); ++repeat) {
        const Records records = harness::random_records(random, 2 + random.below(30), 3, 12, 1);
        const auto n = static_cast<std::int32_t>(records.rows());
        const std::int32_t k =
            2 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(n - 1)));
        Control control;
        Cover cover(records, k);
        using Method = void (*)(Cover&, const CoverSettings&, Control&);
        const Method methods[] = {shoal::pair_greedily, shoal::pair_by_sorted_pairs,
                                  shoal::pair_by_assignments, shoal::pair_by_flow};
        methods[repeat % 4](cover, settings_of(records, k, 1), control);
        if (repeat % 3 == 0) {
            const std::int64_t before = cover.total();
            shoal::refine_symmetrically(cover, {static_cast<std::uint64_t>(repeat), 2'000},
                                        control);
            CHECK(cover.total() <= before);
        }
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
        CHECK((others == 0 || (n % 2 == 1 && k % 2 == 0)));
    }
}

TEST_CASE("concealing covers everyone") {
    Random random(33);
    for (int repeat = 0; repeat < (harness::quick() ? 4 : 12); ++repeat) {
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

// What a closure of some rows loses, made from nothing.
double loss_of(const Records& records, const std::vector<std::int32_t>& rows) {
    shoal::Closure closure;
    closure.open(records, static_cast<std::size_t>(rows[0]));
    for (const std::int32_t row : rows) closure.add(records, static_cast<std::size_t>(row));
    return closure.loss(records);
}

// Every line of a block is what the closures lose, and so is the relief of giving up a member where
// no set is full.
TEST_CASE("lines of blocks are losses of closures") {
    Random random(36);
    for (int repeat = 0; repeat < (harness::quick() ? 20 : 80); ++repeat) {
        const Records records =
            harness::random_records(random, 8 + random.below(40), 5, repeat % 2 == 0 ? 300 : 90, 1);
        const std::size_t k = 2 + random.below(4);
        std::vector<std::int32_t> members;
        for (std::size_t i = 0; i < records.rows(); ++i) {
            for (std::size_t m = 0; m < k; ++m) {
                members.push_back(static_cast<std::int32_t>((i + m * m) % records.rows()));
            }
        }
        const shoal::CoverLoss losses(records);
        const shoal::CoverMembers cover_members(losses, k, members, {});
        const auto rows_with = [&](std::size_t slot, std::int32_t row) {
            std::vector<std::int32_t> rows;
            for (std::size_t m = 0; m < k; ++m) {
                const std::size_t other = slot / k * k + m;
                if (other == slot && row < 0) continue;
                rows.push_back(other == slot ? row : cover_members.row(other));
            }
            return rows;
        };
        std::vector<std::size_t> slots;
        for (std::size_t i = 0; i < std::min<std::size_t>(records.rows(), 20); ++i) {
            slots.push_back(i * k + random.below(static_cast<std::uint32_t>(k)));
        }
        shoal::BlockCosts costs(cover_members);
        costs.set_slots(slots);
        std::vector<std::int32_t> line(costs.stride());
        for (std::size_t b = 0; b < slots.size(); ++b) {
            costs.line(b, line.data());
            for (std::size_t c = 0; c < slots.size(); ++c) {
                const double expected =
                    loss_of(records, rows_with(slots[b], cover_members.row(slots[c])));
                CHECK(std::abs(line[c] * losses.unit() - expected) < 1e-5);
            }
            const double relief =
                loss_of(records, rows_with(slots[b], cover_members.row(slots[b]))) -
                loss_of(records, rows_with(slots[b], -1));
            const std::int32_t found = cover_members.relief(slots[b] / k, slots[b] % k);
            CHECK(std::abs(found * losses.unit() - relief) < 1e-5);
        }
        double total = 0.0;
        for (std::size_t i = 0; i < records.rows(); ++i) {
            total += loss_of(records, rows_with(i * k, cover_members.row(i * k)));
        }
        CHECK(std::abs(static_cast<double>(cover_members.total({})) * losses.unit() - total) <
              1e-4);
    }
}

TEST_CASE("dense assignments are optimal") {
    Random random(34);
    shoal::DenseAssignment assignment;
    for (int repeat = 0; repeat < 300; ++repeat) {
        const std::size_t size = 1 + random.below(6);
        std::vector<std::int32_t> cost(size * 16, 0);
        for (auto& each : cost) each = static_cast<std::int32_t>(random.below(repeat % 2 ? 5 : 99));
        for (std::size_t i = 0; repeat % 3 == 0 && i < size; ++i) {
            const std::size_t c = random.below(static_cast<std::uint32_t>(size));
            if (c != i) cost[i * 16 + c] = shoal::DenseAssignment::barred;
        }
        const auto& taken = assignment.solve(cost.data(), size, 16);
        std::int64_t found = 0, best = INT64_MAX;
        for (std::size_t i = 0; i < size; ++i) {
            found += cost[i * 16 + static_cast<std::size_t>(taken[i])];
        }
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), 0);
        do {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < size; ++i) sum += cost[i * 16 + order[i]];
            best = std::min(best, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        CHECK(found == best);
    }
}

// Large matrices have rounded costs; the price of that is small. The optimum is known: a hidden
// permutation costs nothing beyond what every row and column asks.
TEST_CASE("large dense assignments are near the optimum") {
    Random random(38);
    shoal::DenseAssignment assignment;
    for (const std::size_t size : {17u, 64u, 100u, 512u}) {
        const std::size_t stride = (size + 15) / 16 * 16;
        std::vector<std::int32_t> row(size), column(size), hidden(size);
        std::iota(hidden.begin(), hidden.end(), 0);
        for (std::size_t i = size; i > 1; --i) {
            std::swap(hidden[i - 1], hidden[random.below(static_cast<std::uint32_t>(i))]);
        }
        for (auto& each : row) each = static_cast<std::int32_t>(random.below(1 << 26));
        for (auto& each : column) each = static_cast<std::int32_t>(random.below(1 << 26));
        std::vector<std::int32_t> cost(size * stride, 0);
        std::int64_t best = 0, known = 0, found = 0;
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t c = 0; c < size; ++c) {
                const bool kept = hidden[i] == static_cast<std::int32_t>(c);
                cost[i * stride + c] =
                    row[i] + column[c] +
                    (kept ? 0 : 1 + static_cast<std::int32_t>(random.below(1 << 25)));
            }
            best += row[i] + column[static_cast<std::size_t>(hidden[i])];
            known += cost[i * stride + i];
        }
        const auto& taken = assignment.solve(cost.data(), size, stride);
        for (std::size_t i = 0; i < size; ++i) {
            found += cost[i * stride + static_cast<std::size_t>(taken[i])];
        }
        CHECK(found >= best);
        CHECK(static_cast<double>(found - best) <= 0.01 * static_cast<double>(known - best));
    }
}

TEST_CASE("matchings divide regular graphs") {
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

// More noise than any loss: what is drawn is blurred beyond recognition, but never out of range.
TEST_CASE("refining a cover with all heat keeps it regular and no worse") {
    harness::Random random(41);
    std::vector<std::int32_t> counts(120, 1);
    Records records(counts);
    for (int j = 0; j < 2; ++j) {
        shoal::Attribute attribute;
        attribute.kind = shoal::Kind::all_or_nothing;
        attribute.code_count = 120;
        attribute.weight = 0.5;
        std::vector<std::uint8_t> codes(120);
        for (auto& code : codes) code = static_cast<std::uint8_t>(random.below(40));
        attribute.codes = codes;
        records.attributes.push_back(attribute);
    }
    Control control;
    Cover cover(records, 2);
    shoal::cover_greedily(cover, settings_of(records, 2, 1), control);
    const auto before = cover.total();
    shoal::CoverRefinement refinement;
    refinement.steps = 3000;
    refinement.heat = 1000.0;
    shoal::refine_cover(cover, refinement, control);
    check_regular(records, cover);
    CHECK(cover.total() <= before);
}
