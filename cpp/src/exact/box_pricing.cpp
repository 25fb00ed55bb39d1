#include "exact/box_pricing.hpp"

#include <algorithm>
#include <limits>

namespace shoal::bounding {

namespace {

constexpr Units no_class = std::numeric_limits<Units>::max() / 4;
constexpr std::int64_t effort_until_asked = 1 << 18;  // some ten milliseconds

// The node of the least bound comes first; of equal ones the one whose closure is furthest.
template <class Node>
bool promises_less(const Node& a, const Node& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.loss != b.loss) return a.loss < b.loss;
    return a.number > b.number;
}

}  // namespace

BoxPricing::BoxPricing(const Grid& grid, const NearRows& near, const PricingLimits& limits)
    : grid_(grid), near_rows_(near), limits_(limits), boxes_(grid) {}

Units BoxPricing::price(std::size_t leader, std::span<const Units> ranks,
                        std::span<const Units> prices, PricedClasses& found) {
    if (ranks[leader] <= 0) return 0;
    ranks_ = ranks;
    prices_ = prices;
    leader_ = leader;
    best_ = 0;
    kept_count_ = 0;
    nodes_ = 0;
    open_.clear();
    const std::int64_t end = effort_ + limits_.effort;
    gather();
    push(boxes_.start(leader, near_), -no_class, true);
    Units proved = 0;
    while (!open_.empty()) {
        Node node = pop();
        if (node.bound >= best_) break;
        if (spent(end)) {
            proved = node.bound;
            break;
        }
        const Boxes::Division by = division(node);
        const Units bound = node.bound;
        // A class that costs less than its prices loses less than the highest of them.
        Boxes::Halves halves = boxes_.divide(std::move(node), by, ranks[leader]);
        push(std::move(halves.with), bound, true);
        push(std::move(halves.without), bound, false);
    }
    for (std::size_t i = 0; i < kept_count_; ++i) found.add(kept_[i].members, kept_[i].cost);
    return std::min(best_, proved);
}

void BoxPricing::gather() {
    const Units highest = ranks_[leader_];
    near_.clear();
    near_rows_.for_each_near(leader_, highest, [&](std::int32_t row, Units loss) {
        const auto other = static_cast<std::size_t>(row);
        const bool itself = other == leader_;
        const bool later = ranks_[other] < highest || (ranks_[other] == highest && other > leader_);
        const std::int64_t count = grid_.counts[other] - (itself ? 1 : 0);
        if ((itself || later) && count > 0) near_.push_back({loss, row, count});
    });
}

bool BoxPricing::spent(std::int64_t end) {
    if (effort_ >= effort_asked_) {
        effort_asked_ = effort_ + effort_until_asked;
        if (limits_.over && limits_.over()) return true;
    }
    return effort_ >= end;
}

void BoxPricing::push(Box&& box, Units bound, bool is_new) {
    effort_ += static_cast<std::int64_t>(box.candidates.size());
    tops_.clear();
    std::size_t i = 0, taken = 0;
    for (; i < box.candidates.size() && box.candidates[i].loss <= box.loss; ++i) {
        insert(box.candidates[i]);
    }
    Units least = value(box.loss, taken), widest = box.loss;
    if (least < 0 && is_new) keep(least, box.loss, taken);
    // Candidates that no better class can hold are dropped.
    std::size_t needed = i;
    while (i < box.candidates.size()) {
        const Units loss = box.candidates[i].loss;
        for (; i < box.candidates.size() && box.candidates[i].loss == loss; ++i) {
            insert(box.candidates[i]);
        }
        const Units here = value(loss, taken);
        if (here < best_) needed = i;
        if (here < least) {
            least = here;
            widest = loss;
        }
    }
    // Where the bound rests on the box itself, its best class is known.
    bound = std::max(bound, least);
    if (bound >= best_ || widest == box.loss) return;
    box.candidates.resize(needed);
    open_.push_back(Node{std::move(box), bound, widest, nodes_++});
    std::push_heap(open_.begin(), open_.end(), promises_less<Node>);
}

BoxPricing::Node BoxPricing::pop() {
    std::pop_heap(open_.begin(), open_.end(), promises_less<Node>);
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
}

// The value that most of the records need which the bound rests on.
Boxes::Division BoxPricing::division(const Node& node) {
    tops_.clear();
    for (const Box::Candidate& each : node.candidates) {
        if (each.loss > node.widest) break;
        insert(each);
    }
    std::size_t taken = 0;
    value(node.widest, taken);
    places_.clear();
    for (std::size_t i = 0; i < taken; ++i) places_.emplace_back(tops_[i].place, 1);
    effort_ += static_cast<std::int64_t>(taken);
    return boxes_.most_needed(node, places_);
}

void BoxPricing::insert(const Box::Candidate& candidate) {
    const Boxes::Near& near = boxes_.near(candidate.place);
    const Units price = prices_[static_cast<std::size_t>(near.row)];
    const auto most = static_cast<std::size_t>(2 * limits_.k - 2);
    if (tops_.size() == most && tops_.back().price >= price) return;
    const auto place = std::upper_bound(tops_.begin(), tops_.end(), price,
                                        [](Units p, const Top& top) { return p > top.price; });
    const auto before = static_cast<std::size_t>(place - tops_.begin());
    const std::size_t count = std::min(most - before, static_cast<std::size_t>(near.count));
    tops_.insert(place, count, Top{price, candidate.place});
    if (tops_.size() > most) tops_.resize(most);
}

// The least cost less prices of classes of this loss that hold the leader and any of the tops.
Units BoxPricing::value(Units loss, std::size_t& taken) const {
    const auto least = static_cast<std::size_t>(limits_.k - 1);
    if (tops_.size() < least) return no_class;
    Units sum = loss - prices_[leader_];
    for (taken = 0; taken < tops_.size(); ++taken) {
        const Units more = loss - tops_[taken].price;
        if (taken >= least && more >= 0) break;
        sum += more;
    }
    return sum;
}

void BoxPricing::keep(Units reduced, Units loss, std::size_t taken) {
    best_ = std::min(best_, reduced);
    if (limits_.columns == 0) return;
    std::size_t place = kept_count_;
    if (kept_count_ == limits_.columns) {
        place = 0;
        for (std::size_t i = 1; i < kept_count_; ++i) {
            if (kept_[i].reduced > kept_[place].reduced) place = i;
        }
        if (kept_[place].reduced <= reduced) return;
    } else {
        ++kept_count_;
        if (kept_.size() < kept_count_) kept_.resize(kept_count_);
    }
    Kept& kept = kept_[place];
    kept.reduced = reduced;
    kept.cost = static_cast<Units>(taken + 1) * loss;
    kept.members.assign(1, static_cast<std::int32_t>(leader_));
    for (std::size_t i = 0; i < taken; ++i) {
        kept.members.push_back(boxes_.near(tops_[i].place).row);
    }
}

}  // namespace shoal::bounding
