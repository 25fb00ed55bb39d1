#include "exact/box_pricing.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace shoal::bounding {

namespace {

constexpr Units no_class = std::numeric_limits<Units>::max() / 4;
// Of the least price that a box's bound rests on, the part that every member pays for the loss of
// the box itself. Any part is sound; this one was chosen on Adult as sets with k = 50.
constexpr double paid_by_each = 0.4;
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
    : grid_(grid),
      near_rows_(near),
      limits_(limits),
      boxes_(grid),
      needs_(grid),
      kept_(limits.columns) {}

Units BoxPricing::price(std::size_t leader, std::span<const Units> ranks,
                        std::span<const Units> prices, PricedClasses& found) {
    if (ranks[leader] <= 0) return 0;
    ranks_ = ranks;
    prices_ = prices;
    leader_ = leader;
    best_ = 0;
    kept_.clear();
    nodes_ = 0;
    open_.clear();
    const std::int64_t end = effort_ + limits_.effort;
    gather();
    Box first = boxes_.start(leader, near_);
    price_of_.clear();
    for (std::uint32_t place = 0; place < boxes_.size(); ++place) {
        price_of_.push_back(prices[static_cast<std::size_t>(boxes_.near(place).row)]);
    }
    if (limits_.required.any()) {
        company_.open(limits_.required.different, limits_.required.of(leader));
    }
    push(std::move(first), -no_class, true);
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
    kept_.add_to(found);
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
    auto& candidates = box.candidates;
    effort_ += static_cast<std::int64_t>(candidates.size());
    clear_tops();
    levels_.clear();
    std::size_t i = 0;
    for (; i < candidates.size() && candidates[i].loss <= box.loss; ++i) {
        insert(candidates[i].place, box.loss);
    }
    levels_.push_back(level_of(box.loss));
    Units least = levels_.back().least, widest = box.loss, threshold = 0, bringing = 0;
    if (least < 0 && is_new) keep(least, box);
    while (i < candidates.size()) {
        const Units loss = candidates[i].loss;
        bool changed = false;
        for (; i < candidates.size() && candidates[i].loss == loss; ++i) {
            changed |= insert(candidates[i].place, loss);
        }
        // With the same records, a wider class costs more.
        if (!changed) continue;
        levels_.push_back(level_of(loss));
        if (levels_.back().least < least) {
            least = levels_.back().least;
            widest = loss;
            threshold = tops_[taken(loss) - 1];
            if (company_.surplus(loss) > 0) threshold = std::min(threshold, loss);
            bringing = company_.least_price();
        }
    }
    // Where the bound rests on the box itself, its best class is known.
    bound = std::max(bound, least);
    if (bound >= best_ || widest == box.loss) return;
    drop_useless(candidates);
    bound = raise(box, bound, threshold);
    if (bound >= best_) return;
    open_.push_back(Node{std::move(box), bound, widest, threshold, bringing, nodes_++});
    std::push_heap(open_.begin(), open_.end(), promises_less<Node>);
}

// Raises the bound of a box by what the values that its candidates need take off their prices.
Units BoxPricing::raise(const Box& box, Units bound, Units threshold) {
    const auto price = static_cast<Units>(static_cast<double>(threshold) * paid_by_each);
    // Classes that lose less than this price are bounded as before.
    Units narrow = no_class;
    for (const Level& level : levels_) {
        if (level.loss < price) narrow = std::min(narrow, level.least);
    }
    if (narrow <= bound) return bound;
    return std::max(bound, std::min(narrow, bound_by_needs(box, price, bound)));
}

// What classes that lose at least `price` cost at least, less their prices. Of every member's price
// so much is set against the loss of the box, and the rest against the values that it needs. Ends
// early where that is not more than `enough`.
Units BoxPricing::bound_by_needs(const Box& box, Units price, Units enough) {
    Units least = limits_.k * box.loss - prices_[leader_] - (limits_.k - 1) * price;
    needs_.open(box, limits_.k);
    for (const Box::Candidate& each : box.candidates) {
        const Units more = price_of_[each.place] - price;
        if (more <= 0) continue;
        std::int64_t copies = boxes_.near(each.place).count;
        if (!limits_.required.any()) copies = std::min(copies, 2 * limits_.k - 2);
        least -= needs_.rest(boxes_.codes(each.place), copies * more);
        if (least <= enough) break;
    }
    return least;
}

// Drops the candidates that no class better than the best one holds. A class that holds one has at
// least the loss that it makes, and holds it in place of a record of a higher price, or beside k.
void BoxPricing::drop_useless(std::vector<Box::Candidate>& candidates) {
    Units least = no_class, exchanged = no_class;
    std::size_t level = levels_.size();
    auto kept = candidates.end();
    for (auto each = candidates.end(); each != candidates.begin();) {
        --each;
        // Between two levels, the lower one holds.
        while (level > 0 && (level == levels_.size() || levels_[level].loss > each->loss)) {
            --level;
            least = std::min(least, levels_[level].least);
            exchanged = std::min(exchanged, levels_[level].any + levels_[level].dearest);
        }
        if (least < best_ && exchanged - price_of_[each->place] < best_) *--kept = *each;
    }
    candidates.erase(candidates.begin(), kept);
}

BoxPricing::Node BoxPricing::pop() {
    std::pop_heap(open_.begin(), open_.end(), promises_less<Node>);
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
}

// The value that most of the records need which the bound rests on.
Boxes::Division BoxPricing::division(const Node& node) {
    places_.clear();
    for (const Box::Candidate& each : node.candidates) {
        if (each.loss > node.widest) break;
        const Units price = price_of_[each.place];
        const bool brings = limits_.required.any() && price >= node.bringing &&
                            value_of(each.place) != limits_.required.of(leader_);
        if (price < node.threshold && !brings) continue;
        places_.emplace_back(each.place, boxes_.near(each.place).count);
    }
    effort_ += static_cast<std::int64_t>(places_.size());
    return boxes_.most_needed(node, places_);
}

void BoxPricing::clear_tops() {
    tops_.clear();
    sum_ = 0;
    company_.clear();
}

// Returns whether classes of this loss or more may be better with records of this row.
bool BoxPricing::insert(std::uint32_t place, Units loss) {
    const Units price = price_of_[place];
    const bool valued = limits_.required.any();
    const auto least = static_cast<std::size_t>(limits_.k - 1), most = valued ? least : 2 * least;
    const bool changed =
        valued && company_.insert(price, value_of(place), boxes_.near(place).count, loss);
    if (tops_.size() >= least && price <= loss && (least == 0 || price <= tops_[least - 1])) {
        return changed;
    }
    if (tops_.size() == most && (most == 0 || price <= tops_.back())) return changed;
    const auto above = std::upper_bound(tops_.begin(), tops_.end(), price, std::greater<>());
    const auto before = static_cast<std::size_t>(above - tops_.begin());
    const auto copies = static_cast<std::size_t>(boxes_.near(place).count);
    if (before < least) {
        const std::size_t entering = std::min(copies, least - before);
        sum_ += static_cast<Units>(entering) * price;
        for (std::size_t i = least - entering; i < std::min(least, tops_.size()); ++i) {
            sum_ -= tops_[i];
        }
    }
    tops_.insert(above, std::min(copies, most - before), price);
    if (tops_.size() > most) tops_.resize(most);
    return true;
}

// How many of the tops the best class of this loss holds.
std::size_t BoxPricing::taken(Units loss) const {
    auto count = static_cast<std::size_t>(limits_.k - 1);
    while (count < tops_.size() && tops_[count] > loss) ++count;
    return count;
}

// The least cost less prices of classes of this loss that hold the leader and any of the tops.
BoxPricing::Level BoxPricing::level_of(Units loss) {
    const auto least = static_cast<std::size_t>(limits_.k - 1);
    if (tops_.size() < least) return {loss, no_class, no_class, 0};
    Units sum = limits_.k * loss - prices_[leader_] - sum_;
    for (std::size_t i = least; i < tops_.size() && tops_[i] > loss; ++i) sum += loss - tops_[i];
    const Units dearest = least == 0 ? 0 : std::min(loss, tops_[least - 1]);
    if (!limits_.required.any()) return {loss, sum, sum, dearest};
    // Beyond the least class, all that are worth more than they lose.
    sum -= company_.surplus(loss);
    for (std::size_t i = 0; i < least && tops_[i] > loss; ++i) sum += tops_[i] - loss;
    if (!company_.complete()) return {loss, no_class, sum, dearest};
    return {loss, sum + company_.given_up(least == 0 ? loss : dearest), sum, dearest};
}

void BoxPricing::keep(Units reduced, const Box& box) {
    best_ = std::min(best_, reduced);
    if (limits_.required.any()) return keep_with_values(box);
    const std::size_t size = taken(box.loss);
    const Units cost = static_cast<Units>(size + 1) * box.loss;
    std::vector<std::int32_t>* members = kept_.add(reduced, cost);
    if (members == nullptr) return;
    members->assign(1, static_cast<std::int32_t>(leader_));
    // Dearer ones first; of those at the threshold as many as are left.
    const Units threshold = size == 0 ? 0 : tops_[size - 1];
    for (const bool at_threshold : {false, true}) {
        for (const Box::Candidate& each : box.candidates) {
            if (each.loss > box.loss) break;
            const Units price = price_of_[each.place];
            if (at_threshold ? price != threshold : price <= threshold) continue;
            const auto copies = static_cast<std::size_t>(boxes_.near(each.place).count);
            members->insert(members->end(), std::min(copies, size + 1 - members->size()),
                            boxes_.near(each.place).row);
        }
    }
}

// The best record of each value that is lacking comes first, then the dearest ones up to k, then
// those that are worth more than they lose.
void BoxPricing::keep_with_values(const Box& box) {
    struct Joining {
        Units price;
        std::uint32_t place;
        std::int64_t copies;
    };
    std::vector<Joining> joining;
    for (const Box::Candidate& each : box.candidates) {
        if (each.loss > box.loss) break;
        joining.push_back({price_of_[each.place], each.place, boxes_.near(each.place).count});
    }
    std::stable_sort(joining.begin(), joining.end(),
                     [](const Joining& a, const Joining& b) { return a.price > b.price; });
    std::vector<std::int32_t> members{static_cast<std::int32_t>(leader_)};
    std::vector<std::int32_t> values{limits_.required.of(leader_)};
    Units reduced = box.loss - prices_[leader_];
    const auto join = [&](Joining& each, std::int64_t copies) {
        each.copies -= copies;
        reduced += copies * (box.loss - each.price);
        members.insert(members.end(), static_cast<std::size_t>(copies),
                       boxes_.near(each.place).row);
    };
    for (Joining& each : joining) {
        if (static_cast<std::int64_t>(values.size()) == limits_.required.different) break;
        const std::int32_t value = value_of(each.place);
        if (std::find(values.begin(), values.end(), value) != values.end()) continue;
        values.push_back(value);
        join(each, 1);
    }
    for (Joining& each : joining) {
        const std::int64_t lacking = limits_.k - static_cast<std::int64_t>(members.size());
        if (lacking <= 0 && each.price <= box.loss) break;
        join(each, each.price > box.loss ? each.copies : std::min(each.copies, lacking));
    }
    if (reduced >= 0) return;
    std::vector<std::int32_t>* kept =
        kept_.add(reduced, static_cast<Units>(members.size()) * box.loss);
    if (kept != nullptr) *kept = std::move(members);
}

}  // namespace shoal::bounding
