#include "shoal/exact/pricing.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>

#include "common/parallel.hpp"
#include "common/scalars.hpp"
#include "exact/leader_search.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

// What the leaders took, in their order: how much of the total is left for those to come.
class Ledger {
  public:
    Ledger(std::size_t leaders, std::int64_t total)
        : taken_(leaders, -1), left_(total < 0 ? endless : total) {}

    // At least what is left when all before this one have been led.
    std::int64_t left() {
        const std::scoped_lock lock(mutex_);
        return left_;
    }

    // One that took all that was left may have been stopped by that: it does not fit.
    void enter(std::size_t leader, std::int64_t nodes) {
        const std::scoped_lock lock(mutex_);
        taken_[leader] = nodes;
        for (; fitting_ < taken_.size() && taken_[fitting_] >= 0; ++fitting_) {
            if (taken_[fitting_] >= left_) {
                left_ = 0;
                return;
            }
            if (left_ != endless) left_ -= taken_[fitting_];
        }
    }

    // How many leaders, from the first, came to their end within the total.
    std::size_t fitting() const { return fitting_; }

  private:
    std::mutex mutex_;
    std::vector<std::int64_t> taken_;  // -1: not led yet
    std::int64_t left_;
    std::size_t fitting_ = 0;
};

}  // namespace

ClassPricer::ClassPricer(const Records& records, std::int32_t k, std::int32_t largest)
    : table_(records), k_(k), largest_(largest) {}

Priced ClassPricer::price(const Prices& prices, const RankCuts& cuts, const Branches& branches,
                          const Pricing& asked, Control& control) const {
    using pricing::LeaderSearch;
    const pricing::RowLists cut_lists = pricing::cuts_of_rows(cuts, prices.cut, rows());
    const pricing::RowLists apart = pricing::partners(branches, false, rows());
    const pricing::RowLists together = pricing::partners(branches, true, rows());
    std::vector<std::int32_t> order(rows());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return prices.record[static_cast<std::size_t>(a)] >
               prices.record[static_cast<std::size_t>(b)];
    });

    pricing::SharedStatus shared;
    shared.control = &control;
    shared.deadline = Deadline(asked.seconds);
    Priced priced;
    priced.least.assign(rows(), -infinite<double>);
    std::vector<std::vector<LeaderSearch::Found>> found(rows());
    std::atomic<std::int64_t> nodes{0};
    Ledger ledger(rows(), asked.total);
    parallel_for(
        rows(), asked.threads,
        [&](std::size_t) {
            return LeaderSearch(table_, {k_, largest_}, prices, cuts, cut_lists, apart, together,
                                order, asked, shared);
        },
        [&](LeaderSearch& search, std::size_t place) {
            if (shared.stopped.load()) return;
            const std::int64_t left = ledger.left();
            if (left == 0) return;
            const std::int64_t most = asked.nodes < 0 ? left : std::min(left, asked.nodes);
            priced.least[static_cast<std::size_t>(order[place])] =
                search.lead(place, most, found[place]);
            ledger.enter(place, search.nodes_here());
            nodes += search.nodes_here();
        });
    if (control.cancelled()) throw Cancelled();

    priced.nodes = nodes;
    priced.complete = !shared.stopped && !shared.cut_short;
    if (asked.total >= 0 && ledger.fitting() < rows()) {
        priced.complete = false;
        for (std::size_t place = ledger.fitting(); place < rows(); ++place) {
            priced.least[static_cast<std::size_t>(order[place])] = -infinite<double>;
            found[place].clear();
        }
    }
    for (const auto& led : found) {
        for (const LeaderSearch::Found& column : led) {
            std::vector<std::int32_t> members = column.rows;
            std::sort(members.begin(), members.end());
            for (std::size_t i = 0; i < members.size();) {
                std::size_t end = i;
                while (end < members.size() && members[end] == members[i]) ++end;
                priced.columns.row.push_back(members[i]);
                priced.columns.count.push_back(static_cast<std::int32_t>(end - i));
                i = end;
            }
            priced.columns.start.push_back(static_cast<std::int64_t>(priced.columns.row.size()));
            priced.columns.cost.push_back(column.cost);
            priced.columns.reduced.push_back(column.reduced);
        }
    }
    return priced;
}

}  // namespace shoal
