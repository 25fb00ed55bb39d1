#include <algorithm>
#include <array>
#include <numeric>

#include "harness.hpp"
#include "shoal/clustering/growth.hpp"
#include "shoal/clustering/mondrian.hpp"
#include "shoal/common/fold.hpp"

namespace {

bool same(const shoal::Partition& a, const shoal::Partition& b) {
    return a.row == b.row && a.klass == b.klass && a.count == b.count;
}

void cluster_every_way(const shoal::Records& records, std::int64_t k) {
    std::vector<std::int32_t> order(records.rows());
    std::iota(order.rbegin(), order.rend(), 0);
    for (const bool settle : {false, true}) {
        std::vector<shoal::Partition> first;
        for (const shoal::Path path : shoal::available_paths()) {
            const shoal::Growth growth{k, settle, path};
            shoal::Control control;
            std::vector<shoal::Partition> all;
            all.push_back(shoal::greedy(records, order, growth, control));
            all.push_back(shoal::k_member(records, order, 0, false, growth, control));
            all.push_back(shoal::k_member(records, order, order[0], true, growth, control));
            for (const shoal::Partition& partition : all) {
                harness::check_partition(records, partition, k);
            }
            CHECK(control.progress.load() == 1.0);
            if (first.empty()) first = all;
            for (std::size_t i = 0; i < all.size(); ++i) CHECK(same(all[i], first[i]));
        }
    }
    for (const bool strict : {true, false}) {
        shoal::Control control;
        const shoal::Partition one = shoal::mondrian(records, {k, strict, 1}, control);
        harness::check_partition(records, one, k);
        CHECK(same(one, shoal::mondrian(records, {k, strict, 3}, control)));
    }
}

}  // namespace

TEST_CASE("every record is placed once") {
    std::uint64_t seed = 1000;
    for (const std::uint32_t most_codes : {1u, 3u, 60u, 200u, 3000u, 70000u}) {
        for (const std::size_t attributes : {1u, 4u, 9u}) {
            for (const std::size_t rows : {1u, 5u, 130u, 700u}) {
                if (harness::quick() && rows > 200) continue;
                harness::Random random(++seed);
                const shoal::Records records =
                    harness::random_records(random, rows, attributes, most_codes, 7);
                for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5},
                                             std::int64_t{50}, records.total}) {
                    if (k <= records.total) cluster_every_way(records, k);
                }
            }
        }
    }
}

TEST_CASE("one row of many records") {
    for (const std::int32_t copies : {10, 11, 19, 100000}) {
        shoal::Records records({copies});
        shoal::Attribute attribute;
        attribute.code_count = 1;
        attribute.weight = 1.0;
        attribute.codes = std::vector<std::uint8_t>{0};
        records.attributes.push_back(attribute);
        cluster_every_way(records, 10);
    }
}

TEST_CASE("threads do not change large results") {
    harness::Random random(5);
    const std::size_t rows = harness::quick() ? 80000 : 400000;
    const shoal::Records records = harness::random_records(random, rows, 5, 90, 3);
    for (const bool strict : {true, false}) {
        shoal::Control control;
        const shoal::Partition one = shoal::mondrian(records, {5, strict, 1}, control);
        harness::check_partition(records, one, 5);
        CHECK(same(one, shoal::mondrian(records, {5, strict, 4}, control)));
    }
}

TEST_CASE("a cancelled control stops every kernel") {
    harness::Random random(6);
    const shoal::Records records = harness::random_records(random, 50, 3, 20, 1);
    std::vector<std::int32_t> order(50);
    std::iota(order.begin(), order.end(), 0);
    shoal::Control control;
    control.cancel.store(true);
    const shoal::Growth growth{5, false, shoal::Path::scalar};
    int stopped = 0;
    const auto expect = [&](auto run) {
        try {
            run();
        } catch (const shoal::Cancelled&) {
            ++stopped;
        }
    };
    expect([&] { shoal::greedy(records, order, growth, control); });
    expect([&] { shoal::k_member(records, order, 0, false, growth, control); });
    expect([&] { shoal::mondrian(records, {5, true, 2}, control); });
    CHECK(stopped == 3);
}

TEST_CASE("folding keeps rows apart and in order") {
    for (const std::uint32_t code_count : {2u, 200u, 60000u, 0xFFFFFFFFu}) {
        harness::Random random(code_count);
        const std::size_t records = harness::quick() ? 20000 : 100000;
        std::vector<std::vector<std::uint32_t>> codes(4, std::vector<std::uint32_t>(records));
        for (auto& column : codes) {
            for (auto& code : column) code = random.below(3) * (code_count / 3);
        }
        for (std::size_t i = 0; i < records; i += 2) codes[0][i] = random.below(code_count);
        std::vector<shoal::Column> columns;
        for (const auto& column : codes) columns.push_back({column.data(), 4, code_count + 1ull});
        const shoal::Folded folded = shoal::fold(columns, records, shoal::Control());
        CHECK(std::is_sorted(folded.first.begin(), folded.first.end()));
        std::vector<std::array<std::uint32_t, 4>> distinct;
        for (const std::int32_t first : folded.first) {
            const auto at = static_cast<std::size_t>(first);
            distinct.push_back({codes[0][at], codes[1][at], codes[2][at], codes[3][at]});
        }
        for (std::size_t i = 0; i < records; ++i) {
            const auto& row = distinct[static_cast<std::size_t>(folded.row_of[i])];
            for (std::size_t j = 0; j < 4; ++j) CHECK(row[j] == codes[j][i]);
        }
        std::sort(distinct.begin(), distinct.end());
        CHECK(std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end());
    }
}
