#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness.hpp"
#include "refine/refine_classes.hpp"
#include "refine/refine_search.hpp"
#include "scan/cells.hpp"
#include "shoal/clustering/cluster.hpp"
#include "shoal/refine/refine.hpp"
#include "shoal/scan/neighbours.hpp"

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a)); }

std::vector<std::int32_t> all_rows(const shoal::Records& records) {
    std::vector<std::int32_t> rows(records.rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

// gcp, MI, PMI and a mixture of both.
shoal::Objective make_objective(const shoal::Records& records, std::uint32_t which,
                                harness::Random& random) {
    if (which == 0) return shoal::Objective(records);
    const double shares[] = {1.0, 0.0, 0.3};
    std::vector<std::uint32_t> secret(records.rows());
    for (auto& value : secret) value = random.below(3);
    return shoal::Objective(records, shares[which - 1], secret, 3);
}

shoal::Models make_models(const shoal::Records& records, harness::Random& random) {
    shoal::Models models;
    models.rows = records.rows();
    shoal::Model model;
    model.condition = shoal::Condition::distinct;
    model.number = 2;
    model.code_count = 4;
    for (std::size_t i = 0; i < records.rows(); ++i) model.codes.push_back(random.below(4));
    models.all.push_back(model);
    model.condition = shoal::Condition::entropy;
    model.level = 1.4;
    models.all.push_back(model);
    return models;
}

// A start that surely holds: consecutive rows until k records and every model are met.
shoal::Partition make_start(const shoal::Records& records, const shoal::Models& models,
                            std::int64_t k) {
    shoal::Partition partition;
    std::int32_t klass = 0;
    shoal::ClassHistogram histogram;
    std::size_t begin = 0;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        partition.place(static_cast<std::int32_t>(row), klass, records.counts[row]);
        histogram.add(models, row, records.counts[row]);
        if (histogram.size() < k || !histogram.holds(models)) continue;
        histogram.clear();
        begin = row + 1;
        ++klass;
    }
    // What is left over joins the first class, if that still holds then.
    for (std::size_t i = begin; i < records.rows(); ++i) partition.klass[i] = 0;
    return partition;
}

double recomputed(const shoal::Objective& objective, const shoal::Partition& partition) {
    std::int32_t classes = 0;
    for (const std::int32_t c : partition.klass) classes = std::max(classes, c + 1);
    std::vector<shoal::ClassState> states(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        states[static_cast<std::size_t>(partition.klass[i])].add(
            objective, static_cast<std::size_t>(partition.row[i]), partition.count[i]);
    }
    double sum = 0.0;
    for (const auto& state : states) sum += state.total(objective);
    return sum;
}

bool all_hold(const shoal::Models& models, const shoal::Partition& partition) {
    std::vector<shoal::ClassHistogram> histograms;
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        const auto klass = static_cast<std::size_t>(partition.klass[i]);
        if (histograms.size() <= klass) histograms.resize(klass + 1);
        histograms[klass].add(models, static_cast<std::size_t>(partition.row[i]),
                              partition.count[i]);
    }
    return std::all_of(histograms.begin(), histograms.end(),
                       [&](const auto& each) { return each.holds(models); });
}

bool same(const shoal::Partition& a, const shoal::Partition& b) {
    return a.row == b.row && a.klass == b.klass && a.count == b.count;
}

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

TEST_CASE("refinement keeps k and models and is never worse") {
    for (std::uint64_t seed = 0; seed < (harness::quick() ? 24u : 80u); ++seed) {
        harness::Random random(seed);
        const std::uint32_t domains[] = {4, 30, 1000};
        const shoal::Records records = harness::random_records(
            random, 60 + random.below(200), 1 + random.below(5), domains[seed % 3], 4);
        const shoal::Objective objective =
            make_objective(records, static_cast<std::uint32_t>(seed % 4), random);
        shoal::Models models = make_models(records, random);
        if (seed % 5 < 2) models.all.clear();
        shoal::Refinement refinement;
        refinement.k = 2 + random.below(6);
        refinement.seed = seed;
        refinement.steps = 40'000;
        refinement.neighbours = 8;
        refinement.region = 64;
        refinement.heat = seed % 7 == 0 ? 0.0 : 1.0 + random.below(8);
        const shoal::Partition start = make_start(records, models, refinement.k);
        if (!all_hold(models, start)) continue;
        shoal::Control control;
        const shoal::Refined refined = shoal::refine(objective, models, start, refinement, control);
        harness::check_partition(records, refined.partition, refinement.k);
        CHECK(all_hold(models, refined.partition));
        CHECK(near(refined.start, recomputed(objective, start)));
        CHECK(near(refined.total, recomputed(objective, refined.partition)));
        CHECK(refined.total <= refined.start);
        CHECK(refined.steps <= refinement.steps + refinement.steps / 4);
        refinement.threads = 3;
        CHECK(same(refined.partition,
                   shoal::refine(objective, models, start, refinement, control).partition));
    }
}

TEST_CASE("refinement improves a poor start") {
    harness::Random random(5);
    const shoal::Records records = harness::random_records(random, 400, 4, 20, 1);
    const shoal::Objective objective(records);
    shoal::Models models;
    models.rows = records.rows();
    shoal::Refinement refinement;
    refinement.k = 4;
    refinement.steps = 400'000;
    shoal::Control control;
    const shoal::Refined refined =
        shoal::refine(objective, models, make_start(records, models, 4), refinement, control);
    const shoal::Partition grown =
        shoal::greedy(records, all_rows(records), {4, true, shoal::Path::scalar}, control);
    CHECK(refined.total < recomputed(objective, grown));
}

// Sixty equal records of one protected value, and twenty of another, all different: a class of all
// can only be cut if the equal ones are divided in proportion.
TEST_CASE("refinement divides equal records where a model needs it") {
    std::vector<std::int32_t> counts(21, 1);
    counts[0] = 60;
    shoal::Records records(counts);
    records.attributes.resize(1);
    shoal::Attribute& attribute = records.attributes[0];
    attribute.kind = shoal::Kind::interval;
    attribute.weight = 1.0;
    attribute.code_count = 21;
    std::vector<std::uint8_t> codes;
    shoal::Model model;
    model.condition = shoal::Condition::frequency;
    model.ratio = {4, 3};
    model.code_count = 2;
    shoal::Partition start;
    for (std::int32_t row = 0; row < 21; ++row) {
        codes.push_back(static_cast<std::uint8_t>(row));
        attribute.positions.push_back(row / 20.0);
        model.codes.push_back(row > 0);
        start.place(row, 0, counts[static_cast<std::size_t>(row)]);
    }
    attribute.codes = codes;
    const shoal::Models models{{model}, 21};
    const shoal::Objective objective(records);
    shoal::Refinement refinement;
    refinement.k = 4;
    refinement.steps = 100'000;
    shoal::Control control;
    const shoal::Refined refined = shoal::refine(objective, models, start, refinement, control);
    harness::check_partition(records, refined.partition, refinement.k);
    CHECK(all_hold(models, refined.partition));
    // Three of the many with each of the few: the mean of 1/20 .. 20/20.
    CHECK(near(refined.start, 80.0));
    CHECK(refined.total < 43.0);
}

TEST_CASE("kinds of proposals get less only if they gain little") {
    const shoal::Mixture usual = shoal::mix_by_gain({});
    CHECK(near(std::accumulate(usual.begin(), usual.end(), 0.0), 1.0));
    shoal::ProposalTally tally;
    tally.steps.fill(100.0);
    tally.gained.fill(10.0);
    CHECK(shoal::mix_by_gain(tally) == usual);
    tally.gained[1] = 0.0;  // nothing at all
    tally.steps[3] = 1e4;   // as much, for a hundred times the work
    const shoal::Mixture mixture = shoal::mix_by_gain(tally);
    CHECK(near(mixture[1], usual[1] / 8));
    CHECK(mixture[2] == usual[2]);
    CHECK((mixture[3] > usual[3] / 8 && mixture[3] < usual[3]));
    CHECK(mixture[4] == usual[4]);
    CHECK(near(std::accumulate(mixture.begin(), mixture.end(), 0.0), 1.0));
}

// Twelve classes of exactly k records; each shows its own value, and because of eight records that
// of the next class. One of them alone cannot leave with a gain; moves, exchanges and cuts alone
// end at more than .49 a record.
TEST_CASE("records that hold a value leave a class together") {
    constexpr std::uint32_t classes = 12, size = 100, strangers = 8;
    shoal::Records records(std::vector<std::int32_t>(classes * size, 1));
    std::vector<std::uint8_t> own, other;
    shoal::Partition start;
    for (std::uint32_t row = 0; row < classes * size; ++row) {
        const std::uint32_t c = row / size;
        own.push_back(static_cast<std::uint8_t>((c + (row % size < strangers)) % classes));
        other.push_back(static_cast<std::uint8_t>(row * 2654435761u >> 16) % classes);
        start.place(static_cast<std::int32_t>(row), static_cast<std::int32_t>(c), 1);
    }
    for (const std::vector<std::uint8_t>& codes : {own, other}) {
        shoal::Attribute& attribute = records.attributes.emplace_back();
        attribute.codes = codes;
        attribute.code_count = classes;
        attribute.step = 1.0 / (classes - 1);
        attribute.weight = 0.5;
    }
    const shoal::Objective objective(records);
    shoal::Refinement refinement;
    refinement.k = size;
    refinement.steps = 100'000;
    shoal::Control control;
    const shoal::Refined refined = shoal::refine(objective, {}, start, refinement, control);
    harness::check_partition(records, refined.partition, refinement.k);
    CHECK(refined.start > 0.54 * classes * size);
    CHECK(refined.total < 0.45 * classes * size);
}

TEST_CASE("threads that search together keep every record, k and the models") {
    for (std::uint32_t which = 0; which < 4; ++which) {
        harness::Random random(70 + which);
        // Several records a row, so that rows lie in classes of different threads.
        const shoal::Records records = harness::random_records(random, 900, 4, 40, 5);
        const shoal::Objective objective = make_objective(records, which, random);
        shoal::Models models;
        models.rows = records.rows();
        if (which % 2 == 1) models = make_models(records, random);
        shoal::Refinement refinement;
        refinement.k = 4;
        for (const int threads : {2, 5}) {
            refinement.threads = threads;
            shoal::Control control;
            shoal::Refined refined;
            // A busy machine may need longer until there is a step at all.
            for (refinement.seconds = 0.1; refined.steps == 0 && refinement.seconds < 100;
                 refinement.seconds *= 4) {
                refined = shoal::refine(objective, models, make_start(records, models, 4),
                                        refinement, control);
            }
            harness::check_partition(records, refined.partition, 4);
            CHECK(all_hold(models, refined.partition));
            CHECK(refined.steps > 0);
            CHECK(refined.total <= refined.start);
            CHECK(near(refined.total, recomputed(objective, refined.partition)));
        }
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

TEST_CASE("refinement honours cancellation") {
    harness::Random random(6);
    const shoal::Records records = harness::random_records(random, 200, 3, 20, 1);
    const shoal::Objective objective(records);
    shoal::Models models;
    models.rows = records.rows();
    shoal::Refinement refinement;
    shoal::Control control;
    control.cancel.store(true);
    bool stopped = false;
    try {
        shoal::refine(objective, models, make_start(records, models, 2), refinement, control);
    } catch (const shoal::Cancelled&) {
        stopped = true;
    }
    CHECK(stopped);
}

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

TEST_CASE("a class of no record in the start is none") {
    harness::Random random(21);
    const shoal::Records records = harness::random_records(random, 40, 3, 9, 1);
    const shoal::Objective objective(records);
    const shoal::Models models{{}, records.rows()};
    shoal::Partition start;
    for (std::int32_t row = 0; row < 40; ++row) start.place(row, 3 * (row / 4) + 1, 1);
    start.place(0, 2, 0);
    start.place(7, 99, 0);
    shoal::Refinement refinement;
    refinement.k = 4;
    refinement.steps = 20'000;
    shoal::Control control;
    const shoal::Refined refined = shoal::refine(objective, models, start, refinement, control);
    harness::check_partition(records, refined.partition, 4);
    CHECK(refined.total <= refined.start);
}
