// What searches of a lattice share: the shape of it, what is known of its nodes, the budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/common/deadline.hpp"
#include "shoal/lattice/lattice.hpp"

namespace shoal::lattice {

using Index = std::uint32_t;

// Nodes as mixed radix numbers, the last attribute running fastest.
struct LatticeShape {
    std::vector<int> levels;
    std::vector<std::int64_t> stride;
    std::int64_t nodes = 1;
    int top = 0;

    explicit LatticeShape(std::vector<int> of_attribute) : levels(std::move(of_attribute)) {
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

inline std::vector<int> levels_of(const LatticeProblem& problem, bool subsets) {
    std::vector<int> levels;
    for (const Ladder& ladder : problem.ladders) levels.push_back(ladder.levels() + subsets);
    return levels;
}

enum Tag : std::uint8_t { open = 0, fails = 1, base_holds = 2, judged = 4 };

// What all searches share: tags, the best node, and the budget.
class TaggedSearch {
  public:
    TaggedSearch(NodeJudge& judge, const LatticeBudget& budget, Control& control)
        : judge_(judge),
          shape_(levels_of(judge.problem(), false)),
          tags_(static_cast<std::size_t>(shape_.nodes), open),
          budget_(budget),
          control_(control),
          scratch_(shape_.levels.size()),
          deadline_(budget.seconds),
          poll_(control) {
        if (judge.problem().loss == LatticeLoss::discernibility) bound_.assign(tags_.size(), 0);
        look(
            {static_cast<Index>(shape_.nodes - 1)});  // one class of all: there is always an answer
    }

    const LatticeProblem& problem() const { return judge_.problem(); }
    const LatticeShape& shape() const { return shape_; }
    bool over() const { return over_; }
    bool is_open(Index node) const { return tags_[node] == open && floor(node) < best_.loss; }
    bool is_sound_candidate(Index node) const { return !(tags_[node] & fails); }
    void set_failing(Index node) { tags_[node] |= fails; }
    void set_holding(Index node) { tags_[node] |= base_holds; }
    bool is_tagged(Index node) const { return tags_[node] & (fails | base_holds); }
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
            poll_();
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
        if (deadline_.passed()) over_ = true;
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
            poll_();
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
    // Without a measure all nodes that do not fail are the answer.
    LatticeAnswer settle() {
        if (judge_.problem().loss == LatticeLoss::unmeasured) {
            for (std::int64_t index = 0; index < shape_.nodes; ++index) {
                if (!(tags_[static_cast<std::size_t>(index)] & fails)) {
                    best_.holding.push_back(index);
                }
            }
        } else if (bound_.empty()) {
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
            poll_();
            const auto node = static_cast<Index>(index);
            if (may_win(node)) order.emplace_back(floor(node), node);
        }
        std::sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
            poll_();
            return a < b;
        });
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
                poll_();
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
    LatticeShape shape_;
    std::vector<std::uint8_t> tags_;
    std::vector<std::int64_t> bound_;  // discernibility: no node at or above it loses less
    LatticeBudget budget_;
    Control& control_;
    mutable Levels scratch_;
    Deadline deadline_;
    mutable Poll poll_;  // for loops over all nodes, which may be many millions
    LatticeAnswer best_;
    bool over_ = false;
    std::vector<Index> stack_;
};

}  // namespace shoal::lattice
