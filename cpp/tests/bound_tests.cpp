#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "exact/bound_pricing.hpp"
#include "exact/bound_value.hpp"
#include "exact/box_needs.hpp"
#include "exact/box_pricing.hpp"
#include "exact/least_box.hpp"
#include "harness.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/exact/bound.hpp"

namespace {

// Every class of k to `most` records, as counts of each row.
void for_each_class_up_to(std::int64_t most, const shoal::Records& records, std::int64_t k,
                          const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    std::vector<std::int32_t> counts(records.rows());
    const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t row,
                                                                      std::int64_t size) {
        if (size > most) return;
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

// Those that cannot be cut into smaller ones.
void for_each_class(const shoal::Records& records, std::int64_t k,
                    const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    for_each_class_up_to(2 * k - 1, records, k, visit);
}

std::int64_t different_values(const std::vector<std::int32_t>& counts,
                              const std::vector<std::int32_t>& values) {
    std::set<std::int32_t> held;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] > 0) held.insert(values[row]);
    }
    return static_cast<std::int64_t>(held.size());
}

std::vector<std::int32_t> random_values(harness::Random& random, std::size_t rows) {
    const std::uint32_t most = 2 + random.below(4);
    std::vector<std::int32_t> values;
    for (std::size_t row = 0; row < rows; ++row) {
        values.push_back(static_cast<std::int32_t>(random.below(most)));
    }
    return values;
}

shoal::bounding::Units loss_on_grid(const shoal::bounding::Grid& grid,
                                    const std::vector<std::int32_t>& counts) {
    shoal::bounding::Units loss = 0;
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
        for_each_class(records, 2, [&](const std::vector<std::int32_t>& counts) {
            const double mine = static_cast<double>(loss_on_grid(grid, counts)) * grid.unit;
            const double loss = true_loss(records, counts);
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
        for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            shoal::bounding::Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || prices[row] > prices[leader]) leader = row;
            }
            reduced += size * loss_on_grid(grid, counts) + charged.paid(counts);
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
                    CHECK(found.costs[c] >= size * loss_on_grid(grid, counts));
                    const shoal::bounding::Units cost = found.costs[c] + charged.paid(counts);
                    CHECK(cost - sum >= least[row]);
                    CHECK(cost < sum);
                }
            }
        }
    }
}

TEST_CASE("pricing by closures finds the least cost less prices of every leader") {
    using shoal::bounding::Units;
    std::uint64_t seed = 5000;
    for (int table = 0; table < (harness::quick() ? 200 : 800); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(7);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records =
            harness::random_records(random, rows, 1 + random.below(4), most_codes,
                                    1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t k = 2 + random.below(3);
        const shoal::bounding::Grid grid(records, 2 * k);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        // Prices after some were lowered, and the ranks by which classes are led.
        std::vector<Units> ranks(rows), prices(rows);
        const double scale = 1.5 * random.unit();
        for (std::size_t row = 0; row < rows; ++row) {
            ranks[row] =
                static_cast<Units>(scale * random.unit() * static_cast<double>(grid.whole + 1));
            if (random.below(6) == 0) ranks[row] = ranks[0];
            if (random.below(9) == 0) ranks[row] = -ranks[row];
            prices[row] = ranks[row];
            if (random.below(3) == 0) {
                prices[row] -= static_cast<Units>(random.unit() * static_cast<double>(grid.whole));
            }
        }
        std::vector<Units> least(rows, 0);
        for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || ranks[row] > ranks[leader]) leader = row;
            }
            reduced += size * loss_on_grid(grid, counts);
            least[leader] = std::min(least[leader], reduced);
        });
        for (const std::int64_t effort :
             {std::int64_t{0}, std::int64_t{12}, std::int64_t{1} << 40}) {
            shoal::bounding::BoxPricing pricing(grid, near, {.k = k, .effort = effort});
            for (std::size_t row = 0; row < rows; ++row) {
                shoal::bounding::PricedClasses found;
                const Units told = pricing.price(row, ranks, prices, found);
                CHECK(told <= least[row]);
                if (effort > 1000) CHECK(told == least[row]);
                for (std::size_t c = 0; c < found.size(); ++c) {
                    std::vector<std::int32_t> counts(rows);
                    Units sum = 0;
                    for (const std::int32_t member : found.of(c)) {
                        ++counts[static_cast<std::size_t>(member)];
                        sum += prices[static_cast<std::size_t>(member)];
                    }
                    CHECK(counts[row] > 0);
                    const auto size = static_cast<std::int64_t>(found.of(c).size());
                    CHECK((size >= k && size < 2 * k));
                    for (std::size_t r = 0; r < rows; ++r) CHECK(counts[r] <= records.counts[r]);
                    CHECK(found.costs[c] >= size * loss_on_grid(grid, counts));
                    CHECK(found.costs[c] < sum);
                }
            }
        }
    }
}

TEST_CASE("pricing by closures knows classes that need different values") {
    using shoal::bounding::Units;
    std::uint64_t seed = 7000;
    int found_any = 0, large = 0;
    for (int table = 0; table < (harness::quick() ? 200 : 800); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(6);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records =
            harness::random_records(random, rows, 1 + random.below(4), most_codes,
                                    1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t different = 2 + random.below(2);
        const std::int64_t k = different + random.below(2);
        const std::vector<std::int32_t> values = random_values(random, rows);
        const shoal::bounding::Grid grid(records, records.total);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        std::vector<Units> ranks(rows), prices(rows);
        const double scale = 1.5 * random.unit();
        for (std::size_t row = 0; row < rows; ++row) {
            const auto whole = static_cast<double>(grid.whole + 1);
            ranks[row] = static_cast<Units>(scale * random.unit() * whole);
            if (random.below(6) == 0) ranks[row] = ranks[0];
            if (random.below(4) == 0) ranks[row] = -2 * ranks[row];
            prices[row] = ranks[row];
            if (random.below(3) == 0) prices[row] -= static_cast<Units>(random.unit() * whole);
        }
        std::vector<Units> least(rows, 0);
        const auto check = [&](const std::vector<std::int32_t>& counts) {
            if (different_values(counts, values) < different) return;
            Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || ranks[row] > ranks[leader]) leader = row;
            }
            reduced += size * loss_on_grid(grid, counts);
            least[leader] = std::min(least[leader], reduced);
        };
        for_each_class_up_to(records.total, records, k, check);
        for (const std::int64_t effort :
             {std::int64_t{0}, std::int64_t{12}, std::int64_t{1} << 40}) {
            shoal::bounding::BoxPricing pricing(
                grid, near, {.k = k, .effort = effort, .required = {values, different}});
            for (std::size_t row = 0; row < rows; ++row) {
                shoal::bounding::PricedClasses found;
                const Units told = pricing.price(row, ranks, prices, found);
                CHECK(told <= least[row]);
                if (effort > 1000 && different == 2) CHECK(told == least[row]);
                for (std::size_t c = 0; c < found.size(); ++c) {
                    std::vector<std::int32_t> counts(rows);
                    Units sum = 0;
                    for (const std::int32_t member : found.of(c)) {
                        ++counts[static_cast<std::size_t>(member)];
                        sum += prices[static_cast<std::size_t>(member)];
                    }
                    const auto size = static_cast<std::int64_t>(found.of(c).size());
                    CHECK(counts[row] > 0);
                    CHECK(size >= k);
                    CHECK(different_values(counts, values) >= different);
                    for (std::size_t r = 0; r < rows; ++r) CHECK(counts[r] <= records.counts[r]);
                    CHECK(found.costs[c] >= size * loss_on_grid(grid, counts));
                    CHECK(found.costs[c] < sum);
                    ++found_any;
                    large += size >= 2 * k;
                }
            }
        }
    }
    CHECK(found_any > 100);
    CHECK(large > 10);
}

TEST_CASE("the least loss of a record knows the values that its classes need") {
    using shoal::bounding::Units;
    std::uint64_t seed = 8000;
    for (int table = 0; table < (harness::quick() ? 200 : 800); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(6);
        const shoal::Records records = harness::random_records(
            random, rows, 1 + random.below(4), 5, 1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t different = 2 + random.below(2), k = different + random.below(2);
        const std::vector<std::int32_t> values = random_values(random, rows);
        const shoal::bounding::Grid grid(records, records.total);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        const Units everything = grid.whole + 1;
        std::vector<Units> least(rows, everything);
        for_each_class_up_to(records.total, records, k,
                             [&](const std::vector<std::int32_t>& counts) {
                                 if (different_values(counts, values) < different) return;
                                 const Units loss = loss_on_grid(grid, counts);
                                 for (std::size_t row = 0; row < rows; ++row) {
                                     if (counts[row] > 0) least[row] = std::min(least[row], loss);
                                 }
                             });
        shoal::bounding::LeastBox boxes(grid, near, k, {values, different});
        for (std::size_t row = 0; row < rows; ++row) {
            CHECK(boxes.search(row, everything, std::int64_t{1} << 40).loss == least[row]);
            CHECK(boxes.search(row, everything, 20).loss <= least[row]);
        }
    }
}

TEST_CASE("values that records need take no more than they cost") {
    using shoal::bounding::Units;
    for (std::uint64_t seed = 1; seed <= (harness::quick() ? 300 : 1200); ++seed) {
        harness::Random random(seed);
        const std::size_t rows = 2 + random.below(6), width = 1 + random.below(4);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records = harness::random_records(random, rows, width, most_codes, 1);
        const Units times = 2 + random.below(5);
        const shoal::bounding::Grid grid(records, 2 * times);
        std::vector<shoal::bounding::Boxes::Near> near;
        for (std::size_t row = 1; row < rows; ++row) {
            near.push_back({grid.pair(0, row), static_cast<std::int32_t>(row), 1});
        }
        // A box around the first record, with some of the values that others need.
        shoal::bounding::Boxes boxes(grid);
        shoal::bounding::Box box = boxes.start(0, near);
        for (std::uint32_t i = random.below(4); i > 0; --i) {
            std::vector<std::pair<std::uint32_t, std::int64_t>> places;
            for (const auto& each : box.candidates) places.emplace_back(each.place, 1);
            const auto division = boxes.most_needed(box, places);
            if (division.weight == 0) break;
            box = boxes.divide(std::move(box), division, grid.whole + 1).with;
        }
        shoal::bounding::BoxNeeds needs(grid);
        needs.open(box, times);
        std::vector<Units> taken;
        for (std::size_t row = 0; row < rows; ++row) {
            const auto amount = static_cast<Units>(random.unit() * 2.0 *
                                                   static_cast<double>(times * (grid.whole + 1)));
            taken.push_back(amount - needs.rest(grid.codes(row), amount));
            CHECK((taken.back() >= 0 && taken.back() <= amount));
        }
        for (std::uint32_t joining = 0; joining < 1u << rows; ++joining) {
            Units sum = 0, loss = 0;
            for (std::size_t row = 0; row < rows; ++row) {
                if (joining >> row & 1) sum += taken[row];
            }
            for (std::size_t j = 0; j < width; ++j) {
                std::vector<std::uint32_t> codes{box.parts[j].low, box.parts[j].high};
                if (grid.attributes[j].kind == shoal::Kind::set) codes.clear();
                for (const auto& [attribute, code] : box.held) {
                    if (attribute == j) codes.push_back(code);
                }
                for (std::size_t row = 0; row < rows; ++row) {
                    if (joining >> row & 1) codes.push_back(grid.codes(row)[j]);
                }
                loss += grid.attributes[j].of(codes);
            }
            CHECK(sum <= times * (loss - box.loss));
        }
    }
}

TEST_CASE("the least loss of a record is that of the best of all its classes") {
    using shoal::bounding::Units;
    std::uint64_t seed = 900;
    for (int table = 0; table < (harness::quick() ? 300 : 1200); ++table) {
        harness::Random random(++seed);
        const std::size_t rows = 3 + random.below(7);
        const std::uint32_t most_codes = std::vector<std::uint32_t>{2, 5, 90}[random.below(3)];
        const shoal::Records records =
            harness::random_records(random, rows, 1 + random.below(4), most_codes,
                                    1 + static_cast<std::int32_t>(random.below(3)));
        const std::int64_t k = 2 + random.below(3);
        if (records.total < k) continue;
        const shoal::bounding::Grid grid(records, 2 * k);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        const Units everything = grid.whole + 1;
        std::vector<Units> least(rows, everything);
        for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            const Units loss = loss_on_grid(grid, counts);
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] > 0) least[row] = std::min(least[row], loss);
            }
        });
        shoal::bounding::LeastBox boxes(grid, near, k);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto found = boxes.search(row, everything, std::int64_t{1} << 40);
            CHECK(found.whole);
            CHECK(found.loss == least[row]);
            Units before = 0;
            for (const std::int64_t effort : {0, 3, 10, 40, 160}) {  // cut short, it proves less
                const Units proved = boxes.search(row, everything, effort).loss;
                CHECK((proved >= before && proved <= least[row]));
                before = proved;
            }
            const Units ceiling =
                1 + static_cast<Units>(random.unit() * 1.2 * static_cast<double>(least[row]));
            const auto below = boxes.search(row, ceiling, std::int64_t{1} << 40);
            CHECK((below.whole && below.loss == std::min(ceiling, least[row])));
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
        for_each_class(records, 3, [&](const std::vector<std::int32_t>& counts) {
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
                        shoal::lower_bound(records, one_class(records),
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
