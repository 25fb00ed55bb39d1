#include "shoal/lattice_search.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "shoal/partition.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;
using Index = std::uint32_t;

// Nodes as mixed radix numbers, the last attribute running fastest.
struct Shape {
    std::vector<int> levels;
    std::vector<std::int64_t> stride;
    std::int64_t nodes = 1;
    int top = 0;

    explicit Shape(std::vector<int> of_attribute) : levels(std::move(of_attribute)) {
        stride.resize(levels.size());
        for (std::size_t j = levels.size(); j-- > 0;) {
            stride[j] = nodes;
            nodes *= levels[j];
            top += levels[j] - 1;
        }
    }

    int level(std::int64_t index, std::size_t attribute) const {
        return static_cast<int>(index / stride[attribute] % levels[attribute]);
    }
    Levels node(std::int64_t index) const {
        Levels node(levels.size());
        for (std::size_t j = 0; j < node.size(); ++j) node[j] = static_cast<Level>(level(index, j));
        return node;
    }
    // Calls visit(index of the node one step up or down in one attribute, attribute).
    template <class Visit>
    void up(std::int64_t index, Visit visit) const {
        for (std::size_t j = 0; j < levels.size(); ++j) {
            if (level(index, j) + 1 < levels[j]) visit(index + stride[j], j);
        }
    }
    template <class Visit>
    void down(std::int64_t index, Visit visit) const {
        for (std::size_t j = 0; j < levels.size(); ++j) {
            if (level(index, j) > 0) visit(index - stride[j], j);
        }
    }
};

std::vector<int> levels_of(const LatticeProblem& problem, bool subsets) {
    std::vector<int> levels;
    for (const Ladder& ladder : problem.ladders) levels.push_back(ladder.levels() + subsets);
    return levels;
}

enum Tag : std::uint8_t { open = 0, fails = 1, base_holds = 2, judged = 4 };

// What all searches share: tags, the best node, and the budget.
class Search {
  public:
    Search(NodeJudge& judge, const LatticeBudget& budget, Control& control)
        : judge_(judge),
          shape_(levels_of(judge.problem(), false)),
          tags_(static_cast<std::size_t>(shape_.nodes), open),
          budget_(budget),
          control_(control),
          scratch_(shape_.levels.size()),
          end_(end_of(budget)) {
        if (judge.problem().loss == LatticeLoss::discernibility) bound_.assign(tags_.size(), 0);
        look(
            {static_cast<Index>(shape_.nodes - 1)});  // one class of all: there is always an answer
    }

    const Shape& shape() const { return shape_; }
    bool over() const { return over_; }
    bool is_open(Index node) const { return tags_[node] == open && floor(node) < best_.loss; }
    bool is_sound_candidate(Index node) const { return !(tags_[node] & fails); }
    void set_failing(Index node) { tags_[node] |= fails; }
    void set_holding(Index node) { tags_[node] |= base_holds; }
    bool holds(Index node) const { return tags_[node] & base_holds; }

    std::int64_t floor(Index node) const {
        if (!bound_.empty()) return bound_[node];
        for (std::size_t j = 0; j < scratch_.size(); ++j) {
            scratch_[j] = static_cast<Level>(shape_.level(node, j));
        }
        return judge_.floor(scratch_);
    }

    // Nodes of each height, ascending.
    std::vector<std::vector<Index>> by_height() const {
        std::vector<std::vector<Index>> rows(static_cast<std::size_t>(shape_.top) + 1);
        for (std::int64_t index = 0; index < shape_.nodes; ++index) {
            int height = 0;
            for (std::size_t j = 0; j < shape_.levels.size(); ++j) height += shape_.level(index, j);
            rows[static_cast<std::size_t>(height)].push_back(static_cast<Index>(index));
        }
        return rows;
    }

    // Judges nodes and takes in what they tell. Chunks have one size whatever the threads.
    std::vector<Judgement> look(const std::vector<Index>& nodes) {
        std::vector<Levels> levels;
        for (const Index node : nodes) levels.push_back(shape_.node(node));
        std::vector<Judgement> found = judge_levels(levels);
        for (std::size_t i = 0; i < found.size(); ++i) take(nodes[i], found[i]);
        return found;
    }

    // Judges as many nodes as the budget has left.
    std::vector<Judgement> judge_levels(std::vector<Levels>& levels) {
        if (Clock::now() >= end_) over_ = true;
        const std::int64_t left = over_ ? 0 : budget_.checks - best_.checks;
        if (static_cast<std::int64_t>(levels.size()) > left && best_.checks > 0) {
            levels.resize(static_cast<std::size_t>(left));
            over_ = true;
        }
        std::vector<Judgement> found(levels.size());
        judge_.judge(levels, found, control_);
        best_.checks += static_cast<std::int64_t>(levels.size());
        control_.steps.store(best_.checks, std::memory_order_relaxed);
        return found;
    }

    // Looks at all open nodes among these, chunk by chunk.
    void look_at_open(const std::vector<Index>& nodes) {
        std::vector<Index> some;
        for (std::size_t i = 0; i < nodes.size() && !over_; ++i) {
            if (is_open(nodes[i])) some.push_back(nodes[i]);
            if (some.size() == chunk || (i + 1 == nodes.size() && !some.empty())) {
                look(some);
                some.clear();
            }
        }
    }

    void take(Index node, const Judgement& found) {
        tags_[node] |= judged;
        if (!bound_.empty()) bound_[node] = std::max(bound_[node], found.floor);
        if (found.sound && found.loss < best_.loss) {
            best_.loss = found.loss;
            best_.node = shape_.node(node);
        }
        spread(node, found.base);
    }

    // Every node above one that holds holds; every node below one that fails fails.
    void spread(Index from, bool holds) {
        const std::uint8_t tag = holds ? base_holds : fails;
        if (tags_[from] & tag) return;
        stack_.assign(1, from);
        tags_[from] |= tag;
        const auto visit = [&](std::int64_t next, std::size_t) {
            const auto at = static_cast<std::size_t>(next);
            if (tags_[at] & tag) return;
            tags_[at] |= tag;
            stack_.push_back(static_cast<Index>(next));
        };
        while (!stack_.empty()) {
            const Index node = stack_.back();
            stack_.pop_back();
            if (holds) {
                shape_.up(node, visit);
            } else {
                shape_.down(node, visit);
            }
        }
    }

    // Judges what may still be better: nodes that do not fail, in order of their lower bound.
    LatticeAnswer settle() {
        if (bound_.empty()) {
            settle_by_floor();
        } else {
            settle_by_height();
        }
        best_.complete = !over_;
        return best_;
    }

    LatticeAnswer& best() { return best_; }
    static constexpr std::size_t chunk = 32;

  private:
    bool may_win(Index node) const {
        return !(tags_[node] & (fails | judged)) && floor(node) < best_.loss;
    }

    void settle_by_floor() {
        std::vector<std::pair<std::int64_t, Index>> order;
        for (std::int64_t index = 0; index < shape_.nodes; ++index) {
            const auto node = static_cast<Index>(index);
            if (may_win(node)) order.emplace_back(floor(node), node);
        }
        std::sort(order.begin(), order.end());
        std::vector<Index> some;
        for (std::size_t next = 0; next < order.size() && !over_;) {
            some.clear();
            for (; next < order.size() && some.size() < chunk; ++next) {
                if (may_win(order[next].second)) some.push_back(order[next].second);
            }
            look(some);
        }
    }

    void settle_by_height() {
        std::vector<Index> some;
        for (const std::vector<Index>& row : by_height()) {
            for (const Index node : row) {
                shape_.down(node, [&](std::int64_t below, std::size_t) {
                    bound_[node] = std::max(bound_[node], bound_[static_cast<std::size_t>(below)]);
                });
            }
            for (const Index node : row) {
                if (may_win(node)) some.push_back(node);
                if (some.size() == chunk || (node == row.back() && !some.empty())) {
                    if (!over_) look(some);
                    some.clear();
                }
            }
        }
    }

    NodeJudge& judge_;
    Shape shape_;
    std::vector<std::uint8_t> tags_;
    std::vector<std::int64_t> bound_;  // discernibility: no node at or above it loses less
    LatticeBudget budget_;
    Control& control_;
    mutable Levels scratch_;
    Clock::time_point end_;
    LatticeAnswer best_;
    bool over_ = false;
    std::vector<Index> stack_;
};

}  // namespace

std::int64_t lattice_nodes(const LatticeProblem& problem, bool subsets) {
    std::int64_t nodes = 1;
    for (const int levels : levels_of(problem, subsets)) {
        nodes = std::min(nodes * levels, most_lattice_nodes + 1);
    }
    return nodes;
}

// The middle height of a sub-lattice divides it into one below each of its nodes that holds and
// one above each that fails. All sub-lattices of one round have the same two heights, so that
// their open middle nodes are the open nodes of one height of the whole.
LatticeAnswer ola(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    Search search(judge, budget, control);
    const auto rows = search.by_height();
    std::vector<std::pair<int, int>> spans{{0, search.shape().top}};
    for (std::size_t next = 0; next < spans.size() && !search.over(); ++next) {
        const auto [low, high] = spans[next];
        if (low > high) continue;
        const int middle = (low + high) / 2;
        search.look_at_open(rows[static_cast<std::size_t>(middle)]);
        spans.emplace_back(low, middle - 1);
        spans.emplace_back(middle + 1, high);
        control.report(0.9 * static_cast<double>(next) / (search.shape().top + 1));
    }
    return search.settle();
}

// Paths of open nodes from each open node upwards, greedily by lower bound, each divided by binary
// search.
LatticeAnswer flash(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    Search search(judge, budget, control);
    const auto rows = search.by_height();
    std::vector<Index> path;
    for (std::size_t height = 0; height < rows.size() && !search.over(); ++height) {
        for (const Index start : rows[height]) {
            if (!search.is_open(start)) continue;
            path.assign(1, start);
            for (bool grown = true; grown;) {
                grown = false;
                Index best = 0;
                std::int64_t least = 0;
                search.shape().up(path.back(), [&](std::int64_t above, std::size_t) {
                    const auto node = static_cast<Index>(above);
                    if (!search.is_open(node)) return;
                    const std::int64_t floor = search.floor(node);
                    if (!grown || floor < least) {
                        best = node;
                        least = floor;
                        grown = true;
                    }
                });
                if (grown) path.push_back(best);
            }
            std::size_t low = 0, high = path.size();
            while (low < high && !search.over()) {
                const std::size_t middle = (low + high) / 2;
                const auto found = search.look({path[middle]});
                if (found.empty()) break;
                if (found[0].base) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            if (search.over()) break;
        }
        control.report(0.9 * static_cast<double>(height) / static_cast<double>(rows.size()));
    }
    return search.settle();
}

// Subsets of attributes by size: a node is asked only if it holds without each of its attributes,
// and not asked if one below it holds.
LatticeAnswer incognito(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    Search search(judge, budget, control);
    const Shape subsets(levels_of(judge.problem(), true));
    const std::size_t attributes = subsets.levels.size();
    std::vector<std::uint8_t> tags(static_cast<std::size_t>(subsets.nodes), open);
    const auto left_out = [&](std::int64_t index, std::size_t j) {
        return subsets.level(index, j) == subsets.levels[j] - 1;
    };
    // Rounds: by number of attributes, then by height.
    const auto heights = static_cast<std::size_t>(search.shape().top) + 1;
    std::vector<std::vector<Index>> rounds((attributes + 1) * heights);
    for (std::int64_t index = 0; index < subsets.nodes; ++index) {
        std::size_t taken = 0, height = 0;
        for (std::size_t j = 0; j < attributes; ++j) {
            if (left_out(index, j)) continue;
            ++taken;
            height += static_cast<std::size_t>(subsets.level(index, j));
        }
        rounds[taken * heights + height].push_back(static_cast<Index>(index));
    }
    // The empty subset is one class of all records.
    tags.back() = base_holds;
    const auto whole = [&](std::int64_t index) {
        std::int64_t node = 0;
        for (std::size_t j = 0; j < attributes; ++j) {
            node += subsets.level(index, j) * search.shape().stride[j];
        }
        return static_cast<Index>(node);
    };
    for (std::size_t round = heights; round < rounds.size() && !search.over(); ++round) {
        const bool last = round / heights == attributes;
        std::vector<Index> asked;
        for (const Index index : rounds[round]) {
            bool holds = false, fails_without = false;
            for (std::size_t j = 0; j < attributes; ++j) {
                const int level = subsets.level(index, j);
                if (level == subsets.levels[j] - 1) continue;
                if (level > 0) {
                    holds |=
                        tags[static_cast<std::size_t>(index - subsets.stride[j])] == base_holds;
                }
                const std::int64_t without =
                    index + (subsets.levels[j] - 1 - level) * subsets.stride[j];
                fails_without |= tags[static_cast<std::size_t>(without)] == fails;
            }
            if (holds) {
                tags[index] = base_holds;
            } else if (fails_without) {
                tags[index] = fails;
            } else {
                asked.push_back(index);
            }
            if (last && holds) search.set_holding(whole(index));
            if (last && !holds && fails_without) search.set_failing(whole(index));
        }
        for (std::size_t begin = 0; begin < asked.size() && !search.over();
             begin += Search::chunk) {
            const std::size_t end = std::min(begin + Search::chunk, asked.size());
            std::vector<Index> nodes;
            std::vector<Levels> levels;
            for (std::size_t i = begin; i < end; ++i) {
                nodes.push_back(whole(asked[i]));
                Levels node = subsets.node(asked[i]);
                for (std::size_t j = 0; j < attributes; ++j) {
                    if (left_out(asked[i], j)) node[j] = absent_level;
                }
                levels.push_back(std::move(node));
            }
            const std::vector<Judgement> found = search.judge_levels(levels);
            for (std::size_t i = 0; i < found.size(); ++i) {
                tags[asked[begin + i]] = found[i].base ? base_holds : fails;
                if (last) search.take(nodes[i], found[i]);
            }
        }
        control.report(0.9 * static_cast<double>(round) / static_cast<double>(rounds.size()));
    }
    return search.settle();
}

LatticeAnswer samarati(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    Search search(judge, budget, control);
    const auto rows = search.by_height();
    const bool infers = judge.problem().infers_all();
    // Whether a node of that height is sound; where nothing is inferred every node is asked.
    const auto some_sound = [&](int height) {
        for (const Index node : rows[static_cast<std::size_t>(height)]) {
            if (infers && search.holds(node)) return true;
            if (!search.is_sound_candidate(node)) continue;
            const auto found = search.look({node});
            if (found.empty()) return false;
            if (found[0].sound) return true;
        }
        return false;
    };
    int low = 0, high = search.shape().top;
    while (low < high && !search.over()) {
        control.report(0.5 * low / std::max(high, 1));
        const int middle = infers ? (low + high) / 2 : low;
        if (some_sound(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Of the nodes of that height the best counts, whatever was met on the way.
    LatticeAnswer answer = search.best();
    if (search.over()) {
        answer.complete = false;
        return answer;
    }
    const std::vector<Index>& row = rows[static_cast<std::size_t>(high)];
    answer = LatticeAnswer{};
    for (std::size_t begin = 0; begin < row.size() && !search.over(); begin += Search::chunk) {
        std::vector<Index> some;
        for (std::size_t i = begin; i < std::min(begin + Search::chunk, row.size()); ++i) {
            if (search.is_sound_candidate(row[i])) some.push_back(row[i]);
        }
        const auto found = search.look(some);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!found[i].sound || found[i].loss >= answer.loss) continue;
            answer.loss = found[i].loss;
            answer.node = search.shape().node(some[i]);
        }
    }
    answer.complete = !search.over();
    answer.checks = search.best().checks;
    if (answer.node.empty()) {
        answer.node = search.best().node;
        answer.loss = search.best().loss;
    }
    return answer;
}

}  // namespace shoal
