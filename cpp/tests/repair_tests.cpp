#include <algorithm>
#include <cmath>
#include <vector>

#include "common/class_members.hpp"
#include "harness.hpp"
#include "shoal/clustering/repair.hpp"
#include "shoal/common/class_state.hpp"

namespace {

shoal::Models make_models(const shoal::Records& records, std::uint64_t seed,
                          harness::Random& random) {
    shoal::Models models;
    models.rows = records.rows();
    shoal::Model model;
    model.code_count = 2 + random.below(4);
    std::vector<std::int64_t> counts(model.code_count);
    for (std::size_t row = 0; row < records.rows(); ++row) {
        model.codes.push_back(random.below(3) > 0 ? 0 : random.below(model.code_count));
        counts[model.codes.back()] += records.counts[row];
    }
    for (const std::int64_t count : counts) {
        model.share.push_back(static_cast<double>(count) / static_cast<double>(records.total));
        model.lowest.push_back(model.share.back() / 3);
        model.highest.push_back(model.share.back() * 3);
    }
    const shoal::Condition conditions[] = {
        shoal::Condition::distinct,        shoal::Condition::frequency,
        shoal::Condition::entropy,         shoal::Condition::recursive,
        shoal::Condition::equal_closeness, shoal::Condition::bounded_shares};
    model.condition = conditions[seed % 6];
    model.number = 2;
    model.ratio =
        model.condition == shoal::Condition::recursive ? shoal::Ratio{9, 1} : shoal::Ratio{11, 10};
    model.level = model.condition == shoal::Condition::entropy ? 1.2 : 0.3;
    models.all.push_back(model);
    if (seed % 3 == 0) {
        model.condition = shoal::Condition::ordered_closeness;
        model.level = 0.4;
        models.all.push_back(model);
    }
    return models;
}

// Rows in a row, k records a class, whatever they hold.
shoal::Partition make_start(const shoal::Records& records, std::int64_t k) {
    shoal::Partition partition;
    std::int32_t klass = 0;
    std::int64_t size = 0, left = records.total;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        partition.place(static_cast<std::int32_t>(row), klass, records.counts[row]);
        size += records.counts[row];
        left -= records.counts[row];
        if (size < k || left < k) continue;
        ++klass;
        size = 0;
    }
    return partition;
}

std::vector<shoal::ClassHistogram> histograms_of(const shoal::Models& models,
                                                 const shoal::Partition& partition) {
    std::vector<shoal::ClassHistogram> histograms;
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        const auto c = static_cast<std::size_t>(partition.klass[i]);
        if (histograms.size() <= c) histograms.resize(c + 1);
        histograms[c].add(models, static_cast<std::size_t>(partition.row[i]), partition.count[i]);
    }
    return histograms;
}

}  // namespace

TEST_CASE("repair makes every model hold and keeps k") {
    std::int64_t exchanged = 0, scattered = 0, united = 0;
    for (std::uint64_t seed = 0; seed < (harness::quick() ? 60u : 300u); ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(
            random, 30 + random.below(150), 1 + random.below(5), seed % 2 ? 6 : 40, 3);
        std::vector<std::uint32_t> secret(records.rows());
        for (auto& value : secret) value = random.below(3);
        const shoal::Objective objective =
            seed % 4 == 3 ? shoal::Objective(records, 0.5, secret, 3) : shoal::Objective(records);
        const shoal::Models models = make_models(records, seed, random);
        const std::int64_t k = 2 + random.below(6);
        const shoal::Partition start = make_start(records, k);
        std::int64_t broken = 0;
        for (const auto& each : histograms_of(models, start)) broken += !each.holds(models);
        shoal::ClassHistogram all;
        for (std::size_t row = 0; row < records.rows(); ++row) {
            all.add(models, row, records.counts[row]);
        }
        shoal::Control control;
        const shoal::Repaired repaired = shoal::repair(objective, models, start, control);
        CHECK(repaired.broken == broken);
        harness::check_partition(records, repaired.partition, k);
        bool sound = true;
        for (const auto& each : histograms_of(models, repaired.partition)) {
            sound = sound && each.holds(models);
        }
        CHECK(sound == repaired.sound);
        CHECK((sound || !all.holds(models)));
        exchanged += repaired.exchanged;
        scattered += repaired.scattered;
        united += repaired.united;
    }
    CHECK(exchanged > 0);
    CHECK(scattered > 0);
    CHECK(united > 0);
}

TEST_CASE("shortfall is nothing exactly where models hold") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(random, 60, 2, 6, 3);
        const shoal::Models models = make_models(records, seed, random);
        for (const auto& each : histograms_of(models, make_start(records, 2 + random.below(9)))) {
            CHECK((each.shortfall(models) == 0.0) == each.holds(models));
        }
    }
}

TEST_CASE("repair honours cancellation") {
    harness::Random random(3);
    const shoal::Records records = harness::random_records(random, 200, 3, 20, 1);
    const shoal::Objective objective(records);
    const shoal::Models models = make_models(records, 0, random);
    shoal::Control control;
    control.cancel.store(true);
    bool stopped = false;
    try {
        shoal::repair(objective, models, make_start(records, 2), control);
    } catch (const shoal::Cancelled&) {
        stopped = true;
    }
    CHECK(stopped);
}

// One class of many different rows that breaks a model, beside small ones that meet it: finding a
// member must not take a walk through all of them.
TEST_CASE("repair looks at each member of a large class a few times") {
    harness::Random random(4);
    for (const std::size_t small : {0u, 200u}) {
        constexpr std::size_t rows = 60'000;
        shoal::Records records(std::vector<std::int32_t>(rows, 1));
        shoal::Attribute attribute;
        attribute.kind = shoal::Kind::set;
        attribute.code_count = rows;
        attribute.step = 1.0 / rows;
        attribute.weight = 1.0;
        std::vector<std::uint32_t> codes(rows);
        for (std::uint32_t row = 0; row < rows; ++row) codes[row] = row;
        attribute.codes = codes;
        records.attributes.push_back(attribute);
        shoal::Models models;
        models.rows = rows;
        shoal::Model model;
        model.condition = shoal::Condition::frequency;
        model.ratio = {2, 1};
        model.code_count = 2;
        shoal::Partition start;
        for (std::size_t row = 0; row < rows; ++row) {
            const bool alone = row < 4 * small;
            model.codes.push_back(alone && row % 2 == 0 ? 1 : 0);
            start.place(static_cast<std::int32_t>(row),
                        static_cast<std::int32_t>(alone ? 1 + row / 4 : 0), 1);
        }
        models.all.push_back(model);
        const shoal::Objective objective(records);
        shoal::Control control;
        const shoal::Repaired repaired = shoal::repair(objective, models, start, control);
        CHECK_FALSE(repaired.sound);  // more than half the records are alike
        CHECK(repaired.looks > 0);
        CHECK(repaired.looks < static_cast<std::int64_t>(20 * rows));
    }
}

// A class without diversity that reaches over everything, beside sixteen diverse ones that share
// the range: every record of it is at home in one of those, however many they are.
TEST_CASE("the records of a large class scatter") {
    constexpr std::uint32_t homes = 16, each_home = 10, large = 70'000, span = 1'000;
    constexpr std::uint32_t rows = homes * each_home + large;
    shoal::Records records(std::vector<std::int32_t>(rows, 1));
    shoal::Attribute attribute;
    attribute.kind = shoal::Kind::interval;
    attribute.code_count = homes * span;
    attribute.weight = 1.0;
    for (std::uint32_t code = 0; code < homes * span; ++code) {
        attribute.positions.push_back(code / static_cast<double>(homes * span - 1));
    }
    std::vector<std::uint32_t> codes;
    shoal::Model model;
    model.number = 2;
    model.code_count = 2;
    shoal::Partition start;
    for (std::uint32_t row = 0; row < rows; ++row) {
        const bool at_home = row < homes * each_home;
        const std::uint32_t home = row / each_home, place = row % each_home;
        codes.push_back(at_home ? home * span + place * (span - 1) / (each_home - 1)
                                : row % (homes * span));
        model.codes.push_back(at_home ? place % 2 : 0);
        start.place(static_cast<std::int32_t>(row),
                    static_cast<std::int32_t>(at_home ? home : homes), 1);
    }
    attribute.codes = codes;
    records.attributes.push_back(attribute);
    shoal::Models models;
    models.rows = rows;
    models.all.push_back(model);
    const shoal::Objective objective(records);
    shoal::Control control;
    const shoal::Repaired repaired = shoal::repair(objective, models, start, control);
    CHECK(repaired.sound);
    CHECK(repaired.scattered == 1);
    CHECK(repaired.united == 0);
    harness::check_partition(records, repaired.partition, each_home);
}

// Members come and go as in a plain list; the index of large classes changes nothing.
TEST_CASE("members of a class are those of a plain list, in its order") {
    harness::Random random(8);
    for (const std::uint32_t most : {10u, 100u, 1000u}) {
        shoal::ClassMembers members;
        std::vector<shoal::Piece> expected;
        for (int i = 0; i < 4000; ++i) {
            const auto row = static_cast<std::int32_t>(random.below(most));
            const auto count = static_cast<std::int32_t>(1 + random.below(3));
            const auto found = std::find_if(expected.begin(), expected.end(),
                                            [&](const auto& each) { return each.row == row; });
            if (random.below(5) < 3) {
                members.add(row, count);
                if (found == expected.end()) {
                    expected.push_back({row, count});
                } else {
                    found->count += count;
                }
            } else if (found != expected.end()) {
                const std::int32_t taken = std::min(count, found->count);
                members.remove(row, taken);
                found->count -= taken;
                if (found->count == 0) expected.erase(found);
            }
            REQUIRE(members.size() == expected.size());
            if (i % 50 > 0) continue;
            const std::vector<shoal::Piece> listed = members.list();
            CHECK(std::equal(listed.begin(), listed.end(), expected.begin(), expected.end(),
                             [](const shoal::Piece& a, const shoal::Piece& b) {
                                 return a.row == b.row && a.count == b.count;
                             }));
        }
    }
}

TEST_CASE("a class assigned at once equals one that grew record by record") {
    harness::Random random(9);
    for (std::uint32_t round = 0; round < 60; ++round) {
        const shoal::Records records = harness::random_records(random, 40, 4, 30, 3);
        std::vector<std::uint32_t> secret(records.rows());
        for (auto& value : secret) value = random.below(3);
        const double shares[] = {1.0, 0.0, 0.3};
        const shoal::Objective objective =
            round % 4 == 0 ? shoal::Objective(records)
                           : shoal::Objective(records, shares[round % 4 - 1], secret, 3);
        const shoal::Models models = make_models(records, round, random);
        std::vector<shoal::Piece> pieces;
        shoal::ClassState grown, made;
        shoal::ClassHistogram counted, assigned;
        for (std::uint32_t i = random.below(60); i > 0; --i) {
            const auto row = static_cast<std::int32_t>(random.below(40));
            const auto count = static_cast<std::int32_t>(1 + random.below(3));
            pieces.push_back({row, count});
            grown.add(objective, static_cast<std::size_t>(row), count);
            counted.add(models, static_cast<std::size_t>(row), count);
        }
        made.add(objective, 0, 1);  // what was there before is gone
        made.assign(objective, pieces);
        assigned.assign(models, pieces);
        CHECK(made.size() == grown.size());
        CHECK(made.total(objective) == grown.total(objective));
        CHECK(assigned.size() == counted.size());
        CHECK(assigned.holds(models) == counted.holds(models));
        CHECK(assigned.shortfall(models) == counted.shortfall(models));
        for (std::size_t row = 0; row < 5; ++row) {
            CHECK(made.change_adding(objective, row, 2) == grown.change_adding(objective, row, 2));
        }
    }
}
