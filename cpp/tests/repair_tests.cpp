#include <cmath>

#include "harness.hpp"
#include "shoal/repair.hpp"

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
    }
    const shoal::Condition conditions[] = {shoal::Condition::distinct, shoal::Condition::frequency,
                                           shoal::Condition::entropy, shoal::Condition::recursive,
                                           shoal::Condition::equal_closeness};
    model.condition = conditions[seed % 5];
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

TEST(repair_makes_every_model_hold_and_keeps_k) {
    std::int64_t exchanged = 0, scattered = 0, united = 0;
    for (std::uint64_t seed = 0; seed < (quick ? 60u : 300u); ++seed) {
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
        CHECK(sound || !all.holds(models));
        exchanged += repaired.exchanged;
        scattered += repaired.scattered;
        united += repaired.united;
    }
    CHECK(exchanged > 0);
    CHECK(scattered > 0);
    CHECK(united > 0);
}

TEST(shortfall_is_nothing_exactly_where_models_hold) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        harness::Random random(seed);
        const shoal::Records records = harness::random_records(random, 60, 2, 6, 3);
        const shoal::Models models = make_models(records, seed, random);
        for (const auto& each : histograms_of(models, make_start(records, 2 + random.below(9)))) {
            CHECK((each.shortfall(models) == 0.0) == each.holds(models));
        }
    }
}

TEST(repair_honours_cancellation) {
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
