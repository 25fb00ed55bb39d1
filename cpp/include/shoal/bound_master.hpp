// Prices for a pool of classes: a linear program, solved nearly, by first-order steps.
//
// Maximise the sum of prices so that no class of the pool costs less than its prices. Prices and
// shares of classes take turns (primal-dual hybrid gradient, steps scaled row by row and column by
// column, restarted from averages). What comes out only proposes prices: nothing that is proved
// depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "shoal/bound_pricing.hpp"

namespace shoal {

class Master {
  public:
    Master(const Grid& grid, std::int64_t most_classes);

    void add(const Columns& columns);  // those not yet in the pool
    void start_from(std::span<const Units> prices);
    // Stops early where `over` says so.
    void run(std::size_t iterations, const std::function<bool()>& over);
    void drop_idle(double most_reduced);  // classes without a share that cost much more than prices
    std::span<const double> prices() const { return prices_; }
    double scale() const { return scale_; }
    std::size_t size() const { return costs_.size(); }
    std::size_t entries() const { return members_.size(); }
    double value(std::span<const double> prices);  // of the pool's bound

  private:
    void index();
    void step();
    void restart();

    const Grid& grid_;
    std::int64_t most_classes_;
    double scale_ = 1.0;  // units of a price of 1
    std::vector<std::int32_t> members_;
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

}  // namespace shoal
