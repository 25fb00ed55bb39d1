#include "exact/bound_pricing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace shoal::bounding {

namespace {
constexpr Units impossible = std::numeric_limits<Units>::max() / 4;
constexpr std::uint32_t mask_codes = 64;
constexpr std::int64_t effort_between_questions = 1 << 18;  // some ten milliseconds
}  // namespace

LeaderPricing::LeaderPricing(const Grid& grid, const NearRows& near, const PricingLimits& limits)
    : grid_(grid), near_rows_(near), limits_(limits), kept_(limits.columns) {}

Units LeaderPricing::price(std::size_t leader, std::span<const Units> prices, const Fees& fees,
                           PricedClasses& found) {
    prices_ = prices;
    fees_ = &fees;
    leader_ = leader;
    const Units highest = prices[leader];
    if (highest <= 0) return 0;
    near_.clear();
    near_rows_.for_each_near(leader, highest, [&](std::int32_t row, Units loss) {
        const auto other = static_cast<std::size_t>(row);
        const bool later = prices[other] < highest || (prices[other] == highest && other > leader);
        if (later) near_.push_back({loss, row});
    });
    // Further records of the leader itself pay like others.
    const bool repeated = fees.charged(leader) && grid_.counts[leader] > 1;
    if (repeated) near_.push_back({grid_.pair(leader, leader), static_cast<std::int32_t>(leader)});
    near_codes_.resize(near_.size() * grid_.width);
    for (std::size_t i = 0; i < near_.size(); ++i) {
        const std::uint32_t* codes = grid_.codes(static_cast<std::size_t>(near_[i].row));
        std::copy(codes, codes + grid_.width,
                  near_codes_.begin() + static_cast<std::ptrdiff_t>(i * grid_.width));
    }
    if (nodes_.empty()) nodes_.resize(1);
    Node& root = nodes_[0];
    const std::uint32_t* codes = grid_.codes(leader);
    root.parts.resize(grid_.width);
    root.held.clear();
    root.loss = 0;
    root.lowest = impossible;
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const std::uint32_t code = codes[j];
        root.parts[j] = {code, code, 1, code < mask_codes ? std::uint64_t{1} << code : 0,
                         grid_.attributes[j].pair(code, code)};
        root.loss += root.parts[j].loss;
    }
    forced_.assign(1, static_cast<std::int32_t>(leader));
    held_.resize(fees.cuts());
    forced_price_ = highest - fees.of_one_more(leader, held_);
    fees.hold(leader, 1, held_);
    kept_.clear();
    best_ = bound_ = 0;
    effort_end_ = effort_ + limits_.effort;
    const std::size_t most = static_cast<std::size_t>(2 * limits_.k - 2);
    root.free.clear();
    root.candidates.clear();
    root.excluded.clear();
    if (!repeated) {
        insert_free(root.free, highest, static_cast<std::int32_t>(leader), grid_.counts[leader] - 1,
                    most);
    }
    for (std::uint32_t i = 0; i < near_.size(); ++i) {
        sort_in(root, i, near_[i].loss, copies_left(static_cast<std::size_t>(near_[i].row)), most);
    }
    visit(0);
    fees.hold(leader, -1, held_);
    kept_.add_to(found);
    return std::min(best_, bound_);
}

// Records of a near row, with which the closure has this loss, are free or a candidate.
void LeaderPricing::sort_in(Node& node, std::uint32_t place, Units loss, std::int64_t copies,
                            std::size_t most) const {
    const std::int32_t row = near_[place].row;
    const auto which = static_cast<std::size_t>(row);
    if (loss <= node.loss && !fees_->charged(which)) {
        insert_free(node.free, prices_[which], row, copies, most);
    } else if (loss < prices_[leader_] && copies > 0) {
        node.candidates.push_back({loss, prices_[which], place});
    }
}

// How many records of a row are not forced.
std::int64_t LeaderPricing::copies_left(std::size_t row) const {
    return grid_.counts[row] -
           std::count(forced_.begin(), forced_.end(), static_cast<std::int32_t>(row));
}

// The least cost less prices of classes of this loss that hold the forced rows and free records.
Units LeaderPricing::value(const std::vector<Free>& free, Units loss, std::size_t& taken) const {
    const std::size_t forced = forced_.size();
    const auto k = static_cast<std::size_t>(limits_.k);
    const std::size_t least = forced < k ? k - forced : 0;
    const std::size_t most = std::min(free.size(), 2 * k - 1 - forced);
    if (free.size() < least) return impossible;
    Units sum = static_cast<Units>(forced) * loss - forced_price_;
    for (taken = 0; taken < most; ++taken) {
        const Units more = loss - free[taken].price;
        if (taken >= least && more >= 0) break;
        sum += more;
    }
    return sum;
}

void LeaderPricing::insert_free(std::vector<Free>& free, Units price, std::int32_t row,
                                std::int64_t copies, std::size_t most) const {
    if (most == 0 || copies <= 0) return;
    if (free.size() == most && free.back().price >= price) return;
    const auto place = std::upper_bound(free.begin(), free.end(), price,
                                        [](Units p, const Free& f) { return p > f.price; });
    const auto before = static_cast<std::size_t>(place - free.begin());
    const std::size_t count = std::min(most - before, static_cast<std::size_t>(copies));
    free.insert(place, count, Free{price, row});
    if (free.size() > most) free.resize(most);
}

void LeaderPricing::visit(std::size_t depth) {
    {
        Node& node = nodes_[depth];
        std::size_t taken = 0;
        const Units reduced = value(node.free, node.loss, taken);
        if (reduced < cutoff()) {
            const auto size = static_cast<Units>(forced_.size() + taken);
            keep(reduced, size * node.loss, node, taken);
        }
        if (forced_.size() + 1 >= static_cast<std::size_t>(2 * limits_.k)) return;
        if (!can_be_best(node, node.lowest, node.loss, forced_.size())) return;
        std::erase_if(node.candidates, [&](const Candidate& candidate) {
            return !can_be_best(node, std::min(candidate.price, node.lowest), candidate.loss,
                                forced_.size() + 1);
        });
        std::sort(node.candidates.begin(), node.candidates.end(), [](auto& a, auto& b) {
            return a.price != b.price ? a.price > b.price : a.place < b.place;
        });
        node.by_loss.resize(node.candidates.size());
        std::iota(node.by_loss.begin(), node.by_loss.end(), 0u);
        std::sort(node.by_loss.begin(), node.by_loss.end(), [&](std::uint32_t a, std::uint32_t b) {
            const Units left = node.candidates[a].loss, right = node.candidates[b].loss;
            return left != right ? left < right : a < b;
        });
    }
    if (nodes_.size() <= depth + 1) nodes_.resize(depth + 2);
    std::size_t next_bound = 0;
    for (std::size_t i = 0; i < nodes_[depth].candidates.size(); ++i) {
        Node& node = nodes_[depth];
        // The fewer candidates are left, the better the bound; it costs as much as a child.
        if (i >= next_bound) {
            node.bound = bound_from(node, i);
            next_bound = i + i / 2 + 1;
            effort_ += static_cast<std::int64_t>(node.candidates.size());
        }
        if (node.bound >= cutoff() || spent()) {
            bound_ = std::min(bound_, node.bound);
            return;
        }
        const std::int32_t row = near_[node.candidates[i].place].row;
        const auto which = static_cast<std::size_t>(row);
        const Units fee = fees_->of_one_more(which, held_);
        const Units least = bound_of(node, node.candidates[i], fee);
        if (least >= cutoff()) {
            bound_ = std::min(bound_, least);
            continue;
        }
        const Units net = node.candidates[i].price - fee;
        forced_.push_back(row);
        fees_->hold(which, 1, held_);
        forced_price_ += net;
        if (open_child(depth, i)) visit(depth + 1);
        forced_price_ -= net;
        fees_->hold(which, -1, held_);
        forced_.pop_back();
    }
}

// Whether the search for this leader has to end.
bool LeaderPricing::spent() {
    if (effort_ >= effort_asked_) {
        effort_asked_ = effort_ + effort_between_questions;
        if (limits_.over && limits_.over()) effort_end_ = effort_;
    }
    return effort_ >= effort_end_;
}

// Lower bound of the classes whose first candidate is this one or a later one: one whose widest
// member raises the loss to that of a candidate holds none beyond it.
Units LeaderPricing::bound_from(const Node& node, std::size_t candidate) {
    const std::size_t most = static_cast<std::size_t>(2 * limits_.k - 1) - forced_.size();
    scratch_ = node.free;
    Units least = impossible;
    std::size_t taken = 0;
    for (const std::uint32_t i : node.by_loss) {
        if (i < candidate) continue;
        const Candidate& each = node.candidates[i];
        const std::int32_t row = near_[each.place].row;
        insert_free(scratch_, each.price, row, grid_.counts[static_cast<std::size_t>(row)], most);
        least = std::min(least, value(scratch_, each.loss, taken));
    }
    return least;
}

// The same of the classes whose first candidate is this one, at this fee: later ones have no
// higher price, and may have fees of their own.
Units LeaderPricing::bound_of(const Node& node, const Candidate& candidate, Units fee) const {
    const auto k = static_cast<std::size_t>(limits_.k);
    const std::size_t held = forced_.size() + 1;
    const std::size_t least = held < k ? k - held : 0;
    const std::size_t most = 2 * k - 1 - held;
    Units sum = static_cast<Units>(held) * candidate.loss - forced_price_ - candidate.price + fee;
    for (std::size_t i = 0; i < most; ++i) {
        const Units price =
            i < node.free.size() ? std::max(node.free[i].price, candidate.price) : candidate.price;
        const Units more = candidate.loss - price;
        if (i >= least && more >= 0) break;
        sum += more;
    }
    return sum;
}

// In a best class every free record of a higher price than one of its members is a member too: it
// could take that one's place at no more loss and no more fees. And if it has more than k members,
// each is worth its loss, since it could be left out. So a class of `size` held rows, the cheapest
// of this price, and at least this loss is looked for only if it can be so.
bool LeaderPricing::can_be_best(const Node& node, Units price, Units loss, std::size_t size) const {
    for (const Free& free : node.free) {
        if (free.price <= price) break;
        ++size;
    }
    const auto k = static_cast<std::size_t>(limits_.k);
    return size < 2 * k && (size <= k || price >= loss);
}

// Whether the child can hold a best class.
bool LeaderPricing::open_child(std::size_t depth, std::size_t candidate) {
    const Node& parent = nodes_[depth];
    Node& child = nodes_[depth + 1];
    child.parts = parent.parts;
    child.held = parent.held;
    const std::uint32_t place = parent.candidates[candidate].place;
    const auto row = static_cast<std::size_t>(near_[place].row);
    grow(child, near_codes_.data() + place * grid_.width);
    child.loss = parent.candidates[candidate].loss;
    child.lowest = std::min(parent.lowest, prices_[row]);
    effort_ += 1 + static_cast<std::int64_t>(parent.candidates.size());
    // Classes with these rows are looked at elsewhere, and cost less if this closure holds one that
    // has no fee.
    child.excluded.clear();
    const auto exclude = [&](std::uint32_t other) {
        if (fees_->charged(static_cast<std::size_t>(near_[other].row))) return false;
        const Units price = prices_[static_cast<std::size_t>(near_[other].row)];
        const Units loss = loss_adding(child, near_codes_.data() + other * grid_.width);
        if (loss <= child.loss && price > child.lowest) return true;
        if (loss < prices_[leader_]) child.excluded.push_back(other);
        return false;
    };
    for (const std::uint32_t other : parent.excluded) {
        if (exclude(other)) return false;
    }
    for (std::size_t i = 0; i < candidate; ++i) {
        if (exclude(parent.candidates[i].place)) return false;
    }
    effort_ += static_cast<std::int64_t>(parent.excluded.size());
    const std::size_t most = static_cast<std::size_t>(2 * limits_.k - 1) - forced_.size();
    child.free = parent.free;
    if (child.free.size() > most) child.free.resize(most);
    child.candidates.clear();
    // Further records of the row itself; forced are those with a fee only, one by one.
    sort_in(child, place, child.loss,
            fees_->charged(row) ? copies_left(row) : grid_.counts[row] - 1, most);
    for (std::size_t i = candidate + 1; i < parent.candidates.size(); ++i) {
        const std::uint32_t other = parent.candidates[i].place;
        const Units loss = loss_adding(child, near_codes_.data() + other * grid_.width);
        sort_in(child, other, loss, grid_.counts[static_cast<std::size_t>(near_[other].row)], most);
    }
    return true;
}

void LeaderPricing::keep(Units reduced, Units cost, const Node& node, std::size_t taken) {
    best_ = std::min(best_, reduced);
    if (std::vector<std::int32_t>* members = kept_.add(reduced, cost)) {
        *members = forced_;
        for (std::size_t i = 0; i < taken; ++i) members->push_back(node.free[i].row);
    }
}

Units LeaderPricing::loss_adding(const Node& node, const std::uint32_t* codes) const {
    Units loss = 0;
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const GridAttribute& attribute = grid_.attributes[j];
        const Part& part = node.parts[j];
        const std::uint32_t code = codes[j];
        if (attribute.kind == Kind::set) {
            bool held = false;
            if (attribute.code_count <= mask_codes) {
                held = (part.mask >> code & 1) != 0;
            } else {
                held = code == part.low || code == part.high;
                for (std::size_t i = 0; i < node.held.size() && !held; i += 2) {
                    held = node.held[i] == j && node.held[i + 1] == code;
                }
            }
            loss += held ? part.loss : attribute.set(part.count + 1);
        } else if (code >= part.low && code <= part.high) {
            loss += part.loss;
        } else {
            const std::uint32_t low = std::min(part.low, code), high = std::max(part.high, code);
            switch (attribute.kind) {
                case Kind::interval:
                    loss += attribute.interval(low, high);
                    break;
                case Kind::tree:
                    loss += attribute.tree(low, high);
                    break;
                default:
                    loss += attribute.whole;
            }
        }
    }
    return loss;
}

void LeaderPricing::grow(Node& node, const std::uint32_t* codes) const {
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const GridAttribute& attribute = grid_.attributes[j];
        Part& part = node.parts[j];
        const std::uint32_t code = codes[j];
        const std::uint32_t low = std::min(part.low, code), high = std::max(part.high, code);
        switch (attribute.kind) {
            case Kind::interval:
                part.loss = attribute.interval(low, high);
                break;
            case Kind::tree:
                part.loss = attribute.tree(low, high);
                break;
            case Kind::all_or_nothing:
                part.loss = low == high ? 0 : attribute.whole;
                break;
            case Kind::set: {
                bool held = false;
                if (attribute.code_count <= mask_codes) {
                    held = (part.mask >> code & 1) != 0;
                    part.mask |= std::uint64_t{1} << code;
                } else {
                    held = code == part.low || code == part.high;
                    for (std::size_t i = 0; i < node.held.size() && !held; i += 2) {
                        held = node.held[i] == j && node.held[i + 1] == code;
                    }
                    // Ends that are no ends any more must still be known.
                    if (!held) {
                        node.held.push_back(static_cast<std::uint32_t>(j));
                        node.held.push_back(code < part.low    ? part.low
                                            : code > part.high ? part.high
                                                               : code);
                    }
                }
                if (!held) part.loss = attribute.set(++part.count);
                break;
            }
        }
        part.low = low;
        part.high = high;
    }
}

}  // namespace shoal::bounding
