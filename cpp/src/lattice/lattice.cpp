#include "shoal/lattice/lattice.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "common/parallel.hpp"
#include "lattice/lattice_worker.hpp"
#include "shoal/common/deadline.hpp"

namespace shoal {

namespace {

using lattice::Groups;
using lattice::Shared;
using lattice::Worker;

template <class Key>
class Judge final : public NodeJudge {
  public:
    Judge(const LatticeProblem& problem, int threads) : NodeJudge(problem, threads) {
        shared_.problem = &problem;
        lattice::make_parts(problem, shared_.parts);
        shared_.column_cost = column_cost_;
        shared_.records = records_;
        make_figures();
        const std::size_t rows = problem.rows();
        Groups<Key>& all = shared_.rows;
        all.node.assign(problem.ladders.size(), 0);
        all.resize(rows);
        std::fill(all.key.begin(), all.key.end(), Key{});
        std::copy(problem.counts.begin(), problem.counts.end(), all.count.begin());
        if constexpr (!lattice::packed<Key>) std::iota(all.row.begin(), all.row.end(), 0);
        for (std::size_t j = 0; j < problem.ladders.size(); ++j) {
            const std::vector<std::uint32_t>& codes = problem.ladders[j].codes;
            for (std::size_t row = 0; row < rows; ++row) {
                all.key[row] = all.key[row] + shared_.parts[j][0][codes[row]];
            }
        }
        for (int i = 0; i < threads; ++i) workers_.emplace_back(shared_);
        workers_[0].fold(all, all.node, shared_.finest);
    }

    void judge(std::span<const Levels> nodes, std::span<Judgement> found,
               Control& control) override {
        parallel_for(
            nodes.size(), threads_,
            [&](std::size_t worker) -> Worker<Key>& { return workers_[worker]; },
            [&](Worker<Key>& worker, std::size_t i) {
                if (control.cancelled()) throw Cancelled();
                found[i] = worker.judge(nodes[i]);
            });
    }

    LatticeAnswer exhaust(const LatticeBudget& budget, Control& control) override {
        // Attributes of many values come first: a step in one of the last then folds a table that
        // is hardly larger than what it becomes. Levels of the first attributes make tasks enough
        // to share; the rest of the lattice is walked within each task.
        const auto& ladders = problem_->ladders;
        std::vector<std::size_t> order(ladders.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return lattice::looks_of(ladders[a]) > lattice::looks_of(ladders[b]);
        });
        std::size_t fixed = 0;
        std::size_t tasks = 1;
        while (fixed < order.size() && tasks < 16) {
            tasks *= static_cast<std::size_t>(ladders[order[fixed++]].levels());
        }
        // Which nodes a number of checks reaches must not depend on the threads.
        double nodes = 1.0;
        for (const Ladder& ladder : ladders) nodes *= ladder.levels();
        const bool alone = static_cast<double>(budget.checks) < nodes;
        const Deadline deadline(budget.seconds);
        std::atomic<std::int64_t> checks{0};
        std::atomic<bool> over{false};
        std::vector<Walk> walks;
        for (Worker<Key>& worker : workers_) {
            walks.push_back(
                {worker, order, control, deadline, budget.checks, checks, over, {}, {}});
        }
        parallel_for(
            tasks, alone ? 1 : threads_, [&](std::size_t worker) -> Walk& { return walks[worker]; },
            [&](Walk& walk, std::size_t task) {
                if (over) return;
                Levels node(ladders.size(), 0);
                std::size_t rest = task;
                for (std::size_t i = fixed; i-- > 0;) {
                    const auto levels = static_cast<std::size_t>(ladders[order[i]].levels());
                    node[order[i]] = static_cast<Level>(rest % levels);
                    rest /= levels;
                }
                walk.start(shared_.finest, node, fixed);
                control.report(static_cast<double>(task) / static_cast<double>(tasks));
            });
        LatticeAnswer answer;
        for (const Walk& walk : walks) {
            if (walk.best.loss < answer.loss ||
                (walk.best.loss == answer.loss && walk.best.node < answer.node)) {
                answer = walk.best;
            }
        }
        answer.checks = checks;
        answer.complete = !over;
        return answer;
    }

  private:
    void make_figures() {
        int shift = 0;
        for (std::size_t j = 0; j < problem_->ladders.size(); ++j) {
            const Ladder& ladder = problem_->ladders[j];
            const int bits = lattice::bits_for(lattice::looks_of(ladder));
            shared_.digits.push_back({std::min(shift, 63), (std::uint64_t{1} << bits) - 1});
            shift += bits;
            auto& cost = shared_.cost.emplace_back();
            auto& silent = shared_.silent.emplace_back();
            auto& looks = shared_.looks.emplace_back();
            for (std::size_t level = 0; level < ladder.look.size(); ++level) {
                auto& of_level = cost.emplace_back(ladder.code_count);
                auto& quiet = silent.emplace_back(ladder.code_count);
                std::vector<char> seen(ladder.code_count);
                for (std::size_t code = 0; code < ladder.code_count; ++code) {
                    const std::size_t place = shared_.place_of_code(j, level, code);
                    of_level[place] = ladder.cost[level][code];
                    quiet[place] = ladder.silent[level][code];
                    seen[ladder.look[level][code]] = 1;
                }
                looks.push_back(
                    static_cast<std::uint32_t>(std::count(seen.begin(), seen.end(), 1)));
            }
        }
    }

    // A walk through a part of the lattice that folds each node from the one a step below it.
    struct Walk {
        Worker<Key>& worker;
        const std::vector<std::size_t>& order;  // of the attributes
        Control& control;
        const Deadline& deadline;
        std::int64_t most;
        std::atomic<std::int64_t>& checks;
        std::atomic<bool>& over;
        LatticeAnswer best;
        std::vector<std::unique_ptr<Groups<Key>>> tables;

        Groups<Key>& table(std::size_t depth) {
            while (tables.size() <= depth) tables.push_back(std::make_unique<Groups<Key>>());
            return *tables[depth];
        }

        void start(const Groups<Key>& finest, const Levels& node, std::size_t from) {
            worker.fold(finest, node, table(0));
            visit(0, from);
        }

        void visit(std::size_t depth, std::size_t from) {
            if (over) return;
            if (control.abandoned()) throw Cancelled();
            if (control.stopping() || deadline.passed() || checks >= most) {
                over = true;
                return;
            }
            ++checks;
            Groups<Key>& here = table(depth);
            const Judgement found = worker.judge(here);
            if (found.sound &&
                (found.loss < best.loss || (found.loss == best.loss && here.node < best.node))) {
                best.loss = found.loss;
                best.node = here.node;
            }
            for (std::size_t i = from; i < order.size(); ++i) {
                const std::size_t j = order[i];
                if (here.node[j] + 1 >= worker.levels(j)) continue;
                Levels up = here.node;
                ++up[j];
                worker.fold(here, up, table(depth + 1));
                visit(depth + 1, i);
            }
        }
    };

    Shared<Key> shared_;
    std::vector<Worker<Key>> workers_;
};

}  // namespace

NodeJudge::NodeJudge(const LatticeProblem& problem, int threads)
    : problem_(&problem), threads_(threads), records_(problem.records()) {
    for (const Ladder& ladder : problem.ladders) {
        std::vector<std::int64_t> of_code(ladder.code_count);
        for (std::size_t row = 0; row < problem.rows(); ++row) {
            of_code[ladder.codes[row]] += problem.counts[row];
        }
        auto& costs = column_cost_.emplace_back();
        for (const auto& level : ladder.cost) {
            std::int64_t sum = 0;
            for (std::size_t code = 0; code < level.size(); ++code)
                sum += of_code[code] * level[code];
            costs.push_back(sum);
        }
    }
}

std::int64_t NodeJudge::floor(std::span<const Level> node) const {
    if (problem_->loss == LatticeLoss::discernibility) return 0;
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (node[j] != absent_level) sum += column_cost_[j][node[j]];
    }
    return sum;
}

std::unique_ptr<NodeJudge> make_judge(const LatticeProblem& problem, int threads) {
    if (lattice::packed_bits(problem) <= 64) {
        return std::make_unique<Judge<std::uint64_t>>(problem, threads);
    }
    return std::make_unique<Judge<lattice::WideKey>>(problem, threads);
}

}  // namespace shoal
