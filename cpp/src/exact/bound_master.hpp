// Prices for a pool of classes: a linear program, solved nearly, by first-order steps.
//
// Maximise the sum of prices, less fees for cuts, so that no class of the pool costs less than its
// prices, fees paid. Prices and shares of classes take turns (primal-dual hybrid gradient, steps
// scaled row by row and column by column, restarted from averages). What comes out only proposes
// prices: nothing that is proved depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "exact/bound_pricing.hpp"

namespace shoal::bounding {

class Master {
  public:
    Master(const Grid& grid, const KnownCuts& cuts, std::int64_t most_classes);

    void add(const PricedClasses& columns);  // those not yet in the pool
    void start_from(std::span<const Units> prices);
    // Stops early where `over` says so.
    void run(std::size_t iterations, const std::function<bool()>& over);
    void drop_idle(double most_reduced);  // classes without a share that cost much more than prices
    // Adds cuts that the shares of classes break, at most so many; returns how many.
    std::size_t cut(std::int64_t k, std::size_t most, KnownCuts& cuts, Control& control);
    // Of each row, and then of each cut: a fee is a price that is not positive.
    std::span<const double> prices() const { return prices_; }
    double scale() const { return scale_; }
    double fee() const { return fee_; }  // of every class
    std::size_t size() const { return costs_.size(); }
    std::size_t entries() const { return members_.size(); }
    double value(std::span<const double> prices);  // of the pool's bound

  private:
    void index();
    void append_class(std::span<const std::int32_t> rows);
    std::span<const std::int32_t> rows_of(std::size_t column) const;
    void extend_to_cuts();
    void step();
    void restart();

    const Grid& grid_;
    const KnownCuts& cuts_;
    std::int64_t most_classes_;
    std::vector<double> wanted_;  // records of each row; how often classes may count in each cut
    double scale_ = 1.0;          // units of a price of 1
    std::vector<std::int32_t> members_;  // rows, and behind all rows the cuts, as often as counted
    std::vector<std::size_t> row_counts_;  // how many of the members of each class are rows
    std::vector<std::size_t> ends_;
    std::vector<double> costs_;
    std::vector<double> shares_, extrapolated_, share_sum_;
    std::vector<double> prices_, price_sum_, average_;
    double fee_ = 0.0, fee_sum_ = 0.0;
    std::vector<std::size_t> row_ends_;
    std::vector<std::uint32_t> row_columns_;
    std::unordered_set<std::uint64_t> known_;
    std::vector<double> least_;
    std::size_t since_restart_ = 0;
    bool indexed_ = false;
};

}  // namespace shoal::bounding
