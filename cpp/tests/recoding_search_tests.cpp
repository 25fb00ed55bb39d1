#include <cmath>
#include <numeric>

#include "harness.hpp"
#include "shoal/recoding/context_key.hpp"
#include "shoal/recoding/label_counts.hpp"
#include "shoal/recoding/recoding_search.hpp"

namespace {

using shoal::Goal;
using shoal::RecodingProblem;
using shoal::RecodingSearch;
using shoal::Records;

RecodingProblem problem_of(const Records& records, Goal goal, harness::Random& random) {
    RecodingProblem problem{&records, {}, 3, goal, 0.3, 3, 5, true};
    for (std::size_t row = 0; row < records.rows(); ++row) {
        problem.labels.push_back(random.below(3));
    }
    return problem;
}

const shoal::Control unwatched;

// Counts afresh what the groups cost: a search that has not walked.
double fresh_loss(const RecodingProblem& problem, const RecodingSearch& walked) {
    RecodingSearch fresh(problem, 1, unwatched);
    for (std::size_t j = 0; j < fresh.attributes(); ++j) fresh.set_groups(j, walked.groups(j));
    return fresh.loss();
}

}  // namespace

TEST_CASE("incremental counts equal fresh ones") {
    harness::Random random(11);
    for (int round = 0; round < 12; ++round) {
        const Records records = harness::random_records(random, 120, 4, 9, 3);
        for (const Goal goal : {Goal::loss, Goal::information, Goal::cells, Goal::fields}) {
            const RecodingProblem problem = problem_of(records, goal, random);
            RecodingSearch search(problem, static_cast<std::uint64_t>(round), unwatched);
            for (int turn = 0; turn < 6; ++turn) {
                for (std::size_t j = 0; j < search.attributes(); ++j) {
                    search.walk(j, {40, 0.2, 0.6, 1.0, turn % 2 == 0});
                    CHECK(search.allows(j, search.groups(j)));
                    CHECK(std::abs(search.loss() - fresh_loss(problem, search)) < 1e-6);
                }
            }
        }
    }
}

// Without heat a step is taken only if it does not raise the loss: looking ahead must be right.
TEST_CASE("a cold walk never rises") {
    harness::Random random(12);
    for (int round = 0; round < 12; ++round) {
        const Records records = harness::random_records(random, 120, 4, 9, 3);
        for (const Goal goal : {Goal::loss, Goal::information, Goal::cells, Goal::fields}) {
            for (const bool labelled : {true, false}) {
                RecodingProblem problem = problem_of(records, goal, random);
                if (!labelled && (goal == Goal::cells || goal == Goal::fields)) {
                    for (auto& label : problem.labels) label = 0;
                    problem.label_count = 1;
                } else if (!labelled) {
                    problem.labels.clear();
                    problem.share = 1.0;
                }
                problem.limit = records.total;  // nothing presses
                RecodingSearch search(problem, static_cast<std::uint64_t>(round), unwatched);
                for (std::size_t j = 0; j < search.attributes(); ++j) {
                    search.walk(j, {30, 10.0, 0.7, 0.0, false});
                }
                double before = search.loss();
                for (int step = 0; step < 200; ++step) {
                    const auto j = static_cast<std::size_t>(step) / 5 % search.attributes();
                    const std::int64_t accepted = search.walk(j, {1, 0.0, 0.5, 0.0, false});
                    const double after = search.loss();
                    CHECK(after <= before + 1e-9);
                    CHECK((accepted == 1 || std::abs(after - before) < 1e-9));
                    before = after;
                }
            }
        }
    }
}

// Two rows that differ in eight attributes, while the lower 64 bits of their keys are equal: found
// by joining the differences of keys on more and more of their bits.
TEST_CASE("contexts whose keys share 64 bits are two") {
    const std::vector<std::int32_t> first{49, 208, 78, 18, 226, 317, 69, 271};
    const std::vector<std::int32_t> second{102, 91, 315, 194, 53, 5, 18, 270};
    constexpr std::uint32_t values = 320;
    Records records(std::vector<std::int32_t>{1, 1});
    shoal::Attribute attribute;
    attribute.kind = shoal::Kind::set;
    attribute.weight = 1.0 / 9;
    attribute.code_count = 1;
    attribute.codes = std::vector<std::uint8_t>{0, 0};
    records.attributes.push_back(attribute);  // the one searched, in which they are alike
    attribute.code_count = values;
    attribute.step = 1.0 / (values - 1);
    shoal::ContextKey one, other;
    for (std::size_t i = 0; i < first.size(); ++i) {
        attribute.codes = std::vector<std::uint16_t>{static_cast<std::uint16_t>(first[i]),
                                                     static_cast<std::uint16_t>(second[i])};
        records.attributes.push_back(attribute);
        one = one + shoal::key_of_group(i + 1, first[i]);
        other = other + shoal::key_of_group(i + 1, second[i]);
    }
    REQUIRE(one.low == other.low);
    RecodingSearch search({&records, {}, 1, Goal::loss, 1.0, 2, 2, true}, 1, unwatched);
    std::vector<std::int32_t> apart(values);
    std::iota(apart.begin(), apart.end(), 0);
    for (std::size_t j = 1; j < records.attributes.size(); ++j) search.set_groups(j, apart);
    CHECK(search.suppressed() == 2);  // each is alone in its cell, and k is 2
}

TEST_CASE("counts of many labels have places beyond 32 bits") {
    const shoal::LabelCounts counts(5'000);
    CHECK(counts.place_of(1'000'000) == 5'000'000'000);
    CHECK(counts.place_of(std::uint32_t{4'000'000'000}) == 20'000'000'000'000);
}
