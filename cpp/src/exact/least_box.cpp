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

LeastBox::LeastBox(const Grid& grid, const NearRows& near, std::int64_t k,
                   const RequiredValues& required)
    : grid_(grid), near_rows_(near), k_(k), required_(required), boxes_(grid) {
    for (const std::int32_t value : required.of_row) {
        seen_.resize(std::max(seen_.size(), static_cast<std::size_t>(value) + 1));
    }
    seen_.resize(std::max<std::size_t>(seen_.size(), 1));
}

LeastBox::Found LeastBox::search(std::size_t row, Units ceiling, std::int64_t effort) {
    if (grid_.counts[row] >= k_ && !required_.any())
        return {std::min(ceiling, grid_.pair(row, row)), true};
    const auto most = static_cast<std::size_t>(effort / effort_a_near);
    gather(row, ceiling, std::max(most, fewest_near));
    // With a lower ceiling more could be proved by more effort.
    const bool all_near = ceiling_ == ceiling;
    effort_ = 0;
    nodes_ = 0;
    open_.clear();
    push(boxes_.start(row, near_), 0);
    while (!open_.empty()) {
        Node node = pop();
        if (node.bound == node.loss) return {node.loss, true};
        if (effort_ >= effort) return {node.bound, false};
        const Boxes::Division by = division(node);
        effort_ += static_cast<std::int64_t>(node.candidates.size());
        const Units bound = node.bound;
        Boxes::Halves halves = boxes_.divide(std::move(node), by, ceiling_);
        push(std::move(halves.with), bound);
        push(std::move(halves.without), bound);
    }
    return {ceiling_, all_near};
}

// Rows that lose less than the ceiling with `row`; with too many of them the ceiling is lowered.
void LeastBox::gather(std::size_t row, Units ceiling, std::size_t most) {
    near_.clear();
    near_rows_.for_each_near(row, ceiling, [&](std::int32_t other, Units loss) {
        near_.push_back({loss, other, grid_.counts[static_cast<std::size_t>(other)]});
    });
    ceiling_ = ceiling;
    if (near_.size() <= most) return;
    const auto nearer = [](const auto& a, const auto& b) { return a.loss < b.loss; };
    std::nth_element(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(most), near_.end(),
                     nearer);
    ceiling_ = near_[most].loss;
    std::erase_if(near_, [this](const Boxes::Near& each) { return each.loss >= ceiling_; });
}

Units LeastBox::bound_of(const Box& box) {
    std::int64_t records = 0, values = 0;
    ++box_;
    for (const Box::Candidate& each : box.candidates) {
        const Boxes::Near& near = boxes_.near(each.place);
        records += near.count;
        std::uint64_t& seen =
            seen_[static_cast<std::size_t>(required_.of(static_cast<std::size_t>(near.row)))];
        if (seen != box_) ++values;
        seen = box_;
        if (records >= k_ && values >= required_.different) return each.loss;
    }
    return -1;
}

// The value that most of the records need which the bound rests on.
Boxes::Division LeastBox::division(const Node& node) {
    places_.clear();
    for (const Box::Candidate& each : node.candidates) {
        if (each.loss > node.bound) break;
        places_.emplace_back(each.place, boxes_.near(each.place).count);
    }
    effort_ += static_cast<std::int64_t>(places_.size() * grid_.width);
    return boxes_.most_needed(node, places_);
}

void LeastBox::push(Box&& box, Units bound) {
    const Units of_records = bound_of(box);
    if (of_records < 0) return;
    bound = std::max(bound, of_records);
    if (bound >= ceiling_) return;
    open_.push_back(Node{std::move(box), bound, nodes_++});
    std::push_heap(open_.begin(), open_.end(), later<Node>);
}

LeastBox::Node LeastBox::pop() {
    std::pop_heap(open_.begin(), open_.end(), later<Node>);
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
}

}  // namespace shoal::bounding
