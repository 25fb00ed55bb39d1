// Search for a global recoding: one division of each attribute's values into groups.
//
// Records that show the same groups in every attribute form a cell; cells of fewer than k records
// are suppressed. While one attribute is searched, the others stand still: they divide the records
// into `contexts`, and each value of the attribute is a short list of (context, records). Moving a
// value to another group then costs one step for each context it occurs in, whatever the size of
// the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/random.hpp"
#include "shoal/common/records.hpp"
#include "shoal/recoding/context_key.hpp"
#include "shoal/recoding/label_counts.hpp"
#include "shoal/recoding/recoding_cells.hpp"
#include "shoal/recoding/value_groups.hpp"

namespace shoal {

// What a search minimises, per record.
//   loss:      weighted loss of closures (gcp); a suppressed record loses 1
//   levels:    mean over attributes of the highest level of their groups over the height of their
//              hierarchy (precision); what has no hierarchy has the levels exact and not exact
//   information: share·MI + (1 - share)·PMI
//   cells:     records suppressed, or whose label is not the majority of their cell (cm)
//   fields:    records suppressed, or whose label is not the majority among the records of their
//              group in some attribute (cm_fields)
enum class Goal { loss, levels, information, cells, fields };

struct RecodingProblem {
    const Records* records;
    std::vector<std::uint32_t> labels;  // of rows; empty if the goal does not read them
    std::uint32_t label_count = 1;
    Goal goal = Goal::loss;
    double share = 1.0;  // of MI
    std::int64_t k = 1;
    std::int64_t limit = 0;  // records that may be suppressed
    bool contiguous = true;  // intervals stay intervals
};

struct Walk {
    std::int64_t proposals = 0;  // moves to try
    double temperature = 0.0;    // of the loss per record
    // Chance of a step that parts values; 0 where a drawn value and each of those outside its group
    // are to be drawn alike (where groups are not restricted; one half elsewhere).
    double uncollapse = 0.5;
    // Loss of each record suppressed beyond the limit and then of each cell that is too small,
    // so that uniting two such cells is a step towards the limit.
    double pressure = 1.0;
    bool hastings = false;  // weigh acceptance by the chances of proposals
};

class RecodingSearch {
  public:
    // `control` must outlive this. A search that was cancelled is of no further use, but for the
    // best it has found.
    RecodingSearch(RecodingProblem problem, std::uint64_t seed, const Control& control);

    std::size_t attributes() const { return groups_.size(); }
    std::span<const std::int32_t> groups(std::size_t j) const { return groups_[j].groups(); }
    bool allows(std::size_t j, std::span<const std::int32_t> group_of) const;
    void set_groups(std::size_t j, std::span<const std::int32_t> group_of);

    // Tries moves of one attribute; returns how many were accepted.
    std::int64_t walk(std::size_t j, const Walk& walk);
    // Draws moves without taking them; returns the changes of loss, pressure included.
    std::vector<double> sample(std::size_t j, const Walk& walk);

    double loss();  // of the groups as they are, without pressure
    std::int64_t suppressed();
    bool found() const { return best_loss_ >= 0; }
    double best_loss() const { return best_loss_; }
    std::span<const std::int32_t> best_groups(std::size_t j) const { return best_[j]; }

  private:
    // Losses of contexts are summed in whole numbers, so that taking a move back restores them.
    static constexpr double fixed_point = 1 << 30;
    // Levels change only once the last of the highest groups is parted: what records lose on
    // average leads there, without outweighing a level.
    static constexpr double lead = 0.1;

    // The values of a group that some record has, which its closure is made of.
    struct Extent {
        std::uint32_t low, high, distinct;
    };

    void enter(std::size_t j);
    void leave();
    void number_contexts(std::size_t j);
    void price_contexts(std::size_t j);
    void list_values(std::size_t j);
    void count_everything();
    template <bool add>
    void count(const std::int32_t* cell, std::size_t context, std::int32_t group);
    void take(const std::vector<ValueTransfer>& transfers);
    void undo(const std::vector<ValueTransfer>& transfers);
    void shift_totals(const ValueTransfer& moved);
    void gather(const std::vector<ValueTransfer>& transfers);
    double pressed_after(const std::vector<ValueTransfer>& transfers, double pressure);
    void renew(std::int32_t group);
    Extent extent_of(std::size_t j, std::span<const std::int32_t> members) const;
    double group_loss(std::size_t j, const ValueGroups& groups, std::int32_t group,
                      std::span<const std::int64_t> totals, std::uint32_t label) const;
    double level_share(const Attribute& attribute, std::uint32_t low, std::uint32_t high) const;
    double highest_level(std::size_t j) const;
    double mean_loss() const;
    std::uint32_t majority(std::span<const std::int64_t> totals) const;
    double pressed(double pressure) const;
    double loss_here() const;
    void remember();

    RecodingProblem problem_;
    Poll poll_;
    const Records& records_;
    Random random_;
    std::size_t labels_;
    double constant_ = 0.0;                // of the goal, for all records together
    std::vector<double> suppressed_loss_;  // of a record of each label
    std::vector<Regrouping> regroupings_;
    std::vector<ValueGroups> groups_;
    std::vector<std::vector<std::int64_t>> value_totals_;    // [attribute][value][label]
    std::vector<std::vector<std::uint32_t>> rows_by_value_;  // [attribute], grouped by value
    std::vector<std::vector<std::uint32_t>> value_starts_;
    std::vector<ContextKey> keys_;  // of rows

    // The attribute being searched.
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t current_ = nowhere;
    std::vector<std::int32_t> entered_;  // its groups when the keys were last true
    std::vector<std::uint32_t> context_of_;
    std::size_t contexts_ = 0;
    std::vector<std::uint32_t> context_row_;  // a row of each context
    std::vector<ContextKey> context_key_;
    std::vector<std::int64_t> context_loss_;   // [context][label], fixed point
    std::vector<std::int32_t> context_label_;  // majority of all other fields, or -1
    std::vector<std::uint32_t> entries_;       // contexts that hold a value, value by value
    std::vector<std::uint32_t> entry_starts_;  // of each value
    LabelCounts entry_counts_;
    RecodingCells cells_;
    std::vector<std::int64_t> group_totals_;  // [group][label], all records
    std::vector<std::int64_t> kept_;          // [group][label], records that are not suppressed
    std::vector<double> group_term_;          // part of the loss that groups decide
    std::vector<std::int32_t> touched_;
    std::vector<char> is_touched_;
    double terms_ = 0.0;
    double levels_elsewhere_ = 0.0;  // levels: of the other attributes
    std::int64_t elsewhere_ = 0;     // loss of kept records in the other attributes, fixed point
    std::int64_t wrong_ = 0;         // cells: records in the minority or suppressed
    std::int64_t suppressed_ = 0;
    std::int64_t small_ = 0;  // cells that are suppressed
    std::vector<std::int64_t> suppressed_labels_;
    std::vector<std::int64_t> kept_before_, suppressed_before_;  // for looking ahead
    std::vector<std::int32_t> left_, joined_;
    std::vector<std::uint32_t> gathered_;  // contexts of several values
    LabelCounts gathered_counts_;
    std::vector<std::uint32_t> gathered_at_;  // one more than the place of a context, or 0

    double best_loss_ = -1.0;
    std::vector<std::vector<std::int32_t>> best_;
};

}  // namespace shoal
