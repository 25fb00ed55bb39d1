// Where each of many lists begins and ends, which stand one behind the other in one array.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace shoal {

// Arrays may hold more than 2^32 items: neighbours of millions of rows do.
class ListBounds {
  public:
    std::size_t size() const { return bounds_.size() - 1; }
    std::size_t begin(std::size_t list) const { return bounds_[list]; }
    std::size_t end(std::size_t list) const { return bounds_[list + 1]; }
    template <class Item>
    std::span<const Item> of(const std::vector<Item>& items, std::size_t list) const {
        return {items.data() + begin(list), end(list) - begin(list)};
    }

    void reserve(std::size_t lists) { bounds_.reserve(lists + 1); }
    void close(std::size_t end) { bounds_.push_back(end); }  // the next list begins there

  private:
    std::vector<std::size_t> bounds_{0};
};

}  // namespace shoal
