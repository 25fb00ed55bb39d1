#include "exact/least_box.hpp"

#include <algorithm>
#include <utility>

namespace shoal::bounding {

namespace {

constexpr std::size_t fewest_near = 64;     // rows that are looked at, however little effort
constexpr std::int64_t effort_a_near = 16;  // a row near is worth looking at so often

// The node of the least bound comes first; of equal ones the one whose closure is furthest.
template <class Node>
bool later(const Node& a, const Node& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.loss != b.loss) return a.loss < b.loss;
    return a.number > b.number;
}

}  // namespace

LeastBox::LeastBox(const Grid& grid, const NearRows& near, std::int64_t k)
    : grid_(grid), near_rows_(near), k_(k), holds_(grid.width), weight_(grid.width) {
    for (std::size_t j = 0; j < grid.width; ++j) {
        if (grid.attributes[j].kind != Kind::set) continue;
        holds_[j].resize(grid.attributes[j].code_count);
        weight_[j].resize(grid.attributes[j].code_count);
    }
}

LeastBox::Found LeastBox::search(std::size_t row, Units ceiling, std::int64_t effort) {
    if (grid_.counts[row] >= k_) return {std::min(ceiling, grid_.pair(row, row)), true};
    const auto most = static_cast<std::size_t>(effort / effort_a_near);
    gather(row, ceiling, std::max(most, fewest_near));
    // With a lower ceiling more could be proved by more effort.
    const bool all_near = ceiling_ == ceiling;
    effort_ = 0;
    nodes_ = 0;
    open_.clear();
    push(root(row));
    while (!open_.empty()) {
        Node node = pop();
        if (node.bound == node.loss) return {node.loss, true};
        if (effort_ >= effort) return {node.bound, false};
        divide(node, division(node));
    }
    return {ceiling_, all_near};
}

// Rows that lose less than the ceiling with `row`; with too many of them the ceiling is lowered.
void LeastBox::gather(std::size_t row, Units ceiling, std::size_t most) {
    near_.clear();
    near_rows_.for_each_near(row, ceiling, [&](std::int32_t other, Units loss) {
        near_.push_back({loss, static_cast<std::uint32_t>(other)});
    });
    ceiling_ = ceiling;
    if (near_.size() > most) {
        const auto nearer = [](const Candidate& a, const Candidate& b) { return a.loss < b.loss; };
        std::nth_element(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(most),
                         near_.end(), nearer);
        ceiling_ = near_[most].loss;
        std::erase_if(near_, [this](const Candidate& each) { return each.loss >= ceiling_; });
    }
    near_codes_.resize(near_.size() * grid_.width);
    near_counts_.resize(near_.size());
    for (std::size_t i = 0; i < near_.size(); ++i) {
        const std::size_t other = near_[i].place;
        std::copy_n(grid_.codes(other), grid_.width,
                    near_codes_.begin() + static_cast<std::ptrdiff_t>(i * grid_.width));
        near_counts_[i] = grid_.counts[other];
    }
}

LeastBox::Node LeastBox::root(std::size_t row) const {
    Node node;
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const std::uint32_t code = grid_.codes(row)[j];
        node.parts.push_back({code, code, 1, grid_.attributes[j].pair(code, code)});
        node.loss += node.parts.back().loss;
        if (grid_.attributes[j].kind == Kind::set) {
            node.held.push_back({static_cast<std::uint32_t>(j), code});
        }
    }
    for (std::uint32_t i = 0; i < near_.size(); ++i) node.candidates.push_back({near_[i].loss, i});
    return node;
}

Units LeastBox::bound_of(const Node& node) {
    nearest_.clear();  // a heap, the furthest on top, of k records or a few more
    std::int64_t records = 0;
    for (const Candidate& each : node.candidates) {
        if (records >= k_ && each.loss >= nearest_.front().first) continue;
        const std::int64_t count = near_counts_[each.place];
        nearest_.emplace_back(each.loss, count);
        std::push_heap(nearest_.begin(), nearest_.end());
        records += count;
        while (records - nearest_.front().second >= k_) {
            records -= nearest_.front().second;
            std::pop_heap(nearest_.begin(), nearest_.end());
            nearest_.pop_back();
        }
    }
    return records >= k_ ? nearest_.front().first : Units{-1};
}

// The value that most of the records need which the bound rests on.
LeastBox::Division LeastBox::division(const Node& node) {
    std::vector<Division> ends(2 * grid_.width);  // below and above; trees and the rest use one
    mark(node, true);
    for (const Candidate& each : node.candidates) {
        if (each.loss > node.bound) continue;
        effort_ += static_cast<std::int64_t>(grid_.width);
        const std::int64_t count = near_counts_[each.place];
        for (std::size_t j = 0; j < grid_.width; ++j) {
            const std::uint32_t code = codes(each.place)[j];
            const Part& part = node.parts[j];
            const GridAttribute& attribute = grid_.attributes[j];
            if (attribute.kind == Kind::set) {
                if (holds_[j][code] != 0) continue;
                if (weight_[j][code] == 0)
                    weighed_.push_back({static_cast<std::uint32_t>(j), code});
                weight_[j][code] += count;
                continue;
            }
            if (code >= part.low && code <= part.high) continue;
            Division& end = ends[2 * j + (attribute.kind == Kind::interval && code > part.high)];
            const bool first = end.weight == 0;
            end.weight += count;
            end.attribute = j;
            std::uint32_t low = std::min(code, part.low), high = std::max(code, part.high);
            if (attribute.kind == Kind::tree) {
                const auto node_of =
                    static_cast<std::size_t>(attribute.source->common_ancestor(low, high));
                low = static_cast<std::uint32_t>(attribute.source->tree.node_first[node_of]);
                high = static_cast<std::uint32_t>(attribute.source->tree.node_last[node_of]);
            } else if (attribute.kind == Kind::all_or_nothing) {
                low = 0;
                high = attribute.code_count - 1;
            }
            if (first || high - low < end.high - end.low) {
                end.low = low;
                end.high = high;
            }
        }
    }
    mark(node, false);
    Division best;
    for (const Division& end : ends) {
        if (end.weight > best.weight) best = end;
    }
    for (const auto& [attribute, code] : weighed_) {
        std::int64_t& weight = weight_[attribute][code];
        if (weight > best.weight) best = {attribute, code, code, weight};
        weight = 0;
    }
    weighed_.clear();
    return best;
}

// Whether a closure that holds this part and the code holds the value, too.
bool LeastBox::needs(const Part& part, const Division& division, std::uint32_t code) const {
    const GridAttribute& attribute = grid_.attributes[division.attribute];
    if (attribute.kind == Kind::set) return code == division.low;
    std::uint32_t low = std::min(code, part.low), high = std::max(code, part.high);
    if (attribute.kind == Kind::all_or_nothing) return low < high;
    if (attribute.kind == Kind::tree) {
        const auto node = static_cast<std::size_t>(attribute.source->common_ancestor(low, high));
        low = static_cast<std::uint32_t>(attribute.source->tree.node_first[node]);
        high = static_cast<std::uint32_t>(attribute.source->tree.node_last[node]);
    }
    return low <= division.low && high >= division.high;
}

Units LeastBox::loss_with(std::size_t j, const Part& part, std::uint32_t code) const {
    const GridAttribute& attribute = grid_.attributes[j];
    if (attribute.kind == Kind::set) return attribute.set(part.count + (holds_[j][code] == 0));
    return attribute.pair(std::min(code, part.low), std::max(code, part.high));
}

void LeastBox::divide(Node& node, const Division& division) {
    const std::size_t j = division.attribute;
    const GridAttribute& attribute = grid_.attributes[j];
    const Part before = node.parts[j];
    Part after = before;
    if (attribute.kind == Kind::set) {
        ++after.count;
        after.loss = attribute.set(after.count);
    } else {
        after.low = division.low;
        after.high = division.high;
        after.loss = attribute.pair(after.low, after.high);
    }
    effort_ += static_cast<std::int64_t>(node.candidates.size());
    Node with, without;
    with.parts = node.parts;
    with.parts[j] = after;
    with.loss = node.loss - before.loss + after.loss;
    with.held = node.held;
    without.loss = node.loss;
    without.bound = with.bound = node.bound;
    mark(node, true);
    for (const Candidate& each : node.candidates) {
        const std::uint32_t code = codes(each.place)[j];
        const bool needed = needs(before, division, code);
        if (!needed) without.candidates.push_back(each);
        Units loss = each.loss - loss_with(j, before, code);
        if (attribute.kind == Kind::set && code == division.low) {
            loss += after.loss;
        } else {
            loss += loss_with(j, after, code);
        }
        if (loss < ceiling_) with.candidates.push_back({loss, each.place});
    }
    mark(node, false);
    if (attribute.kind == Kind::set) {
        with.held.push_back({static_cast<std::uint32_t>(j), division.low});
    }
    without.parts = std::move(node.parts);
    without.held = std::move(node.held);
    push(std::move(with));
    push(std::move(without));
}

void LeastBox::push(Node&& node) {
    const Units bound = bound_of(node);
    if (bound < 0) return;
    node.bound = std::max(node.bound, bound);
    if (node.bound >= ceiling_) return;
    node.number = nodes_++;
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), later<Node>);
}

LeastBox::Node LeastBox::pop() {
    std::pop_heap(open_.begin(), open_.end(), later<Node>);
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
}

void LeastBox::mark(const Node& node, bool held) {
    for (const auto& [attribute, code] : node.held) {
        holds_[attribute][code] = held ? 1 : 0;
    }
}

}  // namespace shoal::bounding
