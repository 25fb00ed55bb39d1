// The closure of a class: what its records become, attribute by attribute, and what that loses.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "shoal/common/records.hpp"

namespace shoal {

// A set of codes. Small domains are bit masks; in large ones a class holds few values, so a
// sorted array is both smaller and faster than a bit row of the whole domain.
class ValueSet {
  public:
    static constexpr std::uint32_t mask_codes = 128;

    void clear() {
        mask_ = {};
        sorted_.clear();
        count_ = 0;
    }
    bool contains(std::uint32_t code, std::uint32_t code_count) const;
    bool insert(std::uint32_t code, std::uint32_t code_count);  // true if it was new
    std::uint32_t count() const { return count_; }

    // Calls visit(code) for every member; a mask is used below `mask_codes`, else the array.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint32_t word = 0; word < 2; ++word) {
            for (std::uint64_t rest = mask_[word]; rest != 0; rest &= rest - 1) {
                visit(64 * word + static_cast<std::uint32_t>(std::countr_zero(rest)));
            }
        }
        for (const std::uint32_t code : sorted_) visit(code);
    }

  private:
    std::array<std::uint64_t, 2> mask_{};
    std::vector<std::uint32_t> sorted_;
    std::uint32_t count_ = 0;
};

// The closure of one attribute.
struct Part {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::int32_t node = -1;  // tree only
    ValueSet values;         // set only
    double loss = 0.0;       // unweighted

    void open(const Attribute& attribute, std::uint32_t code);
    bool add(const Attribute& attribute, std::uint32_t code);  // true if the closure grew
    double loss_adding(const Attribute& attribute, std::uint32_t code) const;
};

class Closure {
  public:
    void open(const Records& records, std::size_t row);
    void add(const Records& records, std::size_t row);
    // Adds the row's code of attribute j alone; true if that part grew.
    bool add(const Records& records, std::size_t j, std::size_t row) {
        return parts_[j].add(records.attributes[j], records.attributes[j].code(row));
    }
    double loss(const Records& records) const;
    double loss_adding(const Records& records, std::size_t row) const;
    const std::vector<Part>& parts() const { return parts_; }

  private:
    std::vector<Part> parts_;
};

}  // namespace shoal
