// What a class of records costs under a measure.
//
// All separable measures are here: the sum of `ClassState::total` over the classes of a partition
// is n times the measure. The plain loss (gcp: NCP, LM) is size times the weighted loss of the
// closure. The information measures w·MI + (1 − w)·PMI are, per attribute with closure K,
//   size·(log2 N(K) − w·log2 n) − (1 − w)·Σ_y h_y·log2 N(K, y) − w·Σ_records log2 p(value),
// N(K) the records of the table with a value in K, N(K, y) those that have the private value y
// too, h_y the class's own records with y. The last sum is a constant of the table.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "shoal/common/records.hpp"

// Logarithms of smaller numbers are kept in a table, those of others are computed: a table with an
// entry per record takes longer to fill, and is read from memory further away. A study compares
// other sizes.
#ifndef SHOAL_LOGARITHMS
#define SHOAL_LOGARITHMS 65536
#endif

namespace shoal {

// The ends and the number of values of one attribute in a class: enough for the closure of every
// kind but the mass of a set.
struct Shape {
    std::uint32_t low;
    std::uint32_t high;
    std::uint32_t distinct;
};

class Objective {
  public:
    explicit Objective(const Records& records);  // gcp

    // w·MI + (1 − w)·PMI; `secret` is the private value of each row, below `secret_count`. It is
    // read only if w < 1. Memory: 4 bytes a code and private value, so keep that product modest.
    Objective(const Records& records, double w, std::vector<std::uint32_t> secret,
              std::uint32_t secret_count);

    const Records& records() const { return *records_; }
    bool plain() const { return plain_; }                        // gcp
    bool reads_secret() const { return !plain_ && share_ < 1; }  // PMI or wMI
    double share() const { return share_; }                      // w
    std::uint32_t secret(std::size_t row) const { return secret_[row]; }
    std::uint32_t secret_count() const { return secret_count_; }
    // The part of a row's loss that no class changes, for one record.
    double constant(std::size_t row) const { return plain_ ? 0.0 : constant_[row]; }

    // Plain loss of one attribute's closure, unweighted.
    double loss(std::size_t j, const Shape& shape) const;

    // Information cost of one attribute's closure for a whole class, unweighted and without
    // constants. `mass` and `joint` are N(K) and N(K, y).
    template <class Joint, class Histogram>
    double information(std::int64_t mass, Joint joint, std::int64_t size,
                       Histogram histogram) const {
        double cost = static_cast<double>(size) * (log2(mass) - share_ * log2_total_);
        if (share_ < 1) {
            double sum = 0.0;
            for (std::uint32_t y = 0; y < secret_count_; ++y) {
                const std::int64_t count = histogram(y);
                if (count > 0) sum += static_cast<double>(count) * log2(joint(y));
            }
            cost -= (1 - share_) * sum;
        }
        return cost;
    }
    double log2(std::int64_t count) const {
        const auto at = static_cast<std::size_t>(count);
        return at < log2_.size() ? log2_[at] : std::log2(static_cast<double>(count));
    }

    // Codes that the closure of an attribute covers; not for sets.
    struct Covered {
        std::uint32_t first, last;
    };
    Covered covered(std::size_t j, const Shape& shape) const;
    std::int64_t mass(std::size_t j, std::uint32_t first, std::uint32_t last) const {
        const auto& below = below_[j];
        return static_cast<std::int64_t>(below[last + 1]) - below[first];
    }
    std::int64_t joint(std::size_t j, std::uint32_t first, std::uint32_t last,
                       std::uint32_t y) const {
        const auto& below = joint_below_[j];
        const std::size_t width = secret_count_;
        return static_cast<std::int64_t>(below[(last + std::size_t{1}) * width + y]) -
               below[first * width + y];
    }

  private:
    const Records* records_;
    bool plain_;
    double share_ = 1.0;
    std::vector<std::uint32_t> secret_;
    std::uint32_t secret_count_ = 0;
    std::vector<double> constant_;
    // Of small whole numbers; log2(0) is taken as 0: nothing is counted there.
    std::vector<double> log2_;
    double log2_total_ = 0.0;
    std::vector<std::vector<std::uint32_t>> below_;        // [attribute][code]: records below it
    std::vector<std::vector<std::uint32_t>> joint_below_;  // [attribute][code][y]
};

// Here for speed: searches ask for it with every record they try.
inline double Objective::loss(std::size_t j, const Shape& shape) const {
    const Attribute& attribute = records_->attributes[j];
    switch (attribute.kind) {
        case Kind::interval:
            return attribute.interval_loss(shape.low, shape.high);
        case Kind::set:
            return attribute.set_loss(shape.distinct);
        case Kind::tree:
            return attribute.tree.node_loss[static_cast<std::size_t>(
                attribute.common_ancestor(shape.low, shape.high))];
        case Kind::all_or_nothing:
            break;
    }
    return shape.low == shape.high ? 0.0 : 1.0;
}

}  // namespace shoal
