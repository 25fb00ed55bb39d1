// The classes that changed lately, in columns of their own: a record that looked at all classes
// one pass ago needs to look at these alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scan/class_columns.hpp"

namespace shoal {

class ChangedClasses {
  public:
    explicit ChangedClasses(const Objective& objective) : class_columns_(objective) {}

    bool usable() const { return usable_; }
    void close() { usable_ = false; }
    // Begins anew, for so many classes.
    void open(std::size_t classes);
    // Class c as it is now. Once most classes are in, scans of all are as fast: it closes.
    void set(std::size_t c, const ClassState& state, float preference);
    bool contains(std::size_t c) const { return place_[c] >= 0; }

    // As ClassColumns::scan; entry i is about class ids()[i].
    std::span<float> scan(std::size_t row, std::span<const ClassState> states);
    std::span<const std::int32_t> ids() const { return ids_; }
    std::int32_t place(std::size_t c) const { return place_[c]; }

  private:
    ClassColumns class_columns_;
    std::vector<std::int32_t> ids_;
    std::vector<std::int32_t> place_;  // of each class, -1: not here
    bool usable_ = false;
};

}  // namespace shoal
