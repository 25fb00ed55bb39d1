#include <algorithm>
#include <numeric>

#include "harness.hpp"
#include "scan/block_scores.hpp"
#include "shoal/scan/scan.hpp"

namespace {

std::vector<std::int32_t> all_rows(const shoal::Records& records) {
    std::vector<std::int32_t> rows(records.rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

// The position a plain scan over closures finds, without any table.
std::int32_t plain_scan(const shoal::Records& records, const shoal::Alive& alive,
                        const shoal::Closure& closure, bool furthest, double& best) {
    std::int32_t winner = -1;
    for (std::size_t position = 0; position < records.rows(); ++position) {
        if (alive.index_of(static_cast<std::int32_t>(position)) < 0) continue;
        const double score = closure.loss_adding(records, position);
        if (winner < 0 || (furthest ? score > best : score < best)) {
            winner = static_cast<std::int32_t>(position);
            best = score;
        }
    }
    return winner;
}

void compare_paths(std::uint64_t seed, std::size_t rows, std::size_t attributes,
                   std::uint32_t most_codes) {
    harness::Random random(seed);
    const shoal::Records records = harness::random_records(random, rows, attributes, most_codes, 1);
    const shoal::Layout layout(records);
    for (const auto aim : {shoal::Query::Aim::nearest, shoal::Query::Aim::furthest}) {
        shoal::Alive alive(records, layout, all_rows(records));
        shoal::Query query(records, layout, aim);
        query.open(0);
        alive.remove(0);
        while (alive.size() > 0) {
            double best = 0.0;
            const std::int32_t winner = plain_scan(records, alive, query.closure(),
                                                   aim == shoal::Query::Aim::furthest, best);
            for (const shoal::Path path : shoal::available_paths()) {
                shoal::Scanner scanner(path);
                const shoal::Found& found = scanner.scan(alive, query);
                CHECK(found.score == best);
                CHECK(alive.position(found.indices[0]) == winner);
                for (const std::uint32_t index : found.indices) {
                    const auto row = static_cast<std::size_t>(alive.position(index));
                    CHECK(query.closure().loss_adding(records, row) == best);
                }
            }
            query.add(static_cast<std::size_t>(winner));
            // Several at once, so that the end of the arrays is met in every phase of a block.
            for (std::size_t i = 0; i < rows / 13 + 1 && alive.size() > 0; ++i) {
                alive.remove(random.below(static_cast<std::uint32_t>(alive.size())));
            }
        }
    }
}

}  // namespace

TEST_CASE("paths agree with a plain scan") {
    const std::uint32_t domains[] = {1, 2, 16, 17, 64, 65, 128, 129, 256, 257, 5000, 70000};
    std::uint64_t seed = 1;
    for (const std::uint32_t most_codes : domains) {
        for (const std::size_t attributes : {1u, 3u, 8u, 9u, 20u}) {
            for (const std::size_t rows : {1u, 2u, 64u, 129u, 500u}) {
                if (harness::quick() && rows == 500 && attributes > 3) continue;
                compare_paths(seed++, rows, attributes, most_codes);
            }
        }
    }
}

TEST_CASE("sums of quanta do not overflow") {
    // The worst case for the planes: every attribute at its full loss, all weight in one group.
    for (const std::size_t attributes : {1u, 7u, 8u, 9u, 16u, 30u}) {
        std::vector<std::int32_t> counts(200, 1);
        shoal::Records records(counts);
        for (std::size_t j = 0; j < attributes; ++j) {
            shoal::Attribute attribute;
            attribute.kind = shoal::Kind::all_or_nothing;
            attribute.code_count = 2;
            attribute.weight = j < 8 ? 1.0 / 8.0 : 1e-3;
            std::vector<std::uint8_t> codes(200, 1);
            codes[0] = 0;
            if (j == 0) codes[150] = 0;  // better than all others by one attribute
            attribute.codes = codes;
            records.attributes.push_back(attribute);
        }
        const shoal::Layout layout(records);
        shoal::Alive alive(records, layout, all_rows(records));
        shoal::Query query(records, layout, shoal::Query::Aim::nearest);
        query.open(0);
        alive.remove(0);
        for (const shoal::Path path : shoal::available_paths()) {
            shoal::Scanner scanner(path);
            CHECK(alive.position(scanner.scan(alive, query).indices[0]) == 150);
        }
    }
}

TEST_CASE("removed records are not found again") {
    harness::Random random(77);
    const shoal::Records records = harness::random_records(random, 300, 4, 50, 1);
    const shoal::Layout layout(records);
    shoal::Alive alive(records, layout, all_rows(records));
    shoal::Query query(records, layout, shoal::Query::Aim::nearest);
    query.open(0);
    std::vector<char> seen(records.rows());
    shoal::Scanner scanner(shoal::available_paths().front());
    while (alive.size() > 0) {
        const std::uint32_t index = scanner.scan(alive, query).indices[0];
        const auto position = static_cast<std::size_t>(alive.position(index));
        CHECK(!seen[position]);
        seen[position] = 1;
        alive.remove(index);
        CHECK(alive.index_of(static_cast<std::int32_t>(position)) == -1);
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 300);
}

TEST_CASE("value sets hold what was inserted") {
    for (const std::uint32_t code_count : {5u, 64u, 128u, 129u, 27000u}) {
        harness::Random random(code_count);
        shoal::ValueSet set;
        std::vector<char> expected(code_count);
        for (int i = 0; i < 60; ++i) {
            const std::uint32_t code = random.below(code_count);
            CHECK(set.insert(code, code_count) == !expected[code]);
            expected[code] = 1;
        }
        std::uint32_t visited = 0;
        set.for_each([&](std::uint32_t code) {
            CHECK(expected[code]);
            ++visited;
        });
        CHECK(visited == set.count());
        for (std::uint32_t code = 0; code < code_count; ++code) {
            CHECK(set.contains(code, code_count) == static_cast<bool>(expected[code]));
        }
    }
}

// A processor may have some parts of AVX-512 and lack others.
TEST_CASE("a path is taken only if the processor has all that it is compiled for") {
    using Sets = shoal::InstructionSets;
    const Sets all{true, true, true, true, true, true};
    const auto best = [](const Sets& sets) { return shoal::paths_with(sets).front(); };
    CHECK(best(all) == shoal::Path::avx512);
    for (bool Sets::* part :
         {&Sets::avx512f, &Sets::avx512bw, &Sets::avx512vl, &Sets::avx512dq, &Sets::avx512vbmi}) {
        Sets without = all;
        without.*part = false;
        CHECK(best(without) == shoal::Path::avx2);
    }
    const std::vector<shoal::Path> least = shoal::paths_with({});
    CHECK(least.back() == shoal::Path::scalar);
    CHECK(std::find(least.begin(), least.end(), shoal::Path::avx2) == least.end());
}
