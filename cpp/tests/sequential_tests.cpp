#include <algorithm>
#include <cmath>

#include "common/admission.hpp"
#include "harness.hpp"
#include "scan/changed_classes.hpp"
#include "scan/class_columns.hpp"
#include "shoal/clustering/sequential.hpp"

namespace {

std::vector<std::uint32_t> random_codes(harness::Random& random, std::size_t rows,
                                        std::uint32_t codes) {
    std::vector<std::uint32_t> made(rows);
    for (auto& code : made) code = random.below(codes);
    return made;
}

std::vector<shoal::Objective> objectives(const shoal::Records& records, harness::Random& random) {
    std::vector<shoal::Objective> made;
    made.emplace_back(records);
    for (const double w : {1.0, 0.0, 0.3}) {
        made.emplace_back(records, w, random_codes(random, records.rows(), 3), 3);
    }
    return made;
}

double total_of(const shoal::Objective& objective, const std::vector<std::size_t>& rows) {
    shoal::ClassState state;
    for (const std::size_t row : rows) state.add(objective, row, 1);
    return rows.empty() ? 0.0 : state.total(objective);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a)); }

bool same(const shoal::Partition& a, const shoal::Partition& b) {
    return a.row == b.row && a.klass == b.klass && a.count == b.count;
}

// Kernels may leave gaps in the numbers of classes; the check wants none.
shoal::Partition numbered(shoal::Partition partition) {
    std::vector<std::int32_t> number;
    std::int32_t next = 0;
    for (auto& c : partition.klass) {
        const auto at = static_cast<std::size_t>(c);
        if (at >= number.size()) number.resize(at + 1, -1);
        if (number[at] < 0) number[at] = next++;
        c = number[at];
    }
    return partition;
}

}  // namespace

TEST_CASE("changes of a class are differences of totals") {
    harness::Random random(11);
    for (int round = 0; round < (harness::quick() ? 20 : 200); ++round) {
        const shoal::Records records =
            harness::random_records(random, 12, 4, round % 2 ? 6 : 400, 3);
        for (const shoal::Objective& objective : objectives(records, random)) {
            shoal::ClassState state;
            std::vector<std::size_t> rows;
            for (int step = 0; step < 20; ++step) {
                const double before = total_of(objective, rows);
                if (rows.size() > 1 && random.below(3) == 0) {
                    const std::size_t at = random.below(static_cast<std::uint32_t>(rows.size()));
                    const std::size_t row = rows[at];
                    const double change = state.change_removing(objective, row, 1);
                    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
                    state.remove(objective, row, 1);
                    CHECK(near(change, total_of(objective, rows) - before));
                } else {
                    const std::size_t row = random.below(12);
                    const double change = state.change_adding(objective, row, 1);
                    rows.push_back(row);
                    state.add(objective, row, 1);
                    CHECK(near(change, total_of(objective, rows) - before));
                }
                CHECK(near(state.total(objective), total_of(objective, rows)));
            }
        }
    }
}

TEST_CASE("scans of class columns say what classes say") {
    harness::Random random(12);
    for (int round = 0; round < (harness::quick() ? 10 : 60); ++round) {
        const shoal::Records records =
            harness::random_records(random, 60, 5, round % 2 ? 9 : 600, 1);
        for (const shoal::Objective& objective : objectives(records, random)) {
            std::vector<shoal::ClassState> states(70);
            shoal::ClassColumns class_columns(objective);
            class_columns.resize(states.size());
            for (int step = 0; step < 300; ++step) {
                const std::size_t c = random.below(70);
                states[c].add(objective, random.below(60), 1);
                if (random.below(20) == 0) states[c].clear();
                class_columns.set(c, states[c]);
            }
            const std::size_t row = random.below(60);
            const auto change = class_columns.scan(row, states);
            for (std::size_t c = 0; c < states.size(); ++c) {
                if (states[c].size() == 0) {
                    CHECK(std::isinf(change[c]));
                    continue;
                }
                const double exact =
                    states[c].change_adding(objective, row, 1) - objective.constant(row);
                CHECK(std::abs(change[c] - exact) < 1e-3);
            }
            if (states[0].size() == 0) states[0].add(objective, row, 1);
            class_columns.set(0, states[0]);
            const auto united = class_columns.scan(states[0], states);
            for (std::size_t c = 0; c < states.size(); ++c) {
                if (states[c].size() == 0) continue;
                const double exact = states[0].total_united(objective, states[c]) -
                                     states[0].total(objective) - states[c].total(objective);
                CHECK(std::abs(united[c] - exact) < 1e-3);
            }
        }
    }
}

TEST_CASE("sequential makes partitions whatever the threads") {
    harness::Random random(13);
    for (int round = 0; round < (harness::quick() ? 8 : 40); ++round) {
        const shoal::Records records =
            harness::random_records(random, 80, 4, round % 2 ? 5 : 300, 3);
        shoal::Models models{{}, records.rows()};
        if (round % 3 > 0) {
            shoal::Model model;
            model.condition =
                round % 3 == 1 ? shoal::Condition::distinct : shoal::Condition::frequency;
            model.number = 2;
            model.ratio = {3, 2};
            model.codes = random_codes(random, records.rows(), 3);
            model.code_count = 3;
            models.all.push_back(model);
        }
        for (const shoal::Objective& objective : objectives(records, random)) {
            for (const std::int64_t k : {2, 7}) {
                shoal::Sequence sequence;
                sequence.k = k;
                sequence.start_size = (k + 1) / 2;
                sequence.most = k + k / 2;
                sequence.restarts = 3;
                sequence.seed = static_cast<std::uint64_t>(round);
                shoal::Control control;
                const auto one = shoal::sequential(objective, models, sequence, control);
                harness::check_partition(records, numbered(one.partition), k);
                sequence.threads = 3;
                CHECK(same(one.partition,
                           shoal::sequential(objective, models, sequence, control).partition));
            }
        }
    }
}

TEST_CASE("sequential stops when cancelled") {
    harness::Random random(14);
    const shoal::Records records = harness::random_records(random, 50, 3, 5, 1);
    const shoal::Objective objective(records);
    shoal::Control control;
    control.cancel = true;
    bool cancelled = false;
    try {
        shoal::sequential(objective, {{}, records.rows()}, {}, control);
    } catch (const shoal::Cancelled&) {
        cancelled = true;
    }
    CHECK(cancelled);
}

TEST_CASE("sequential finds the same with and without memory") {
    harness::Random random(15);
    for (int round = 0; round < (harness::quick() ? 3 : 24); ++round) {
        const shoal::Records records =
            harness::random_records(random, 150, 4, round % 2 ? 5 : 300, 2);
        shoal::Models models{{}, records.rows()};
        for (int i = 0; i < round % 3; ++i) {
            shoal::Model model;
            model.condition = i == 0 ? shoal::Condition::frequency : shoal::Condition::entropy;
            model.ratio = {3, 2};
            model.level = 1.8;
            model.codes = random_codes(random, records.rows(), 4);
            model.code_count = 4;
            models.all.push_back(model);
        }
        for (const shoal::Objective& objective : objectives(records, random)) {
            shoal::Sequence sequence;
            sequence.k = round % 2 ? 3 : 6;
            sequence.start_size = (sequence.k + 1) / 2;
            sequence.most = sequence.k * 3 / 2;
            sequence.seed = static_cast<std::uint64_t>(round);
            shoal::Control control;
            const auto with = shoal::sequential(objective, models, sequence, control);
            sequence.remember = false;
            const auto without = shoal::sequential(objective, models, sequence, control);
            CHECK(same(with.partition, without.partition));
            CHECK(with.steps == without.steps);
        }
    }
}

TEST_CASE("sequential leaves no single move that pays") {
    harness::Random random(16);
    for (int round = 0; round < (harness::quick() ? 2 : 20); ++round) {
        const shoal::Records records =
            harness::random_records(random, 200, 3, round % 2 ? 6 : 200, 1);
        const shoal::Objective objective(records);
        shoal::Sequence sequence;
        sequence.k = 4;
        sequence.start_size = 2;
        sequence.most = 6;
        sequence.seed = static_cast<std::uint64_t>(round);
        shoal::Control control;
        const auto found = shoal::sequential(objective, {{}, records.rows()}, sequence, control);
        const shoal::Partition partition = numbered(found.partition);
        const auto last = std::max_element(partition.klass.begin(), partition.klass.end());
        std::vector<shoal::ClassState> states(static_cast<std::size_t>(*last) + 1);
        for (std::size_t i = 0; i < partition.row.size(); ++i) {
            states[static_cast<std::size_t>(partition.klass[i])].add(
                objective, static_cast<std::size_t>(partition.row[i]), partition.count[i]);
        }
        for (std::size_t i = 0; i < partition.row.size(); ++i) {
            const auto row = static_cast<std::size_t>(partition.row[i]);
            const auto from = static_cast<std::size_t>(partition.klass[i]);
            if (states[from].size() <= sequence.k) continue;
            const double gain = -states[from].change_removing(objective, row, 1);
            for (std::size_t c = 0; c < states.size(); ++c) {
                if (c == from) continue;
                // Gains below 1e-4 of a record's loss are none.
                CHECK(states[c].change_adding(objective, row, 1) > gain - 3e-4);
            }
        }
    }
}

TEST_CASE("changed classes scan as all classes do") {
    harness::Random random(17);
    for (int round = 0; round < (harness::quick() ? 3 : 20); ++round) {
        const shoal::Records records =
            harness::random_records(random, 60, 5, round % 2 ? 9 : 600, 1);
        for (const shoal::Objective& objective : objectives(records, random)) {
            std::vector<shoal::ClassState> states(300);
            shoal::ClassColumns class_columns(objective);
            shoal::ChangedClasses recent(objective);
            class_columns.resize(states.size());
            for (int opening = 0; opening < 2; ++opening) {
                recent.open(states.size());
                for (int step = 0; step < 120; ++step) {
                    const std::size_t c = random.below(300);
                    states[c].add(objective, random.below(60), 1);
                    if (random.below(20) == 0) states[c].clear();
                    const float preference = 1e-5f * static_cast<float>(random.below(8));
                    class_columns.set(c, states[c]);
                    class_columns.prefer(c, preference);
                    recent.set(c, states[c], preference);
                    CHECK((recent.usable() && recent.contains(c)));
                }
                const std::size_t row = random.below(60);
                const auto all = class_columns.scan(row, states);
                const auto few = recent.scan(row, states);
                CHECK(few.size() == recent.ids().size());
                for (std::size_t i = 0; i < few.size(); ++i) {
                    const auto c = static_cast<std::size_t>(recent.ids()[i]);
                    CHECK(recent.place(c) == static_cast<std::int32_t>(i));
                    CHECK(few[i] == all[c]);
                }
            }
            for (std::size_t c = 0; c < states.size(); ++c) recent.set(c, states[c], 0.0f);
            CHECK(!recent.usable());
        }
    }
}

TEST_CASE("admission answers as histograms do") {
    harness::Random random(18);
    for (int round = 0; round < (harness::quick() ? 5 : 30); ++round) {
        shoal::Models models{{}, 50};
        for (const auto condition : {shoal::Condition::distinct, shoal::Condition::frequency}) {
            shoal::Model model;
            model.condition = condition;
            model.number = 2;
            model.ratio = {7, 5};
            model.codes = random_codes(random, 50, 3);
            model.code_count = 3;
            models.all.push_back(model);
        }
        shoal::Admission admission;
        CHECK(admission.empty());
        admission.set(models, 50);
        admission.resize(10);
        std::vector<shoal::ClassHistogram> histograms(10);
        for (int step = 0; step < 400; ++step) {
            const std::size_t c = random.below(10), row = random.below(50);
            if (random.below(4) == 0) {
                histograms[c].add(models, row, 1);
                admission.forget(c);
            }
            CHECK(admission.allows(c, histograms[c], row) ==
                  histograms[c].keeps_adding(models, row, 1));
        }
        for (std::size_t a = 0; a < 50; ++a) {
            for (std::size_t b = 0; b < 50; ++b) {
                const bool alike = models.all[0].codes[a] == models.all[0].codes[b] &&
                                   models.all[1].codes[a] == models.all[1].codes[b];
                CHECK(alike == (admission.signature(a) == admission.signature(b)));
            }
        }
    }
}
