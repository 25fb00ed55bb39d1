// Classes as columns of a set-partitioning program: which of them are worth having at given prices.
//
// A column is a multiset of k to 2k - 1 records (`largest`); it costs its size times the loss of
// its closure. Given a price for each record, for opening a class, and for each cut, its reduced
// cost is that cost less the prices. The searches here are exact: what they say cannot be missed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/records.hpp"
#include "shoal/exact/pricing_table.hpp"

namespace shoal {

// Columns one after another; `start` has one entry more than there are columns.
struct Columns {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> count;
    std::vector<double> cost;
    std::vector<double> reduced;

    std::size_t size() const { return cost.size(); }
};

// Rank-1 cuts: a record of row r weighs w_r in a cut; with w(S) the weight of a column's records,
// sum over columns of g(w(S)) times x is at most g(w(all records)), where
//
//     g(w) = (d - r)·floor(w / d) + max(0, (w mod d) - r)
//
// with the divisor d and the remainder r of the cut. It is mixed-integer rounding in whole numbers;
// g is superadditive, so any r from 0 to d - 1 is sound. For r = d - 1 it rounds down.
struct RankCuts {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> weight;  // 1 to divisor - 1
    std::vector<std::int32_t> divisor;
    std::vector<std::int32_t> remainder;

    std::size_t size() const { return divisor.size(); }
};

// All multiples of one power of two, so that sums of them are exact.
struct Prices {
    std::span<const double> record;  // of one record of each row
    double opening = 0.0;            // of a class
    std::span<const double> cut;     // of each cut, not positive
};

// Pairs of rows that branching keeps apart or together; rows of one record each.
struct Branches {
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> second;
    std::vector<std::uint8_t> together;
};

struct Pricing {
    double below = 0.0;       // reduced costs of interest are below this
    bool all = false;         // every such column, or the best few of each leader
    std::int64_t nodes = -1;  // most nodes for each leader, negative: no limit
    // All leaders together take fewer nodes than this, negative: no limit. Leaders count in their
    // order; from the first that does not fit, none is told of, whatever the threads had found.
    std::int64_t total = -1;
    std::int64_t columns = 0;  // most columns of all leaders together, where all are asked for
    double seconds = -1.0;     // wall time, negative: no limit
    int threads = 1;
};

struct Priced {
    Columns columns;
    // For each row a number that no column that it leads can be below (`below` at most); every
    // column is led by its member of highest price, ties by number of the row.
    std::vector<double> least;
    std::int64_t nodes = 0;
    bool complete = true;  // no limit struck: then `least` is as good as it gets
};

class ClassPricer {
  public:
    ClassPricer(const Records& records, std::int32_t k, std::int32_t largest);

    Priced price(const Prices& prices, const RankCuts& cuts, const Branches& branches,
                 const Pricing& pricing, Control& control) const;

    // What classes cost: size times loss, in the same exact numbers. All have records.
    std::vector<double> costs(std::span<const std::int64_t> start,
                              std::span<const std::int32_t> row,
                              std::span<const std::int32_t> count) const {
        return table_.costs(start, row, count);
    }

    std::size_t rows() const { return table_.rows(); }

  private:
    pricing::PricingTable table_;
    std::int32_t k_;
    std::int32_t largest_;
};

}  // namespace shoal
