#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "refine_cases.hpp"
#include "scan/cells.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/scan/neighbours.hpp"

namespace {

using harness::all_rows;

}  // namespace

TEST_CASE("neighbour lists are the nearest rows on every path") {
    for (std::uint64_t seed = 0; seed < (harness::quick() ? 12u : 40u); ++seed) {
        harness::Random random(seed);
        const std::uint32_t domains[] = {5, 70, 200, 3000};
        const shoal::Records records = harness::random_records(
            random, 2 + random.below(400), 1 + random.below(20), domains[seed % 4], 1);
        const double rounding =
            static_cast<double>(records.attributes.size()) * 2.0 / shoal::Layout(records).scale;
        shoal::Control control;
        shoal::NeighbourSearch nearest;
        nearest.width = 9;
        shoal::BulkVector<std::int32_t> first;
        for (const shoal::Path path : shoal::available_paths()) {
            shoal::Random draws(1);
            nearest.path = path;
            const shoal::Neighbours found =
                shoal::find_neighbours(records, nearest, draws, control);
            if (first.empty()) first = found.rows;
            CHECK(found.rows == first);
            for (std::size_t row = 0; row < records.rows(); row += 7) {
                shoal::Closure closure;
                closure.open(records, row);
                std::vector<double> all, listed;
                for (std::size_t other = 0; other < records.rows(); ++other) {
                    if (other != row) all.push_back(closure.loss_adding(records, other));
                }
                std::sort(all.begin(), all.end());
                for (const std::int32_t other : found.of(row)) {
                    CHECK((other >= 0 && static_cast<std::size_t>(other) != row));
                    listed.push_back(closure.loss_adding(records, static_cast<std::size_t>(other)));
                }
                for (std::size_t i = 0; i < listed.size(); ++i) {
                    CHECK(listed[i] <= all[i] + rounding);
                }
            }
        }
    }
}

TEST_CASE("neighbour lists by cells name distinct rows") {
    harness::Random random(3);
    const shoal::Records records = harness::random_records(random, 3000, 5, 30, 1);
    shoal::NeighbourSearch nearest;
    nearest.width = 16;
    nearest.all_pairs = 100;
    nearest.cell = 200;
    shoal::Control control;
    shoal::Random one(1), three(1);
    const shoal::Neighbours found = shoal::find_neighbours(records, nearest, one, control);
    nearest.threads = 3;
    CHECK(found.rows == shoal::find_neighbours(records, nearest, three, control).rows);
    for (std::size_t row = 0; row < records.rows(); ++row) {
        std::vector<std::int32_t> list(found.of(row).begin(), found.of(row).end());
        CHECK(std::find(list.begin(), list.end(), static_cast<std::int32_t>(row)) == list.end());
        std::sort(list.begin(), list.end());
        CHECK(list.front() >= 0);
        CHECK(std::adjacent_find(list.begin(), list.end()) == list.end());
    }
}

TEST_CASE("parts of a table are as many as asked for, and about as large") {
    harness::Random random(4);
    const shoal::Records records = harness::random_records(random, 1000, 4, 30, 1);
    const std::vector<std::int64_t> ones(records.rows(), 1);
    for (const std::size_t parts : {1u, 2u, 3u, 7u}) {
        shoal::Random draws(5);
        const shoal::Control control;
        const shoal::Cells cells =
            shoal::divide_into_parts(records, all_rows(records), ones, parts, draws, control);
        REQUIRE(cells.size() == parts);
        std::vector<std::int32_t> items = cells.items;
        std::sort(items.begin(), items.end());
        CHECK(items == all_rows(records));
        for (std::size_t part = 0; part < parts; ++part) {
            CHECK(cells.of(part).size() + parts >= records.rows() / parts);
            CHECK(cells.of(part).size() <= records.rows() / parts + parts);
        }
    }
}

TEST_CASE("a wish for the best so far does not end the division of a search's work") {
    harness::Random random(8);
    const shoal::Records records = harness::random_records(random, 40'000, 3, 30, 1);
    const std::vector<std::int64_t> ones(records.rows(), 1);
    shoal::Random draws(5);
    shoal::Control control;
    control.stop.store(true);
    const auto divide = [&] {
        return shoal::divide_into_parts(records, all_rows(records), ones, 3, draws, control);
    };
    CHECK(divide().size() == 3);
    control.cancel.store(true);
    CHECK_THROWS_AS(divide(), shoal::Cancelled);
}
