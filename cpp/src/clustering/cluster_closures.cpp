#include "clustering/cluster_closures.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace shoal {

ClusterClosures::ClusterClosures(const Records& records, std::size_t slots)
    : records_(records),
      attributes_(rounded_attributes(records)),
      width_(records.attributes.size()),
      places_(width_),
      low_(slots * width_),
      high_(slots * width_),
      losses_(slots) {
    for (std::size_t j = 0; j < width_; ++j) {
        const Attribute& attribute = records.attributes[j];
        if (attribute.kind != Kind::set) continue;
        SetPlace& place = places_[j];
        place.wide = attribute.code_count > mask_codes;
        if (place.wide) {
            place.offset = wide_sets_++;
        } else {
            place.offset = mask_words_;
            place.words = (attribute.code_count + 63) / 64;
            mask_words_ += place.words;
        }
    }
    masks_.resize(slots * mask_words_);
    sorted_.resize(slots * wide_sets_);
}

void ClusterClosures::open(std::size_t slot, std::size_t row) {
    std::fill_n(masks_.begin() + static_cast<std::ptrdiff_t>(slot * mask_words_), mask_words_, 0);
    for (std::size_t j = 0; j < width_; ++j) {
        const std::uint32_t code = records_.attributes[j].code(row);
        low_[slot * width_ + j] = high_[slot * width_ + j] = code;
        if (records_.attributes[j].kind != Kind::set) continue;
        const SetPlace& place = places_[j];
        if (place.wide) {
            sorted_[slot * wide_sets_ + place.offset].assign(1, code);
        } else {
            masks_[slot * mask_words_ + place.offset + code / 64] |= std::uint64_t{1} << code % 64;
        }
    }
    losses_[slot] = loss_of_union(slot, slot);
}

void ClusterClosures::unite(std::size_t kept, std::size_t gone) {
    losses_[kept] = loss_of_union(kept, gone);
    for (std::size_t j = 0; j < width_; ++j) {
        std::uint32_t& low = low_[kept * width_ + j];
        std::uint32_t& high = high_[kept * width_ + j];
        low = std::min(low, low_[gone * width_ + j]);
        high = std::max(high, high_[gone * width_ + j]);
    }
    for (std::size_t word = 0; word < mask_words_; ++word) {
        masks_[kept * mask_words_ + word] |= masks_[gone * mask_words_ + word];
    }
    for (std::size_t s = 0; s < wide_sets_; ++s) {
        std::vector<std::uint32_t>& mine = sorted_[kept * wide_sets_ + s];
        const std::vector<std::uint32_t>& theirs = sorted_[gone * wide_sets_ + s];
        std::vector<std::uint32_t> both;
        std::set_union(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                       std::back_inserter(both));
        mine = std::move(both);
    }
}

double ClusterClosures::loss_of_union(std::size_t a, std::size_t b) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < width_; ++j) sum += attribute_loss(j, a, b);
    return sum;
}

double ClusterClosures::attribute_loss(std::size_t j, std::size_t a, std::size_t b) const {
    const RoundedAttribute& attribute = attributes_[j];
    if (attribute.source->kind == Kind::set) {
        return attribute.set(values_of_union(places_[j], a, b));
    }
    const std::uint32_t low = std::min(low_[a * width_ + j], low_[b * width_ + j]);
    const std::uint32_t high = std::max(high_[a * width_ + j], high_[b * width_ + j]);
    switch (attribute.source->kind) {
        case Kind::interval:
            return attribute.interval(low, high);
        case Kind::tree:
            return attribute.tree(low, high);
        default:
            return attribute.all_or_nothing(low, high);
    }
}

std::uint32_t ClusterClosures::values_of_union(const SetPlace& place, std::size_t a,
                                               std::size_t b) const {
    if (!place.wide) {
        const std::uint64_t* mine = masks_.data() + a * mask_words_ + place.offset;
        const std::uint64_t* theirs = masks_.data() + b * mask_words_ + place.offset;
        int count = 0;
        for (std::uint32_t word = 0; word < place.words; ++word) {
            count += std::popcount(mine[word] | theirs[word]);
        }
        return static_cast<std::uint32_t>(count);
    }
    const std::vector<std::uint32_t>& mine = sorted_[a * wide_sets_ + place.offset];
    const std::vector<std::uint32_t>& theirs = sorted_[b * wide_sets_ + place.offset];
    std::size_t shared = 0;
    for (std::size_t i = 0, k = 0; i < mine.size() && k < theirs.size();) {
        if (mine[i] == theirs[k]) ++shared;
        const bool next_mine = mine[i] <= theirs[k];
        const bool next_theirs = theirs[k] <= mine[i];
        i += next_mine;
        k += next_theirs;
    }
    return static_cast<std::uint32_t>(mine.size() + theirs.size() - shared);
}

}  // namespace shoal
