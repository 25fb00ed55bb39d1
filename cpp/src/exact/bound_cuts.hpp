// Rank-1 cuts, which make the bound better than that of the linear program over all classes.
//
// A record of row r weighs w_r in a cut, and a class counts floor(its weight / divisor) times.
// Whatever the division, its classes count at most floor(weight of all records / divisor) times:
// together they cannot hold more than all records, and rounding down loses weight. A fee for each
// time a class counts therefore costs any division at most the fee so many times, which is taken
// off the bound; in return prices of records may be higher, since classes that count must pay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "exact/bound_losses.hpp"
#include "shoal/common/control.hpp"

namespace shoal::bounding {

struct PricedClasses;

class KnownCuts {
  public:
    struct Weight {
        std::int32_t cut;
        std::int32_t weight;
    };

    explicit KnownCuts(std::size_t rows) : of_row_(rows) {}

    std::size_t size() const { return divisors_.size(); }
    std::int64_t most(std::size_t cut) const { return most_[cut]; }
    std::size_t most_of_row() const { return most_of_row_; }  // cuts that hold the same row
    std::int32_t divisor(std::size_t cut) const { return divisors_[cut]; }
    std::span<const Weight> of_row(std::size_t row) const { return of_row_[row]; }

    // False if there is such a cut. Rows are ascending, weights from 1 to below the divisor.
    bool add(std::int32_t divisor, std::span<const std::int32_t> rows,
             std::span<const std::int32_t> weights, std::span<const std::int32_t> counts);
    // Appends every cut in which a class of these rows counts, as often as it does.
    void counted(std::span<const std::int32_t> members, std::vector<std::int32_t>& cuts) const;

  private:
    std::vector<std::int32_t> divisors_;
    std::vector<std::int64_t> most_;
    std::vector<std::vector<Weight>> of_row_;
    std::size_t most_of_row_ = 0;
    std::set<std::vector<std::int32_t>> known_;
    mutable std::vector<Weight> sums_;
};

// The cuts that have a fee, for a search that adds one record at a time.
class Fees {
  public:
    explicit Fees(std::size_t rows) : starts_(rows + 1) {}
    Fees(const KnownCuts& cuts, std::span<const Units> fees, std::size_t rows);

    bool charged(std::size_t row) const { return starts_[row] < starts_[row + 1]; }
    std::size_t cuts() const { return fees_.size(); }
    // What one more record of this row costs a class whose weight in each cut is `held`.
    Units of_one_more(std::size_t row, std::span<const std::int32_t> held) const {
        Units sum = 0;
        for (std::size_t i = starts_[row]; i < starts_[row + 1]; ++i) {
            const Entry& entry = entries_[i];
            const std::int32_t before = held[static_cast<std::size_t>(entry.cut)];
            const std::int32_t after = before + entry.weight;
            if (after / entry.divisor != before / entry.divisor) {
                sum += fees_[static_cast<std::size_t>(entry.cut)];  // a weight is below the divisor
            }
        }
        return sum;
    }
    void hold(std::size_t row, std::int32_t records, std::span<std::int32_t> held) const {
        for (std::size_t i = starts_[row]; i < starts_[row + 1]; ++i) {
            held[static_cast<std::size_t>(entries_[i].cut)] += records * entries_[i].weight;
        }
    }

  private:
    struct Entry {
        std::int32_t cut;
        std::int32_t weight;
        std::int32_t divisor;
    };
    std::vector<std::size_t> starts_;
    std::vector<Entry> entries_;
    std::vector<Units> fees_;
};

// Adds cuts that these shares of classes break, at most `most`; returns how many are new.
std::size_t add_broken_cuts(const Grid& grid, std::int64_t k, const PricedClasses& classes,
                            std::span<const double> shares, std::size_t most, KnownCuts& cuts,
                            Control& control);

}  // namespace shoal::bounding
