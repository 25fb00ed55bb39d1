#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "bound_cases.hpp"
#include "exact/box_needs.hpp"
#include "exact/box_pricing.hpp"
#include "exact/least_box.hpp"
#include "harness.hpp"

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
        harness::for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || ranks[row] > ranks[leader]) leader = row;
            }
            reduced += size * harness::loss_on_grid(grid, counts);
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
                    CHECK(found.costs[c] >= size * harness::loss_on_grid(grid, counts));
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
        const std::vector<std::int32_t> values = harness::random_values(random, rows);
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
            if (harness::different_values(counts, values) < different) return;
            Units reduced = 0;
            std::int64_t size = 0;
            std::size_t leader = rows;
            for (std::size_t row = 0; row < rows; ++row) {
                if (counts[row] == 0) continue;
                reduced -= counts[row] * prices[row];
                size += counts[row];
                if (leader == rows || ranks[row] > ranks[leader]) leader = row;
            }
            reduced += size * harness::loss_on_grid(grid, counts);
            least[leader] = std::min(least[leader], reduced);
        };
        harness::for_each_class_up_to(records.total, records, k, check);
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
                    CHECK(harness::different_values(counts, values) >= different);
                    for (std::size_t r = 0; r < rows; ++r) CHECK(counts[r] <= records.counts[r]);
                    CHECK(found.costs[c] >= size * harness::loss_on_grid(grid, counts));
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
        const std::vector<std::int32_t> values = harness::random_values(random, rows);
        const shoal::bounding::Grid grid(records, records.total);
        const shoal::bounding::NearRows near(records, grid, shoal::Control());
        const Units everything = grid.whole + 1;
        std::vector<Units> least(rows, everything);
        harness::for_each_class_up_to(records.total, records, k,
                                      [&](const std::vector<std::int32_t>& counts) {
                                          if (harness::different_values(counts, values) < different)
                                              return;
                                          const Units loss = harness::loss_on_grid(grid, counts);
                                          for (std::size_t row = 0; row < rows; ++row) {
                                              if (counts[row] > 0)
                                                  least[row] = std::min(least[row], loss);
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
        harness::for_each_class(records, k, [&](const std::vector<std::int32_t>& counts) {
            const Units loss = harness::loss_on_grid(grid, counts);
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
