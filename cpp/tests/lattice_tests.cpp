#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "harness.hpp"
#include "shoal/lattice/lattice.hpp"
#include "shoal/lattice/lattice_search.hpp"

namespace {

using shoal::Judgement;
using shoal::Ladder;
using shoal::LatticeLoss;
using shoal::LatticeProblem;
using shoal::Levels;

Ladder random_ladder(harness::Random& random, std::size_t rows, std::uint32_t most_codes) {
    Ladder ladder;
    ladder.code_count = 1 + random.below(most_codes);
    for (std::size_t row = 0; row < rows; ++row)
        ladder.codes.push_back(random.below(ladder.code_count));
    std::vector<std::uint32_t> look(ladder.code_count);
    for (std::uint32_t code = 0; code < ladder.code_count; ++code) look[code] = code;
    std::vector<std::int64_t> cost(ladder.code_count, 0);
    const std::uint32_t levels = 1 + random.below(4);
    for (std::uint32_t level = 0; level < levels; ++level) {
        ladder.look.push_back(look);
        ladder.cost.push_back(cost);
        ladder.silent.emplace_back(ladder.code_count, level + 1 == levels);
        std::vector<std::uint32_t> parent(ladder.code_count);
        std::vector<std::int64_t> more(ladder.code_count);
        for (std::uint32_t& each : parent) each = random.below(std::max(1u, ladder.code_count / 2));
        for (std::int64_t& each : more) each = random.below(20);
        // The cost of a look is the most that any part of it cost, and more.
        std::map<std::uint32_t, std::int64_t> dearest;
        for (std::uint32_t code = 0; code < ladder.code_count; ++code) {
            look[code] = level + 2 == levels ? 0 : parent[look[code]];
            dearest[look[code]] = std::max(dearest[look[code]], cost[code]);
        }
        for (std::uint32_t code = 0; code < ladder.code_count; ++code) {
            cost[code] = dearest[look[code]] + more[look[code]];
        }
    }
    return ladder;
}

LatticeProblem random_problem(harness::Random& random, std::size_t rows, std::size_t attributes,
                              std::uint32_t most_codes) {
    LatticeProblem problem;
    for (std::size_t row = 0; row < rows; ++row) {
        problem.counts.push_back(1 + static_cast<std::int32_t>(random.below(3)));
    }
    std::int64_t dearest = 0;
    for (std::size_t j = 0; j < attributes; ++j) {
        problem.ladders.push_back(random_ladder(random, rows, most_codes));
        const auto& cost = problem.ladders.back().cost.back();
        dearest += *std::max_element(cost.begin(), cost.end());
    }
    problem.k = 2 + random.below(5);
    problem.limit = random.below(2) ? 0 : random.below(static_cast<std::uint32_t>(rows));
    const LatticeLoss losses[] = {LatticeLoss::level, LatticeLoss::cost,
                                  LatticeLoss::discernibility};
    problem.loss = losses[random.below(3)];
    problem.suppressed_cost = dearest + random.below(9);
    problem.models.rows = rows;
    if (random.below(2)) {
        shoal::Model model;
        model.condition =
            random.below(2) ? shoal::Condition::distinct : shoal::Condition::frequency;
        model.number = 2;
        model.ratio = {3, 2};
        model.code_count = 3;
        for (std::size_t row = 0; row < rows; ++row) model.codes.push_back(random.below(3));
        problem.inferable.push_back(model.condition == shoal::Condition::distinct ||
                                    problem.limit == 0);
        problem.models.all.push_back(std::move(model));
    }
    return problem;
}

// Rows in a map by what they look like: slow and obvious.
Judgement plainly(const LatticeProblem& problem, const Levels& node) {
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> classes;
    for (std::size_t row = 0; row < problem.rows(); ++row) {
        std::vector<std::uint32_t> look;
        for (std::size_t j = 0; j < node.size(); ++j) {
            look.push_back(problem.ladders[j].look[node[j]][problem.ladders[j].codes[row]]);
        }
        classes[look].push_back(row);
    }
    Judgement found;
    std::int64_t base = 0, loss = 0;
    for (const auto& [look, rows] : classes) {
        std::int64_t size = 0, cost = 0;
        shoal::ClassHistogram histogram;
        for (const std::size_t row : rows) {
            size += problem.counts[row];
            histogram.add(problem.models, row, problem.counts[row]);
        }
        for (std::size_t j = 0; j < node.size(); ++j) {
            cost += problem.ladders[j].cost[node[j]][problem.ladders[j].codes[rows[0]]];
        }
        const bool large = size >= problem.k;
        const bool kept = large && histogram.holds(problem.models);
        bool basic = large;
        for (std::size_t i = 0; i < problem.models.all.size(); ++i) {
            if (problem.inferable[i]) basic = basic && histogram.holds(problem.models, i);
        }
        if (!basic) base += size;
        if (!kept) found.suppressed += size;
        if (problem.loss == LatticeLoss::discernibility) {
            loss += kept ? size * size : size * problem.records();
        } else {
            const bool pays = kept || problem.loss == LatticeLoss::level;
            loss += size * (pays ? cost : problem.suppressed_cost);
        }
    }
    found.base = base <= problem.limit;
    found.sound = found.suppressed <= problem.limit;
    if (found.sound) found.loss = loss;
    return found;
}

std::vector<Levels> all_nodes(const LatticeProblem& problem) {
    std::vector<Levels> nodes{Levels(problem.ladders.size(), 0)};
    for (std::size_t j = 0; j < problem.ladders.size(); ++j) {
        std::vector<Levels> more;
        for (const Levels& node : nodes) {
            for (int level = 0; level < problem.ladders[j].levels(); ++level) {
                more.push_back(node);
                more.back()[j] = static_cast<shoal::Level>(level);
            }
        }
        nodes = std::move(more);
    }
    return nodes;
}

}  // namespace

TEST_CASE("nodes are judged as by plain counting") {
    std::uint64_t seed = 9100;
    for (const std::uint32_t most_codes : {1u, 5u, 40u, 5000u}) {
        // Six attributes of up to 5000 looks do not fit a packed key.
        for (const std::size_t attributes : {1u, 3u, 6u}) {
            for (int repeat = 0; repeat < (harness::quick() ? 3 : 12); ++repeat) {
                harness::Random random(++seed);
                const LatticeProblem problem = random_problem(random, 60, attributes, most_codes);
                const std::vector<Levels> nodes = all_nodes(problem);
                std::vector<Levels> order = nodes;
                for (std::size_t i = order.size(); i > 1; --i) {
                    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
                }
                for (const int threads : {1, 3}) {
                    const auto judge = shoal::make_judge(problem, threads);
                    std::vector<Judgement> found(order.size());
                    shoal::Control control;
                    judge->judge(order, found, control);
                    for (std::size_t i = 0; i < order.size(); ++i) {
                        const Judgement expected = plainly(problem, order[i]);
                        CHECK(found[i].base == expected.base);
                        CHECK(found[i].sound == expected.sound);
                        if (!expected.base) continue;
                        CHECK(found[i].suppressed == expected.suppressed);
                        CHECK(found[i].loss == expected.loss);
                        CHECK(found[i].floor <= expected.loss);
                    }
                }
            }
        }
    }
}

TEST_CASE("searches of a lattice find the same least loss") {
    std::uint64_t seed = 9500;
    for (int repeat = 0; repeat < (harness::quick() ? 20 : 120); ++repeat) {
        harness::Random random(++seed);
        const LatticeProblem problem = random_problem(random, 20 + random.below(40),
                                                      1 + random.below(4), 1 + random.below(12));
        std::int64_t best = std::numeric_limits<std::int64_t>::max();
        for (const Levels& node : all_nodes(problem)) {
            best = std::min(best, plainly(problem, node).loss);
        }
        // Only problems that the top solves are asked.
        Levels top;
        for (const Ladder& ladder : problem.ladders) {
            top.push_back(static_cast<shoal::Level>(ladder.levels() - 1));
        }
        if (!plainly(problem, top).sound) continue;
        for (const int threads : {1, 2}) {
            const auto judge = shoal::make_judge(problem, threads);
            shoal::Control control;
            CHECK(judge->exhaust({}, control).loss == best);
            CHECK(shoal::ola(*judge, {}, control).loss == best);
            CHECK(shoal::flash(*judge, {}, control).loss == best);
            CHECK(shoal::incognito(*judge, {}, control).loss == best);
            const shoal::LatticeAnswer found = shoal::samarati(*judge, {}, control);
            CHECK(plainly(problem, found.node).loss == found.loss);
        }
    }
}

namespace {

// Asks for the best so far in the middle of a search, when so many nodes have been judged.
class StoppedJudge final : public shoal::NodeJudge {
  public:
    StoppedJudge(const LatticeProblem& problem, std::int64_t nodes)
        : NodeJudge(problem, 1), judge_(shoal::make_judge(problem, 1)), left_(nodes) {}

    void judge(std::span<const Levels> nodes, std::span<Judgement> found,
               shoal::Control& control) override {
        left_ -= static_cast<std::int64_t>(nodes.size());
        if (left_ < 0) control.stop.store(true);
        judge_->judge(nodes, found, control);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto& node = nodes[i];  // some searches leave attributes out first
            if (std::find(node.begin(), node.end(), shoal::absent_level) != node.end()) continue;
            if (found[i].sound) least = std::min(least, found[i].loss);
        }
    }
    shoal::LatticeAnswer exhaust(const shoal::LatticeBudget& budget,
                                 shoal::Control& control) override {
        return judge_->exhaust(budget, control);
    }

    std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of the nodes judged

  private:
    std::unique_ptr<shoal::NodeJudge> judge_;
    std::int64_t left_;
};

}  // namespace

TEST_CASE("a search of a lattice that is stopped keeps its best node") {
    harness::Random random(9);
    LatticeProblem problem = random_problem(random, 200, 5, 9);
    problem.loss = LatticeLoss::cost;
    problem.models.all.clear();
    problem.inferable.clear();
    for (const std::int64_t nodes : {1, 8, 40}) {
        for (auto* way : {&shoal::ola, &shoal::flash, &shoal::incognito, &shoal::samarati}) {
            StoppedJudge judge(problem, nodes);
            shoal::Control control;
            const shoal::LatticeAnswer answer = way(judge, {}, control);
            if (!control.stopping()) continue;  // it needed no more nodes than that
            CHECK_FALSE(answer.complete);
            CHECK(answer.loss == judge.least);
            CHECK(plainly(problem, answer.node).loss == answer.loss);
        }
    }
    shoal::Control control;
    control.stop.store(true);
    CHECK_FALSE(shoal::make_judge(problem, 1)->exhaust({}, control).complete);
    control.cancel.store(true);
    CHECK_THROWS_AS(shoal::make_judge(problem, 1)->exhaust({}, control), shoal::Cancelled);
}
