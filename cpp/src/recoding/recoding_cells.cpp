#include "shoal/recoding/recoding_cells.hpp"

#include <bit>
#include <utility>

#include "shoal/common/random.hpp"

namespace shoal {

namespace {

constexpr std::size_t largest_dense = std::size_t{1} << 22;

std::uint64_t mix(std::uint64_t value) { return Random(value).next(); }

}  // namespace

void RecodingCells::reset(std::size_t contexts, std::size_t slots, std::size_t labels,
                          std::size_t entries) {
    contexts_ = contexts;
    slots_ = slots;
    labels_ = labels;
    dense_ = contexts * slots * labels <= largest_dense;
    used_ = 0;
    if (dense_) {
        counts_.assign(contexts * slots * labels, 0);
        return;
    }
    counts_.clear();
    keys_.assign(std::bit_ceil(4 * entries + 16), 0);
    places_.resize(keys_.size());
}

std::int32_t* RecodingCells::at(std::size_t context, std::int32_t group) {
    if (dense_) return &counts_[(static_cast<std::size_t>(group) * contexts_ + context) * labels_];
    const std::uint64_t key = context * slots_ + static_cast<std::size_t>(group) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
    if (keys_[slot] == 0) {
        if (2 * used_ > keys_.size()) {
            grow();
            return at(context, group);
        }
        keys_[slot] = key;
        places_[slot] = static_cast<std::uint32_t>(used_++);
        counts_.resize(used_ * labels_);
    }
    return &counts_[places_[slot] * labels_];
}

const std::int32_t* RecodingCells::find(std::size_t context, std::int32_t group) const {
    if (dense_) return &counts_[(static_cast<std::size_t>(group) * contexts_ + context) * labels_];
    const std::uint64_t key = context * slots_ + static_cast<std::size_t>(group) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
    return keys_[slot] == 0 ? nullptr : &counts_[places_[slot] * labels_];
}

void RecodingCells::grow() {
    std::vector<std::uint64_t> keys(2 * keys_.size());
    std::vector<std::uint32_t> places(keys.size());
    const std::size_t mask = keys.size() - 1;
    for (std::size_t old = 0; old < keys_.size(); ++old) {
        if (keys_[old] == 0) continue;
        std::size_t slot = mix(keys_[old]) & mask;
        while (keys[slot] != 0) slot = (slot + 1) & mask;
        keys[slot] = keys_[old];
        places[slot] = places_[old];
    }
    keys_ = std::move(keys);
    places_ = std::move(places);
}

}  // namespace shoal
