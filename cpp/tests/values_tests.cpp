#include <cmath>
#include <map>
#include <utility>

#include "harness.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/values.hpp"

namespace {

using Plain = std::map<std::uint32_t, std::int32_t>;

void check_same(const shoal::Values& values, const Plain& plain) {
    REQUIRE(values.distinct() == plain.size());
    CHECK(values.empty() == plain.empty());
    std::size_t at = 0;
    for (const auto& [code, count] : plain) {
        CHECK(values.held()[at].code == code);
        CHECK(values.held()[at].count == count);
        CHECK(values.count(code) == count);
        ++at;
    }
    if (plain.empty()) return;
    CHECK(values.low() == plain.begin()->first);
    CHECK(values.high() == plain.rbegin()->first);
    CHECK_FALSE(values.contains(plain.rbegin()->first + 1));
}

// Codes fewer and more than are searched one by one.
constexpr std::uint32_t domains[] = {2, 8, 9, 60};

}  // namespace

TEST_CASE("values are those of a plain map") {
    harness::Random random(5);
    for (const std::uint32_t codes : domains) {
        shoal::Values values;
        Plain plain;
        for (int step = 0; step < 400; ++step) {
            const std::uint32_t code = random.below(codes);
            const std::int32_t held = plain.contains(code) ? plain[code] : 0;
            // Grows for a while, shrinks for a while, so that both ends are met.
            if (held > 0 && random.below(10) < (step % 100 < 50 ? 3u : 8u)) {
                const auto count =
                    1 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(held)));
                CHECK(values.remove(code, count) == (count == held));
                if ((plain[code] -= count) == 0) plain.erase(code);
            } else {
                const auto count = 1 + static_cast<std::int32_t>(random.below(3));
                CHECK(values.add(code, count) == (held == 0));
                plain[code] += count;
            }
            check_same(values, plain);
        }
    }
}

TEST_CASE("values copied, moved, united and assigned are the same") {
    harness::Random random(6);
    for (int round = 0; round < 300; ++round) {
        shoal::Values made[2];
        Plain plain[2];
        for (int side = 0; side < 2; ++side) {
            const std::uint32_t codes = domains[random.below(4)];
            std::vector<shoal::Held> held(random.below(2 * codes));
            for (auto& each : held) {
                each = {random.below(codes), 1 + static_cast<std::int32_t>(random.below(4))};
                plain[side][each.code] += each.count;
            }
            made[side].assign(held);
            check_same(made[side], plain[side]);
        }
        shoal::Values copy = made[0];
        check_same(copy, plain[0]);
        shoal::Values united = copy;
        united.unite(made[1]);
        Plain both = plain[0];
        for (const auto& [code, count] : plain[1]) both[code] += count;
        check_same(united, both);

        const shoal::Values& itself = copy;
        copy = itself;
        check_same(copy, plain[0]);
        copy = made[1];
        check_same(copy, plain[1]);
        copy.add(1'000, 1);  // the copy alone
        check_same(made[1], plain[1]);
        copy = std::move(united);
        check_same(copy, both);
        const shoal::Values moved = std::move(copy);
        check_same(moved, both);
        made[0].clear();
        check_same(made[0], {});
    }
}

TEST_CASE("logarithms beyond the table are those of the library") {
    const shoal::Records records({SHOAL_LOGARITHMS, 1, SHOAL_LOGARITHMS / 2});
    const shoal::Objective objective(records, 1.0, {}, 0);
    CHECK(objective.log2(0) == 0.0);
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{SHOAL_LOGARITHMS} - 1,
                                     std::int64_t{SHOAL_LOGARITHMS}, records.total}) {
        CHECK(objective.log2(count) == std::log2(static_cast<double>(count)));
    }
}
