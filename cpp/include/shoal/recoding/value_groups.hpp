// The values of one attribute divided into groups, the same for all records, and the moves that
// lead from one division to another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/random.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// Groups have numbers below `slots`, one more than there are values; many of them are empty.
class ValueGroups {
  public:
    explicit ValueGroups(std::uint32_t values);  // all in group 0

    std::int32_t values() const { return static_cast<std::int32_t>(group_of_.size()); }
    std::int32_t slots() const { return static_cast<std::int32_t>(members_.size()); }
    std::int32_t number() const { return slots() - static_cast<std::int32_t>(empty_.size()); }
    std::int32_t group_of(std::int32_t value) const { return group_of_[index(value)]; }
    std::span<const std::int32_t> groups() const { return group_of_; }
    std::span<const std::int32_t> members(std::int32_t group) const {
        return members_[index(group)];
    }
    std::int32_t size(std::int32_t group) const {
        return static_cast<std::int32_t>(members_[index(group)].size());
    }
    // An empty group; `ahead` tells several of them apart. There must be that many.
    std::int32_t empty_group(std::size_t ahead = 0) const {
        return empty_[empty_.size() - 1 - ahead];
    }
    void move(std::int32_t value, std::int32_t to);

  private:
    static std::size_t index(std::int32_t value) { return static_cast<std::size_t>(value); }

    std::vector<std::int32_t> group_of_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<std::int32_t> place_;        // of each value among the members of its group
    std::vector<std::int32_t> empty_;        // empty groups
    std::vector<std::int32_t> empty_place_;  // of each group among them, or -1
};

struct ValueTransfer {
    std::int32_t value, from, to;
};

struct Move {
    std::vector<ValueTransfer> transfers;
    double log_ratio = 0.0;  // log of the chance to propose the way back over that to propose it
};

// Which divisions an attribute may have, and how to step between them.
//
// Plain sets: any division. A step (the annealing paper's Sim1) draws a value y and either moves a
// value from elsewhere into the group of y, or makes y a group of its own. Intervals: groups of
// neighbouring values; a step removes, sets or shifts one border. Trees: groups are the nodes of
// a cut; a step unites the children of a node, or parts a node into its children. All or nothing:
// single values and one group of all that is suppressed; a step moves one value in or out (or
// two, where one alone would make no group).
// Every step has a way back, and every division can be reached from every other.
class Regrouping {
  public:
    // With `contiguous` false intervals take any division, as plain sets do.
    Regrouping(const Attribute& attribute, bool contiguous);

    // Draws a step that parts values with chance `uncollapse`, and unites them otherwise; false
    // if the step drawn does not exist here.
    bool propose(const ValueGroups& groups, Random& random, double uncollapse, Move& move) const;
    // Whether these groups are a division that the attribute may have.
    bool allows(std::span<const std::int32_t> group_of) const;

  private:
    enum class Way { free, contiguous, tree, all_or_nothing };

    bool propose_free(const ValueGroups&, Random&, double, Move&) const;
    bool propose_contiguous(const ValueGroups&, Random&, double, Move&) const;
    bool propose_tree(const ValueGroups&, Random&, double, Move&) const;
    bool propose_all_or_nothing(const ValueGroups&, Random&, double, Move&) const;
    bool is_group(const ValueGroups& groups, std::size_t node) const;
    bool children_are_groups(const ValueGroups& groups, std::size_t node) const;

    Way way_;
    std::vector<std::int32_t> first_, last_;           // leaves of each node of the tree
    std::vector<std::vector<std::int32_t>> children_;  // nodes below each node, none for leaves
    std::vector<std::int32_t> parent_;
};

}  // namespace shoal
