#include "shoal/recoding/value_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "common/scalars.hpp"

namespace shoal {

namespace {

std::int32_t draw(Random& random, std::size_t bound) {
    return static_cast<std::int32_t>(random.below(bound));
}

double uniform(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

}  // namespace

ValueGroups::ValueGroups(std::uint32_t values)
    : group_of_(values, 0),
      members_(values + std::size_t{1}),
      place_(values),
      empty_place_(values + std::size_t{1}, -1) {
    members_[0].resize(values);
    std::iota(members_[0].begin(), members_[0].end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
    for (std::size_t group = values; group > 0; --group) {
        empty_place_[group] = static_cast<std::int32_t>(empty_.size());
        empty_.push_back(static_cast<std::int32_t>(group));
    }
}

void ValueGroups::move(std::int32_t value, std::int32_t to) {
    const std::int32_t from = group_of_[index(value)];
    if (from == to) return;
    auto& left = members_[index(from)];
    const std::int32_t hole = place_[index(value)];
    left[index(hole)] = left.back();
    place_[index(left.back())] = hole;
    left.pop_back();
    auto& joined = members_[index(to)];
    if (joined.empty()) {
        const std::int32_t gap = empty_place_[index(to)];
        empty_[index(gap)] = empty_.back();
        empty_place_[index(empty_.back())] = gap;
        empty_.pop_back();
        empty_place_[index(to)] = -1;
    }
    place_[index(value)] = static_cast<std::int32_t>(joined.size());
    joined.push_back(value);
    group_of_[index(value)] = to;
    if (left.empty()) {
        empty_place_[index(from)] = static_cast<std::int32_t>(empty_.size());
        empty_.push_back(from);
    }
}

Regrouping::Regrouping(const Attribute& attribute, bool contiguous) {
    switch (attribute.kind) {
        case Kind::interval:
            way_ = contiguous ? Way::contiguous : Way::free;
            return;
        case Kind::set:
            way_ = Way::free;
            return;
        case Kind::all_or_nothing:
            way_ = Way::all_or_nothing;
            return;
        case Kind::tree:
            way_ = Way::tree;
    }
    // Nodes with the same leaves are one division's group, whatever their names.
    const Tree& tree = attribute.tree;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;
    const auto node_of = [&](std::uint32_t level, std::uint32_t code) {
        const std::size_t node = at(tree.above(level, code, attribute.code_count));
        const std::pair leaves(tree.node_first[node], tree.node_last[node]);
        const auto [found, fresh] = known.emplace(leaves, static_cast<std::int32_t>(first_.size()));
        if (fresh) {
            first_.push_back(leaves.first);
            last_.push_back(leaves.second);
            children_.emplace_back();
            parent_.push_back(-1);
        }
        return found->second;
    };
    for (std::uint32_t level = 0; level + 1 < tree.levels; ++level) {
        for (std::uint32_t code = 0; code < attribute.code_count; ++code) {
            const std::int32_t low = node_of(level, code);
            const std::int32_t high = node_of(level + 1, code);
            if (low == high || parent_[at(low)] >= 0) continue;
            parent_[at(low)] = high;
            children_[at(high)].push_back(low);
        }
    }
}

bool Regrouping::propose(const ValueGroups& groups, Random& random, double uncollapse,
                         Move& move) const {
    move.transfers.clear();
    move.log_ratio = 0.0;
    if (groups.values() < 2) return false;
    if (uncollapse <= 0 && way_ != Way::free) uncollapse = 0.5;
    switch (way_) {
        case Way::free:
            return propose_free(groups, random, uncollapse, move);
        case Way::contiguous:
            return propose_contiguous(groups, random, uncollapse, move);
        case Way::tree:
            return propose_tree(groups, random, uncollapse, move);
        case Way::all_or_nothing:
            return propose_all_or_nothing(groups, random, uncollapse, move);
    }
    return false;
}

// Chances: a value joins a group of b others with chance (1 - u)·b / (V·(V - b)), by any y of
// that group, and leaves for a group of its own with chance u / V. Twice that, where the other of
// two values could have made the same step. Without a chance of uncollapsing given, y and all
// values outside its group are drawn alike, as printed: u is 1 / (1 + V - size of the group).
bool Regrouping::propose_free(const ValueGroups& groups, Random& random, double uncollapse,
                              Move& move) const {
    const double values = groups.values();
    const auto parting = [&](double size) {
        return uncollapse > 0 ? uncollapse : 1 / (1 + values - size);
    };
    const auto join = [&](double others) {
        return (1 - parting(others)) * others / (values * (values - others));
    };
    const auto leave = [&](double size) { return parting(size) / values; };
    const std::int32_t y = draw(random, at(groups.values()));
    const std::int32_t home = groups.group_of(y);
    const std::int32_t here = groups.size(home);
    if (uniform(random) < parting(here)) {
        if (here == 1) return false;
        move.transfers.push_back({y, home, groups.empty_group()});
        const double twice = here == 2 ? 2.0 : 1.0;
        move.log_ratio = std::log(twice * join(here - 1) / (twice * leave(here)));
        return true;
    }
    if (here == groups.values()) return false;
    std::int32_t z = draw(random, at(groups.values()));
    while (groups.group_of(z) == home) z = draw(random, at(groups.values()));
    const std::int32_t from = groups.group_of(z);
    const std::int32_t there = groups.size(from);
    move.transfers.push_back({z, from, home});
    if (there == 1) {
        const double twice = here == 1 ? 2.0 : 1.0;
        move.log_ratio = std::log(twice * leave(here + 1) / (twice * join(here)));
    } else {
        move.log_ratio = std::log(join(there - 1) / join(here));
    }
    return true;
}

bool Regrouping::propose_contiguous(const ValueGroups& groups, Random& random, double uncollapse,
                                    Move& move) const {
    const std::int32_t last = groups.values() - 1;
    const std::int32_t borders = groups.number() - 1;
    const auto border_at = [&](std::int32_t value) {
        return groups.group_of(value) != groups.group_of(value + 1);
    };
    // The drawn one of all places where there is (or is not) a border after the value.
    const auto pick = [&](bool border, std::int32_t many) {
        std::int32_t rest = draw(random, at(many));
        for (std::int32_t value = 0;; ++value) {
            if (border_at(value) == border && rest-- == 0) return value;
        }
    };
    const auto give = [&](std::int32_t group, std::int32_t to) {
        for (const std::int32_t value : groups.members(group)) {
            move.transfers.push_back({value, group, to});
        }
    };
    if (uniform(random) < 1.0 / 3) {  // shift a border by one value
        if (borders == 0) return false;
        const std::int32_t value = pick(true, borders);
        const bool up = random.below(2) == 0;
        const std::int32_t moved = up ? value + 1 : value;
        const std::int32_t from = groups.group_of(moved);
        if (groups.size(from) == 1) return false;
        move.transfers.push_back({moved, from, groups.group_of(up ? value : value + 1)});
        return true;
    }
    if (uniform(random) < uncollapse) {
        if (borders == last) return false;
        const std::int32_t value = pick(false, last - borders);
        const std::int32_t group = groups.group_of(value);
        const std::int32_t fresh = groups.empty_group();
        for (const std::int32_t member : groups.members(group)) {
            if (member > value) move.transfers.push_back({member, group, fresh});
        }
        move.log_ratio = std::log((1 - uncollapse) / (borders + 1)) -
                         std::log(uncollapse / static_cast<double>(last - borders));
        return true;
    }
    if (borders == 0) return false;
    const std::int32_t value = pick(true, borders);
    const std::int32_t low = groups.group_of(value), high = groups.group_of(value + 1);
    if (groups.size(low) < groups.size(high)) {
        give(low, high);
    } else {
        give(high, low);
    }
    move.log_ratio = std::log(uncollapse / static_cast<double>(last - borders + 1)) -
                     std::log((1 - uncollapse) / borders);
    return true;
}

bool Regrouping::is_group(const ValueGroups& groups, std::size_t node) const {
    return groups.size(groups.group_of(first_[node])) == last_[node] - first_[node] + 1 &&
           groups.group_of(first_[node]) == groups.group_of(last_[node]);
}

bool Regrouping::children_are_groups(const ValueGroups& groups, std::size_t node) const {
    return !children_[node].empty() &&
           std::all_of(children_[node].begin(), children_[node].end(),
                       [&](std::int32_t child) { return is_group(groups, at(child)); });
}

bool Regrouping::propose_tree(const ValueGroups& groups, Random& random, double uncollapse,
                              Move& move) const {
    std::vector<std::size_t> parted, united;  // nodes that may be united, and parted
    for (std::size_t node = 0; node < children_.size(); ++node) {
        if (children_[node].empty()) continue;
        if (is_group(groups, node)) {
            united.push_back(node);
        } else if (children_are_groups(groups, node)) {
            parted.push_back(node);
        }
    }
    const auto inner_children = [&](std::size_t node) {
        return std::count_if(children_[node].begin(), children_[node].end(),
                             [&](std::int32_t child) { return !children_[at(child)].empty(); });
    };
    if (uniform(random) < uncollapse) {
        if (united.empty()) return false;
        const std::size_t node = united[random.below(united.size())];
        const std::int32_t group = groups.group_of(first_[node]);
        for (std::size_t i = 1; i < children_[node].size(); ++i) {
            const std::size_t child = at(children_[node][i]);
            const std::int32_t fresh = groups.empty_group(i - 1);
            for (std::int32_t leaf = first_[child]; leaf <= last_[child]; ++leaf) {
                move.transfers.push_back({leaf, group, fresh});
            }
        }
        const bool above = parent_[node] >= 0 && children_are_groups(groups, at(parent_[node]));
        const double back = static_cast<double>(parted.size()) + 1 - (above ? 1 : 0);
        move.log_ratio = std::log((1 - uncollapse) / back) -
                         std::log(uncollapse / static_cast<double>(united.size()));
        return true;
    }
    if (parted.empty()) return false;
    const std::size_t node = parted[random.below(parted.size())];
    const std::int32_t kept = groups.group_of(first_[at(children_[node][0])]);
    for (std::size_t i = 1; i < children_[node].size(); ++i) {
        const std::size_t child = at(children_[node][i]);
        for (std::int32_t leaf = first_[child]; leaf <= last_[child]; ++leaf) {
            move.transfers.push_back({leaf, groups.group_of(leaf), kept});
        }
    }
    const double back =
        static_cast<double>(united.size()) + 1 - static_cast<double>(inner_children(node));
    move.log_ratio = std::log(uncollapse / back) -
                     std::log((1 - uncollapse) / static_cast<double>(parted.size()));
    return true;
}

// Group 0 is what is suppressed; it holds no value or at least two.
bool Regrouping::propose_all_or_nothing(const ValueGroups& groups, Random& random,
                                        double uncollapse, Move& move) const {
    const double values = groups.values();
    const std::int32_t starred = groups.size(0);
    const double pair = 2.0 / (values * (values - 1));
    const double in = 1 - uncollapse, out = uncollapse;
    const auto kept = [&] {
        std::int32_t value = draw(random, at(groups.values()));
        while (groups.group_of(value) == 0) value = draw(random, at(groups.values()));
        return value;
    };
    if (uniform(random) < uncollapse) {
        if (starred == 0) return false;
        const auto members = groups.members(0);
        if (starred == 2) {
            move.transfers.push_back({members[0], 0, groups.empty_group()});
            move.transfers.push_back({members[1], 0, groups.empty_group(1)});
            move.log_ratio = std::log(in * pair) - std::log(out);
            return true;
        }
        move.transfers.push_back({members[random.below(members.size())], 0, groups.empty_group()});
        move.log_ratio = std::log(in / (values - starred + 1)) - std::log(out / starred);
        return true;
    }
    if (starred == groups.values()) return false;
    const std::int32_t one = kept();
    move.transfers.push_back({one, groups.group_of(one), 0});
    if (starred > 0) {
        move.log_ratio = std::log(out / (starred + 1)) - std::log(in / (values - starred));
        return true;
    }
    std::int32_t other = kept();
    while (other == one) other = kept();
    move.transfers.push_back({other, groups.group_of(other), 0});
    move.log_ratio = std::log(out) - std::log(in * pair);
    return true;
}

bool Regrouping::allows(std::span<const std::int32_t> group_of) const {
    ValueGroups groups(static_cast<std::uint32_t>(group_of.size()));
    for (std::size_t value = 0; value < group_of.size(); ++value) {
        groups.move(static_cast<std::int32_t>(value), group_of[value]);
    }
    if (way_ == Way::free || groups.values() < 2) return true;
    if (way_ == Way::contiguous) {
        std::int32_t borders = 0;
        for (std::size_t value = 1; value < group_of.size(); ++value) {
            borders += group_of[value] != group_of[value - 1];
        }
        return borders == groups.number() - 1;
    }
    if (way_ == Way::all_or_nothing) {
        if (groups.size(0) == 1) return false;
        for (std::int32_t group = 1; group < groups.slots(); ++group) {
            if (groups.size(group) > 1) return false;
        }
        return true;
    }
    std::int32_t covered = 0;
    for (std::size_t node = 0; node < first_.size(); ++node) {
        if (is_group(groups, node)) covered += last_[node] - first_[node] + 1;
    }
    return covered == groups.values();
}

}  // namespace shoal
