#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "harness.hpp"
#include "shoal/bound.hpp"
#include "shoal/bound_pricing.hpp"
#include "shoal/closure.hpp"

namespace {

// Every class of k to 2k - 1 records, as counts of each row.
void for_each_class(const shoal::Records& records, std::int64_t k,
                    const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    std::vector<std::int32_t> counts(records.rows());
    const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t row,
                                                                      std::int64_t size) {
        if (size >= 2 * k) return;
        if (row == records.rows()) {
            if (size >= k) visit(counts);
            return;
        }
        for (std::int32_t copies = 0; copies <= records.counts[row]; ++copies) {
            counts[row] = copies;
            choose(row + 1, size + copies);
        }
        counts[row] = 0;
    };
    choose(0, 0);
}

shoal::Units loss_on_grid(const shoal::Grid& grid, const std::vector<std::int32_t>& counts) {
    shoal::Units loss = 0;
    for (std::size_t j = 0; j < grid.width; ++j) {
        std::vector<std::uint32_t> codes;
        for (std::size_t row = 0; row < counts.size(); ++row) {
            if (counts[row] > 0) codes.push_back(grid.codes(row)[j]);
        }
        loss += grid.attributes[j].of(codes);
    }
    return loss;
}

double true_loss(const shoal::Records& records, const std::vector<std::int32_t>& counts) {
    shoal::Closure closure;
    bool open = false;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] == 0) continue;
        open ? closure.add(records, row) : closure.open(records, row);
        open = true;
    }
    return closure.loss(records);
}

shoal::Partition one_class(const shoal::Records& records) {
    shoal::Partition all;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        all.place(static_cast<std::int32_t>(row), 0, records.counts[row]);
    }
    return all;
}

}  // namespace

TEST(grid_losses_are_never_above_the_true_ones) {
    for (std::uint64_t seed = 1; seed <= (quick ? 40u : 200u); ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(random, 9, 4, 6, 1);
        const shoal::Grid grid(records, 10);
        for_each_class(records, 2, [&](const std::vector<std::int32_t>& counts) {
            const double mine = static_cast<double>(loss_on_grid(grid, counts)) * grid.unit;
            const double loss = true_loss(records, counts);
            CHECK(mine <= loss);
            CHECK(mine >= loss - 1e-9);
        });
    }
}

TEST(pricing_finds_the_least_cost_less_prices_of_every_leader) {
    std::uint64_t seed = 100;
    for (int table = 0; table < (quick ? 150 : 600); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(7);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records =
            harness::random_records(random, rows, 1 + random.below(4), most_codes,
                                    1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t k = 2 + random.below(2);
        const shoal::Grid grid(records, 2 * k);
        const shoal::NearRows near(records, grid);
        std::vector<shoal::Units> prices(rows);
        const double scale = random.unit();
        for (auto& price : prices) {
            price = static_cast<shoal::Units>(scale * random.unit() *
                                              static_cast<double>(grid.whole + 1));
            if (random.below(6) == 0) price = prices[0];
            if (random.below(9) == 0) price = -price;
        }
        std::vector<shoal::Units> least(rows, 0);
        for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            shoal::Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || prices[row] > prices[leader]) leader = row;
            }
            reduced += size * loss_on_grid(grid, counts);
            least[leader] = std::min(least[leader], reduced);
        });
        for (const std::int64_t effort :
             {std::int64_t{0}, std::int64_t{12}, std::int64_t{1} << 40}) {
            shoal::Pricing pricing(grid, near, {.k = k, .effort = effort});
            for (std::size_t row = 0; row < rows; ++row) {
                shoal::Columns found;
                const shoal::Units told = pricing.price(row, prices, found);
                // A search cut short tells a bound, never more than there is.
                CHECK(effort > 1000 ? told == least[row] : told <= least[row]);
                for (std::size_t c = 0; c < found.size(); ++c) {
                    std::vector<std::int32_t> counts(rows);
                    shoal::Units sum = 0;
                    for (const std::int32_t member : found.of(c)) {
                        ++counts[static_cast<std::size_t>(member)];
                        sum += prices[static_cast<std::size_t>(member)];
                    }
                    CHECK(counts[row] > 0);
                    const auto size = static_cast<std::int64_t>(found.of(c).size());
                    CHECK(size >= k && size < 2 * k);
                    for (std::size_t r = 0; r < rows; ++r) CHECK(counts[r] <= records.counts[r]);
                    CHECK(found.costs[c] >= size * loss_on_grid(grid, counts));
                    CHECK(found.costs[c] - sum >= least[row]);
                    CHECK(found.costs[c] < sum);
                }
            }
        }
    }
}

TEST(bounds_do_not_depend_on_threads_and_rise_with_rounds) {
    for (const std::uint32_t most_codes : {4u, 30u, 400u}) {
        harness::Random random(most_codes);
        const shoal::Records records =
            harness::random_records(random, quick ? 60 : 200, 4, most_codes, 3);
        for (const std::int64_t k : {std::int64_t{2}, std::int64_t{4}, records.total}) {
            double before = 0.0;
            for (const std::int64_t rounds : {0, 1, 6}) {
                std::vector<double> losses;
                for (const int threads : {1, 2, 5}) {
                    shoal::Control control;
                    const shoal::LowerBound found =
                        shoal::lower_bound(records, one_class(records),
                                           {k, records.total / 9, threads, rounds, -1.0}, control);
                    losses.push_back(found.loss);
                    CHECK(control.progress.load() == 1.0);
                    CHECK(found.rounds <= rounds);
                }
                CHECK(losses[0] == losses[1] && losses[0] == losses[2]);
                CHECK(losses[0] >= before && losses[0] <= records.weight_sum());
                before = losses[0];
            }
        }
    }
}

TEST(a_bound_can_be_cancelled_and_has_a_deadline) {
    harness::Random random(5);
    const shoal::Records records = harness::random_records(random, 300, 5, 30, 2);
    shoal::Control control;
    const shoal::LowerBound none =
        shoal::lower_bound(records, one_class(records), {3, 0, 1, -1, 0.0}, control);
    CHECK(none.loss == 0.0);
    control.cancel.store(true);
    bool cancelled = false;
    try {
        shoal::lower_bound(records, one_class(records), {3, 0, 2, -1, 60.0}, control);
    } catch (const shoal::Cancelled&) {
        cancelled = true;
    }
    CHECK(cancelled);
}
