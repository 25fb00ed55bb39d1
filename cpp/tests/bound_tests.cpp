#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "bound_cases.hpp"
#include "exact/bound_pricing.hpp"
#include "exact/bound_value.hpp"
#include "harness.hpp"
#include "shoal/exact/bound.hpp"

namespace {

// Cuts of random rows, weights and divisors, with fees.
struct RandomCuts {
    struct Plain {
        std::int32_t divisor;
        std::vector<std::int32_t> weights;  // of every row
    };
    shoal::bounding::KnownCuts cuts;
    std::vector<shoal::bounding::Units> fees;
    std::vector<Plain> plain;

    RandomCuts(harness::Random& random, const shoal::Records& records, std::uint32_t number,
               double scale)
        : cuts(records.rows()) {
        for (std::uint32_t cut = 0; cut < number; ++cut) {
            const auto divisor = static_cast<std::int32_t>(2 + random.below(3));
            Plain made{divisor, std::vector<std::int32_t>(records.rows())};
            std::vector<std::int32_t> rows, weights;
            for (std::size_t row = 0; row < records.rows(); ++row) {
                if (random.below(2) == 0) continue;
                made.weights[row] = 1 + static_cast<std::int32_t>(
                                            random.below(static_cast<std::uint32_t>(divisor - 1)));
                rows.push_back(static_cast<std::int32_t>(row));
                weights.push_back(made.weights[row]);
            }
            if (!cuts.add(divisor, rows, weights, records.counts)) continue;
            CHECK(!cuts.add(divisor, rows, weights, records.counts));
            plain.push_back(made);
            fees.push_back(random.below(4) == 0
                               ? 0
                               : static_cast<shoal::bounding::Units>(scale * random.unit() * 1e11));
        }
    }

    std::int32_t times(std::size_t cut, const std::vector<std::int32_t>& counts) const {
        std::int32_t weight = 0;
        for (std::size_t row = 0; row < counts.size(); ++row) {
            weight += counts[row] * plain[cut].weights[row];
        }
        return weight / plain[cut].divisor;
    }
    shoal::bounding::Units paid(const std::vector<std::int32_t>& counts) const {
        shoal::bounding::Units sum = 0;
        for (std::size_t cut = 0; cut < plain.size(); ++cut) sum += times(cut, counts) * fees[cut];
        return sum;
    }
};

}  // namespace

TEST_CASE("grid losses are never above the true ones") {
    for (std::uint64_t seed = 1; seed <= (harness::quick() ? 40u : 200u); ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(random, 9, 4, 6, 1);
        const shoal::bounding::Grid grid(records, 10);
        harness::for_each_class(records, 2, [&](const std::vector<std::int32_t>& counts) {
            const double mine =
                static_cast<double>(harness::loss_on_grid(grid, counts)) * grid.unit;
            const double loss = harness::true_loss(records, counts);
            CHECK(mine <= loss);
            CHECK(mine >= loss - 1e-9);
        });
    }
}

TEST_CASE("the lowest values are taken as often as they count, up to a limit") {
    const std::vector<shoal::bounding::Counted> values{{-3, 4}, {-5, 2}};
    for (const auto& [most, sum] : {std::pair{0, 0}, {1, -5}, {3, -13}, {6, -22}, {9, -22}}) {
        auto sorted = values;
        CHECK(static_cast<std::int64_t>(shoal::bounding::lowest(sorted, most)) == sum);
    }
}

TEST_CASE("pricing finds the least cost less prices of every leader") {
    std::uint64_t seed = 100;
    for (int table = 0; table < (harness::quick() ? 150 : 600); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(7);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records =
            harness::random_records(random, rows, 1 + random.below(4), most_codes,
                                    1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t k = 2 + random.below(2);
        const shoal::bounding::Grid grid(records, 2 * k);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        std::vector<shoal::bounding::Units> prices(rows);
        const double scale = random.unit();
        for (auto& price : prices) {
            price = static_cast<shoal::bounding::Units>(scale * random.unit() *
                                                        static_cast<double>(grid.whole + 1));
            if (random.below(6) == 0) price = prices[0];
            if (random.below(9) == 0) price = -price;
        }
        const RandomCuts charged(random, records, table % 2 == 0 ? 0 : 1 + random.below(4), scale);
        const shoal::bounding::Fees fees(charged.cuts, charged.fees, rows);
        std::vector<shoal::bounding::Units> least(rows, 0);
        harness::for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            shoal::bounding::Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || prices[row] > prices[leader]) leader = row;
            }
            reduced += size * harness::loss_on_grid(grid, counts) + charged.paid(counts);
            least[leader] = std::min(least[leader], reduced);
        });
        for (const std::int64_t effort :
             {std::int64_t{0}, std::int64_t{12}, std::int64_t{1} << 40}) {
            shoal::bounding::LeaderPricing pricing(grid, near, {.k = k, .effort = effort});
            for (std::size_t row = 0; row < rows; ++row) {
                shoal::bounding::PricedClasses found;
                const shoal::bounding::Units told = pricing.price(row, prices, fees, found);
                // A search cut short tells a bound, never more than there is.
                CHECK(told <= least[row]);
                if (effort > 1000) CHECK(told == least[row]);
                for (std::size_t c = 0; c < found.size(); ++c) {
                    std::vector<std::int32_t> counts(rows);
                    shoal::bounding::Units sum = 0;
                    for (const std::int32_t member : found.of(c)) {
                        ++counts[static_cast<std::size_t>(member)];
                        sum += prices[static_cast<std::size_t>(member)];
                    }
                    CHECK(counts[row] > 0);
                    const auto size = static_cast<std::int64_t>(found.of(c).size());
                    CHECK((size >= k && size < 2 * k));
                    for (std::size_t r = 0; r < rows; ++r) CHECK(counts[r] <= records.counts[r]);
                    CHECK(found.costs[c] >= size * harness::loss_on_grid(grid, counts));
                    const shoal::bounding::Units cost = found.costs[c] + charged.paid(counts);
                    CHECK(cost - sum >= least[row]);
                    CHECK(cost < sum);
                }
            }
        }
    }
}

TEST_CASE("classes count in cuts as often as their weight allows") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(random, 6, 2, 5, 3);
        const RandomCuts made(random, records, 3, 1.0);
        for (std::size_t cut = 0; cut < made.plain.size(); ++cut) {
            CHECK(made.cuts.most(cut) == made.times(cut, records.counts));
        }
        harness::for_each_class(records, 3, [&](const std::vector<std::int32_t>& counts) {
            std::vector<std::int32_t> members, counted;
            for (std::size_t row = 0; row < counts.size(); ++row) {
                members.insert(members.end(), static_cast<std::size_t>(counts[row]),
                               static_cast<std::int32_t>(row));
            }
            made.cuts.counted(members, counted);
            for (std::size_t cut = 0; cut < made.plain.size(); ++cut) {
                CHECK(std::count(counted.begin(), counted.end(), static_cast<std::int32_t>(cut)) ==
                      made.times(cut, counts));
            }
        });
    }
}

TEST_CASE("bounds do not depend on threads and rise with rounds") {
    for (const std::uint32_t most_codes : {4u, 30u, 400u}) {
        harness::Random random(most_codes);
        const shoal::Records records =
            harness::random_records(random, harness::quick() ? 60 : 200, 4, most_codes, 3);
        for (const std::int64_t k : {std::int64_t{2}, std::int64_t{4}, records.total}) {
            double before = 0.0;
            for (const std::int64_t rounds : {0, 1, 6}) {
                std::vector<double> losses;
                for (const int threads : {1, 2, 5}) {
                    shoal::Control control;
                    const shoal::LowerBound found =
                        shoal::lower_bound(records, harness::one_class(records),
                                           {k, records.total / 9, threads, rounds, -1.0}, control);
                    losses.push_back(found.loss);
                    CHECK(control.progress.load() == 1.0);
                    CHECK(found.rounds <= rounds);
                }
                CHECK((losses[0] == losses[1] && losses[0] == losses[2]));
                CHECK((losses[0] >= before && losses[0] <= records.weight_sum()));
                before = losses[0];
            }
        }
    }
}

TEST_CASE("a bound can be cancelled and has a deadline") {
    harness::Random random(5);
    const shoal::Records records = harness::random_records(random, 300, 5, 30, 2);
    shoal::Control control;
    const shoal::LowerBound none =
        shoal::lower_bound(records, harness::one_class(records), {3, 0, 1, -1, 0.0}, control);
    CHECK(none.loss == 0.0);
    control.cancel.store(true);
    bool cancelled = false;
    try {
        shoal::lower_bound(records, harness::one_class(records), {3, 0, 2, -1, 60.0}, control);
    } catch (const shoal::Cancelled&) {
        cancelled = true;
    }
    CHECK(cancelled);
}
