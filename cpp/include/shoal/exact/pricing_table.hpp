// The records that classes are made of, and closures that grow record by record, losses exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/records.hpp"
#include "shoal/common/rounded_loss.hpp"

namespace shoal::pricing {

struct Listed {  // an attribute that is no interval
    Kind kind;
    RoundedAttribute rounded;
    std::vector<std::uint32_t> codes;
    bool masked = false;
};

// The closure of the attributes that are no intervals.
struct ListedPart {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t distinct = 0;
    std::uint64_t mask = 0;
    std::vector<std::uint32_t> held;  // of a set with many codes
};

struct Grown {
    std::vector<double> low;
    std::vector<double> high;
    std::vector<ListedPart> listed;
    double loss = 0.0;
};

// Losses are multiples of one small power of two, so that sums of them are exact.
class PricingTable {
  public:
    explicit PricingTable(const Records& records);

    std::size_t rows() const { return counts_.size(); }
    std::int32_t count(std::size_t row) const { return counts_[row]; }

    // A closure with room for every attribute.
    Grown closure() const;
    void open(Grown& closure, std::size_t row) const;
    // Makes `closure` what `from` is with one more row, of which the loss is known.
    void widen(const Grown& from, std::size_t row, double loss, Grown& closure) const;

    double loss_with(const Grown& closure, std::size_t row) const {
        const std::size_t count = intervals_;
        const double* at = positions_.data() + row * count;
        const double* low = closure.low.data();
        const double* high = closure.high.data();
        const double* weight = weights_.data();
        // Multiples of one small power of two: exact, so the order of summing does not matter.
        double even = 0.0, odd = 0.0;
        std::size_t j = 0;
        for (; j + 1 < count; j += 2) {
            even += std::min(std::max(high[j], at[j]) - std::min(low[j], at[j]), weight[j]);
            odd += std::min(std::max(high[j + 1], at[j + 1]) - std::min(low[j + 1], at[j + 1]),
                            weight[j + 1]);
        }
        if (j < count) {
            even += std::min(std::max(high[j], at[j]) - std::min(low[j], at[j]), weight[j]);
        }
        double sum = even + odd;
        for (std::size_t a = 0; a < listed_.size(); ++a) {
            const auto& attribute = listed_[a];
            const ListedPart& part = closure.listed[a];
            const std::uint32_t code = attribute.codes[row];
            if (attribute.kind == Kind::set) {
                sum +=
                    attribute.rounded.set(part.distinct + (holds(attribute, part, code) ? 0u : 1u));
            } else if (attribute.kind == Kind::tree) {
                sum += attribute.rounded.tree(std::min(part.low, code), std::max(part.high, code));
            } else {
                sum += attribute.rounded.all_or_nothing(std::min(part.low, code),
                                                        std::max(part.high, code));
            }
        }
        return sum;
    }

    // What classes cost: size times loss. All have records.
    std::vector<double> costs(std::span<const std::int64_t> start,
                              std::span<const std::int32_t> row,
                              std::span<const std::int32_t> count) const;

  private:
    static bool holds(const Listed& attribute, const ListedPart& part, std::uint32_t code) {
        if (attribute.kind != Kind::set) return part.low == code && part.high == code;
        if (attribute.masked) return (part.mask >> code & 1) != 0;
        return std::find(part.held.begin(), part.held.end(), code) != part.held.end();
    }

    std::vector<std::int32_t> counts_;
    std::size_t intervals_ = 0;
    std::vector<double> positions_;  // [row][interval], weighted
    std::vector<double> weights_;    // of intervals
    std::vector<Listed> listed_;
};

}  // namespace shoal::pricing
