// The search for columns below one leader: all classes that a row leads, best first, none missed.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/exact/pricing.hpp"

namespace shoal::pricing {

// Told to all threads of one search.
struct SharedStatus {
    Deadline deadline;
    std::atomic<bool> stopped{false};
    std::atomic<bool> cut_short{false};
    std::atomic<std::int64_t> columns{0};
    Control* control = nullptr;

    bool look() {
        if (control->cancelled() || deadline.passed()) {
            stopped.store(true, std::memory_order_relaxed);
        }
        return stopped.load(std::memory_order_relaxed);
    }
};
// For each row a list: the cuts that hold it, or the rows that it is branched with.
struct Listing {
    std::int32_t item;
    std::int32_t weight;
};

struct RowLists {
    std::vector<std::size_t> start;
    std::vector<Listing> all;

    std::span<const Listing> of(std::size_t row) const {
        return {all.data() + start[row], all.data() + start[row + 1]};
    }

    // `each` calls its argument with every row and listing, twice in the same order.
    template <class Each>
    RowLists(std::size_t rows, Each each) : start(rows + 1, 0) {
        each([this](std::size_t row, Listing) { ++start[row + 1]; });
        std::partial_sum(start.begin(), start.end(), start.begin());
        all.resize(start.back());
        std::vector<std::size_t> next(start.begin(), start.end() - 1);
        each([this, &next](std::size_t row, Listing listing) { all[next[row]++] = listing; });
    }
};

// The cuts of each row that cost something.
RowLists cuts_of_rows(const RankCuts& cuts, std::span<const double> prices, std::size_t rows);
// The rows that each row is kept together with, or apart from.
RowLists partners(const Branches& branches, bool together, std::size_t rows);

struct ClassSizes {
    std::int32_t least;
    std::int32_t largest;
};

struct Candidate {
    std::int32_t row;
    std::int32_t left;  // records of the row that may still join
    double loss;        // of the closure with it
    double price;
};

struct Child {
    double bound;
    double cutoff;
    std::size_t place;
};

struct SearchLevel {
    Grown closure;
    std::vector<Candidate> candidates;
    std::vector<Child> children;
};

// The search below one leader after another; one for each thread.
//
// The next member is always the one that would widen the closure most among all that are still to
// come, so that the loss is nearly final after the first few, and every multiset is reached once.
class LeaderSearch {
  public:
    LeaderSearch(const PricingTable& table, ClassSizes sizes, const Prices& prices,
                 const RankCuts& cuts, const RowLists& cut_lists, const RowLists& apart,
                 const RowLists& together, const std::vector<std::int32_t>& order,
                 const Pricing& pricing, SharedStatus& shared);

    struct Found {
        double reduced;
        double cost;
        std::vector<std::int32_t> rows;  // one entry a record
    };

    // Returns what no column that this row leads can be below; takes at most so many nodes.
    double lead(std::size_t place, std::int64_t most, std::vector<Found>& found);

    std::int64_t nodes() const { return nodes_; }
    std::int64_t nodes_here() const { return nodes_here_; }

  private:
    // What the cuts charge for one more record of a row, a negative number or 0.
    double charge(std::size_t row) const;

    void choose(std::size_t row);

    void unchoose(std::size_t row);

    // Whether the chosen ones keep every pair together that branching wants together.
    bool whole() const;

    bool kept_apart(std::size_t row) const;

    void offer(double reduced, double cost);

    // `gained` is what the prices give for the chosen ones, cuts and opening included.
    void extend(std::int32_t size, double gained);

    bool stop() const {
        return shared_.stopped.load(std::memory_order_relaxed) || nodes_here_ >= most_here_;
    }

    // Keeps the highest prices seen, in falling order.
    void insert(double price, std::int32_t copies, std::size_t most);

    // Is it worth while to let this candidate be the farthest of those to come? All others are
    // nearer, and the loss is at least what it makes it.
    void consider(SearchLevel& level, std::int32_t size, double gained, std::size_t place,
                  std::size_t needed);

    const PricingTable& table_;
    ClassSizes sizes_;
    const Prices& prices_;
    const RankCuts& cuts_;
    const RowLists& cut_lists_;
    const RowLists& apart_;
    const RowLists& together_;
    const std::vector<std::int32_t>& order_;
    const Pricing& pricing_;
    SharedStatus& shared_;
    std::vector<SearchLevel> levels_;
    std::vector<std::int32_t> held_in_cut_;
    std::vector<std::int32_t> chosen_of_;
    std::vector<std::int32_t> chosen_;
    std::vector<double> tops_;
    std::vector<Found>* found_ = nullptr;
    double threshold_ = 0.0;
    double unexplored_ = std::numeric_limits<double>::infinity();
    std::int64_t nodes_ = 0;
    std::int64_t nodes_here_ = 0;
    std::int64_t most_here_ = 0;
};

}  // namespace shoal::pricing
