// One class of records under a measure: what it costs, and how that changes with its members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/values.hpp"

namespace shoal {

// Adding, removing and asking cost O(m) look-ups (times the number of private values
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
