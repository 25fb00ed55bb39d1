// Classes that a search for prices finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/bound_losses.hpp"

namespace shoal::bounding {

// Classes found, one after another; a row with several records in a class is named several times.
struct PricedClasses {
    std::vector<std::int32_t> members;
    std::vector<std::size_t> ends;
    std::vector<Units> costs;  // of all members in the closure with which the class was found

    std::size_t size() const { return costs.size(); }
    std::span<const std::int32_t> of(std::size_t column) const {
        const std::size_t begin = column == 0 ? 0 : ends[column - 1];
        return {members.data() + begin, ends[column] - begin};
    }
    void add(std::span<const std::int32_t> column, Units cost) {
        members.insert(members.end(), column.begin(), column.end());
        ends.push_back(members.size());
        costs.push_back(cost);
    }
    void add(const PricedClasses& others) {
        for (std::size_t c = 0; c < others.size(); ++c) add(others.of(c), others.costs[c]);
    }
};

// Of the classes of one leader, those that cost least compared with their prices.
class CheapestClasses {
  public:
    explicit CheapestClasses(std::size_t most) : most_(most) {}

    void clear() { count_ = 0; }
    // Returns where the members of a class go, in place of those of the dearest one that is kept;
    // null if that is no dearer.
    std::vector<std::int32_t>* add(Units reduced, Units cost) {
        if (most_ == 0) return nullptr;
        if (count_ < most_ && classes_.size() == count_) classes_.emplace_back();
        const auto end = classes_.begin() + static_cast<std::ptrdiff_t>(count_);
        auto place = end;
        if (count_ == most_) {
            place = std::max_element(classes_.begin(), end, [](const Class& a, const Class& b) {
                return a.reduced < b.reduced;
            });
            if (place->reduced <= reduced) return nullptr;
        } else {
            ++count_;
        }
        place->reduced = reduced;
        place->cost = cost;
        return &place->members;
    }
    void add_to(PricedClasses& found) const {
        for (std::size_t i = 0; i < count_; ++i) found.add(classes_[i].members, classes_[i].cost);
    }

  private:
    struct Class {
        Units reduced = 0;  // cost less prices
        Units cost = 0;
        std::vector<std::int32_t> members;
    };
    std::size_t most_;
    std::size_t count_ = 0;
    std::vector<Class> classes_;  // more than are kept: their memory is used again
};

}  // namespace shoal::bounding
