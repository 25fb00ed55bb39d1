#include <algorithm>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "refine/refine_classes.hpp"
#include "refine_cases.hpp"

namespace {

using harness::all_rows;
using harness::make_objective;
using harness::near;

// Random entries come and go; every question is answered as by states built anew.
template <class Classes>
void compare_with_states(const shoal::Objective& objective, const typename Classes::Shared& shared,
                         harness::Random& random, int rounds) {
    const shoal::Records& records = objective.records();
    const std::vector<std::int32_t> rows = all_rows(records);
    Classes classes(shared, rows);
    classes.resize(1);
    std::vector<std::pair<std::int32_t, std::int32_t>> held;  // row, count
    const auto total_of = [&](const auto& entries) {
        shoal::ClassState state;
        for (const auto& [row, count] : entries) {
            state.add(objective, static_cast<std::size_t>(row), count);
        }
        return state.total(objective);
    };
    for (int i = 0; i < rounds; ++i) {
        const auto row =
            static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(records.rows())));
        const auto count = static_cast<std::int32_t>(1 + random.below(3));
        const auto found = std::find_if(held.begin(), held.end(),
                                        [&](const auto& each) { return each.first == row; });
        auto after = held;
        if (found == held.end()) after.emplace_back(row, count);
        const auto at = static_cast<std::size_t>(row);
        if (found == held.end()) {
            CHECK(near(classes.total_adding(0, at, count), total_of(after)));
        }
        if (!held.empty()) {
            const std::size_t which = random.below(static_cast<std::uint32_t>(held.size()));
            const auto [out, out_count] = held[which];
            auto without = held;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(which));
            CHECK(near(classes.total_removing(0, static_cast<std::size_t>(out), out_count, true),
                       total_of(without)));
            if (out_count > 1) {
                auto part = held;
                --part[which].second;
                CHECK(near(classes.total_removing(0, static_cast<std::size_t>(out), 1, false),
                           total_of(part)));
            }
            if (found == held.end()) {
                auto exchanged = without;
                exchanged.emplace_back(row, count);
                const auto gone = static_cast<std::size_t>(out);
                CHECK(near(classes.total_exchanging(0, gone, out_count, true, at, count),
                           total_of(exchanged)));
                if (out_count > 1) {
                    auto part = held;
                    --part[which].second;
                    part.emplace_back(row, count);
                    CHECK(near(classes.total_exchanging(0, gone, 1, false, at, count),
                               total_of(part)));
                }
            }
            if (random.below(2) == 0 || held.size() > 12) {
                std::vector<std::int32_t> left;
                for (const auto& each : without) left.push_back(each.first);
                classes.remove(0, static_cast<std::size_t>(out), out_count, true, left);
                held = without;
                CHECK(near(classes.total(0), total_of(held)));
                continue;
            }
        }
        if (found == held.end()) {
            classes.add(0, at, count, true);
            held.emplace_back(row, count);
        } else {
            classes.add(0, at, count, false);
            found->second += count;
        }
        CHECK(near(classes.total(0), total_of(held)));
    }
}

}  // namespace

TEST_CASE("changes of refined classes equal recomputed totals") {
    for (std::uint64_t seed = 0; seed < (harness::quick() ? 20u : 60u); ++seed) {
        harness::Random random(seed);
        const std::uint32_t domains[] = {3, 20, 100, 300, 2000};
        const shoal::Records records =
            harness::random_records(random, 40, 1 + random.below(8), domains[seed % 5], 3);
        const shoal::Objective gcp(records);
        compare_with_states<shoal::PlainClasses>(gcp, shoal::PlainColumns(gcp), random, 400);
        for (std::uint32_t which = 1; which < 4; ++which) {
            const shoal::Objective information = make_objective(records, which, random);
            compare_with_states<shoal::GeneralClasses>(information, information, random, 100);
        }
    }
}
