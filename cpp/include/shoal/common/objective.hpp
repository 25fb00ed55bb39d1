// What a class of records costs under a measure, and how that changes with its members.
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
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"
#include "shoal/common/values.hpp"

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

// One class. Adding, removing and asking cost O(m) look-ups (times the number of private values
// under PMI and wMI); nothing is approximated, so totals do not drift.
class ClassState {
  public:
    std::int64_t size() const { return size_; }
    double total(const Objective& objective) const;  // of all its records
    const Values& values(std::size_t j) const { return parts_[j].values; }
    Shape shape(std::size_t j) const {
        const Values& values = parts_[j].values;
        return {values.low(), values.high(), values.distinct()};
    }
    double loss(std::size_t j) const { return parts_[j].cost; }  // plain: of the closure
    double cost(std::size_t j) const { return parts_[j].cost; }  // else: of the class
    std::int32_t secrets(std::uint32_t y) const { return secrets_[y]; }

    // These records and no others, O(records · log records): adding them one by one takes a search
    // and a shift of all values for each, which a class of many values cannot afford. Looks at
    // `poll`, if there is one, before each attribute.
    void assign(const Objective& objective, std::span<const Piece> pieces,
                const Poll* poll = nullptr);
    void add(const Objective& objective, std::size_t row, std::int32_t count);
    void remove(const Objective& objective, std::size_t row, std::int32_t count);
    void unite(const Objective& objective, const ClassState& other);
    void clear();

    // total() after the change, less total() now.
    double change_adding(const Objective& objective, std::size_t row, std::int32_t count) const;
    // The part of attribute j in it, under information measures, without the record's constant.
    double change_adding(const Objective& objective, std::size_t j, std::size_t row,
                         std::int32_t count) const;
    double change_removing(const Objective& objective, std::size_t row, std::int32_t count) const;
    // total() of the union of two classes.
    double total_united(const Objective& objective, const ClassState& other) const;

  private:
    struct Part {
        Values values;
        double cost = 0.0;
    };
    // Apart from the parts, which are asked most often and so are kept small.
    struct Counted {  // sets under information measures
        std::int64_t mass = 0;
        std::vector<std::int64_t> joints;  // under PMI and wMI
    };

    Shape shape_adding(std::size_t j, std::uint32_t code) const;
    Shape shape_widened(std::size_t j, std::uint32_t code) const;  // its number of values stays
    Shape shape_removing(std::size_t j, std::uint32_t code, std::int32_t count) const;
    double part_cost(const Objective& objective, std::size_t j) const;
    // Cost of attribute j after `change` records of a row with this code and private value join
    // (or leave, if negative).
    double part_cost(const Objective& objective, std::size_t j, const Shape& shape,
                     std::uint32_t code, std::uint32_t secret, std::int32_t change) const;
    void count_in(const Objective& objective, std::size_t j, std::uint32_t code);
    void renew(const Objective& objective);

    std::int64_t size_ = 0;
    double sum_ = 0.0;       // weighted costs
    double constant_ = 0.0;  // of the records held
    std::vector<Part> parts_;
    std::vector<Counted> counted_;  // under information measures, by attribute
    std::vector<std::int32_t> secrets_;
};

// The state of every class of a partition.
std::vector<ClassState> class_states(const Objective& objective, const Partition& partition,
                                     std::size_t classes);

}  // namespace shoal
