// Covers: every released record is the closure of k original records, and every original is in k
// of them. Equal originals are one row here: a released record may hold a row as often as the
// table does, and each row is held k times for each of its records. Such a cover of rows is always
// one of records: dealing a row's holders, in order, to its records gives each of them k different
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"
#include "shoal/cover/cover_loss.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

// A cover while it is built. Released records are numbered by row: those of row 0 first.
class Cover {
  public:
    // Every released record holds its own row.
    Cover(const Records& records, std::int32_t k);
    // All k members of every released record given.
    Cover(const Records& records, std::int32_t k, std::span<const std::int32_t> rows);

    const Records& records() const { return records_; }
    const CoverLoss& losses() const { return losses_; }
    std::int32_t k() const { return k_; }
    std::size_t size() const { return own_.size(); }  // released records
    std::int32_t own(std::size_t released) const { return own_[released]; }
    std::int32_t held(std::size_t released) const { return held_[released]; }
    std::span<const std::int32_t> members(std::size_t released) const {
        return {members_.data() + released * static_cast<std::size_t>(k_),
                static_cast<std::size_t>(held_[released])};
    }
    const HullPart* hull(std::size_t released) const {
        return hulls_.data() + released * losses_.attributes();
    }
    // Whether a released record may hold one more record of a row.
    bool may_hold(std::size_t released, std::int32_t row) const;
    std::int32_t growth(std::size_t released, std::int32_t row) const {
        return losses_.loss_adding(hull(released), members(released), row) -
               losses_.loss(hull(released));
    }
    void add(std::size_t released, std::int32_t row);
    // Replaces the member at a place; the closure is made anew.
    void replace(std::size_t released, std::size_t place, std::int32_t row);
    // All k members of every released record anew.
    void set(std::span<const std::int32_t> rows);
    std::int64_t total() const;  // sum of all losses, fixed point
    std::vector<std::int32_t> take() { return std::move(members_); }

  private:
    const Records& records_;
    CoverLoss losses_;
    std::int32_t k_;
    std::vector<std::int32_t> own_;
    std::vector<std::int32_t> held_;
    std::vector<std::int32_t> members_;
    std::vector<HullPart> hulls_;
};

struct CoverSettings {
    std::int32_t k = 2;
    std::vector<std::int32_t> order;  // rows, as they are walked
    int threads = 1;
    Path path = Path::scalar;
};

// One perfect matching a round, each released record in turn taking the row that costs it least.
void cover_greedily(Cover& cover, const CoverSettings& settings, Control& control);
// One perfect matching a round, each original in turn going to the released record whose closure
// grows least by it.
void cover_greedily_by_originals(Cover& cover, const CoverSettings& settings, Control& control);
// One perfect matching a round, its pairs taken in ascending order of cost.
void cover_by_sorted_pairs(Cover& cover, const CoverSettings& settings, Control& control);
// One perfect matching of least cost a round.
void cover_by_assignments(Cover& cover, const CoverSettings& settings, Control& control);
// All k - 1 further members at once, at least cost as if each were the only one.
void cover_by_flow(Cover& cover, const CoverSettings& settings, Control& control);

// Pairs of least loss to both sides: the partner of every record in an assignment of least cost.
// Every record must be free to be paired with half of the records or more.
std::vector<std::int32_t> assign_mutually(const Cover& cover, const CoverSettings& settings,
                                          std::vector<std::int64_t>& prices, Control& control);

// Every record covers k - 1 others that cover it too. Records are not folded: every count must be
// 1. With an odd number of records and even k one record covers k others and not itself.
// Round by round, each record in turn is paired with the one that costs both least;
void pair_greedily(Cover& cover, const CoverSettings& settings, Control& control);
// pairs in ascending order of cost;
void pair_by_sorted_pairs(Cover& cover, const CoverSettings& settings, Control& control);
// pairs along the cycles of an assignment of least cost;
void pair_by_assignments(Cover& cover, const CoverSettings& settings, Control& control);
// or all at once, half of the pairs of a flow of least cost.
void pair_by_flow(Cover& cover, const CoverSettings& settings, Control& control);

struct SymmetricRefinement {
    std::uint64_t seed = 0;
    std::int64_t steps = -1;  // proposals, -1: as time allows
    double seconds = -1.0;
    double heat = 1.0;
};
// Two pairs exchange partners where that lowers the loss of the four, or by chance early on. The
// result loses no more than the cover given, which must be symmetric.
void refine_symmetrically(Cover& cover, const SymmetricRefinement& refinement, Control& control);

// Rings: the records of each class in a circle, each released one covering the next k. Classes
// are walked in the order of `order`, or from each record to the nearest one left (`chain`).
void cover_by_rings(Cover& cover, const Partition& classes, const CoverSettings& settings,
                    bool chain, Control& control);

// How many records of each row to leave out, at most `limit`: those that widen closures most.
std::vector<std::int32_t> cover_outliers(const Cover& cover, std::int64_t limit, Control& control);

// Gives a released record a row in a round in which no row that is left suits it: some of those
// served before give up theirs for another. `taken` holds this round's row of every released
// record (-1: none yet), `left` how many records of each row are not taken.
void serve_by_exchange(const Cover& cover, std::size_t released,
                       std::span<const std::size_t> served, std::vector<std::int32_t>& taken,
                       std::vector<std::int32_t>& left);

}  // namespace shoal
