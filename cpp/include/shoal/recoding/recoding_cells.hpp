// Records of each label in the cells of one context and one group, of a search for a recoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shoal {

// Dense while that is small, else a table of the cells that hold records.
class RecodingCells {
  public:
    void reset(std::size_t contexts, std::size_t slots, std::size_t labels, std::size_t entries);
    std::int32_t* at(std::size_t context, std::int32_t group);  // made if it is not there
    const std::int32_t* find(std::size_t context, std::int32_t group) const;  // or null
    template <class Visit>
    void for_each(Visit visit);  // visit(counts, context, group)

  private:
    void grow();

    std::size_t contexts_ = 0, slots_ = 0, labels_ = 1;
    bool dense_ = true;
    std::vector<std::int32_t> counts_;
    std::vector<std::uint64_t> keys_;    // sparse: key + 1 of each slot of the table, or 0
    std::vector<std::uint32_t> places_;  // sparse: where its counts are
    std::size_t used_ = 0;
};

template <class Visit>
void RecodingCells::for_each(Visit visit) {
    if (dense_) {
        for (std::size_t cell = 0; cell < contexts_ * slots_; ++cell) {
            visit(&counts_[cell * labels_], cell % contexts_,
                  static_cast<std::int32_t>(cell / contexts_));
        }
        return;
    }
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
        if (keys_[slot] == 0) continue;
        const std::uint64_t key = keys_[slot] - 1;
        visit(&counts_[places_[slot] * labels_], key / slots_,
              static_cast<std::int32_t>(key % slots_));
    }
}

}  // namespace shoal
