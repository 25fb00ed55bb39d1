// The members of one class under repair, found by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shoal/common/partition.hpp"

namespace shoal {

// Members in the order in which they came. A few are searched one by one; from `worth_an_index` on
// an index of rows finds them, so that a class of a million takes no longer for each than one of a
// hundred. Members that leave keep their place until half the places are empty.
class ClassMembers {
  public:
    static constexpr std::size_t worth_an_index = 64;

    std::size_t size() const { return used_; }
    std::int64_t looks() const { return looks_; }  // members looked at to find one

    void add(std::int32_t row, std::int32_t count);
    void remove(std::int32_t row, std::int32_t count);  // it holds as many
    void unite(const ClassMembers& other);              // afterwards in the order of rows
    void clear();
    std::vector<Piece> list() const;

  private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    std::size_t find(std::int32_t row);
    void compact();
    void index_all();

    std::vector<Piece> places_;  // a count of 0: empty
    std::size_t used_ = 0;
    std::int64_t looks_ = 0;
    std::unordered_map<std::int32_t, std::size_t> index_;  // of rows; empty until it is needed
};

}  // namespace shoal
