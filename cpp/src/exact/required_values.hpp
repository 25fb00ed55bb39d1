// Values that every class needs: so many different ones, as privacy models ask for.
//
// All records of a row have the same value. Classes that need values cannot always be cut into
// smaller ones, so they may have any size from k on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/bound_losses.hpp"

namespace shoal::bounding {

struct RequiredValues {
    std::span<const std::int32_t> of_row;
    std::int64_t different = 1;  // at least so many in a class

    bool any() const { return different > 1; }
    std::int32_t of(std::size_t row) const { return any() ? of_row[row] : 0; }
    bool met_by(std::span<const std::int32_t> rows) const;
};

// What a class of a leader is worth beside its k - 1 dearest members: further ones that are worth
// more than they lose, and the values that it lacks.
class Company {
  public:
    void open(std::int64_t different, std::int32_t value_of_leader);
    void clear();
    // Records of this price may join classes that lose this much or more; losses never fall from
    // call to call. Returns whether that may make such classes better.
    bool insert(Units price, std::int32_t value, std::int64_t copies, Units loss);
    // What all records together are worth that are worth more than this loss.
    Units surplus(Units loss);
    // Whether there are enough different values.
    bool complete() const { return others_.size() >= lacking_; }
    // What a class gives up at least for the values, if each takes the place of a record of this
    // price that a class without the values would hold.
    Units given_up(Units price) const;
    // The least price of those that bring the values.
    Units least_price() const { return others_.empty() ? 0 : others_.back().price; }

  private:
    struct Best {  // record of a value
        Units price;
        std::int32_t value;
    };
    struct Worth {
        Units price;
        std::int64_t copies;
    };
    std::size_t lacking_ = 0;  // values beside that of the leader
    std::int32_t of_leader_ = 0;
    std::vector<Best> others_;  // of different values, highest price first: no more than lacking
    std::vector<Worth> worth_;  // a heap, the least price on top
    Units sum_ = 0;             // of their prices
    std::int64_t count_ = 0;
};

}  // namespace shoal::bounding
