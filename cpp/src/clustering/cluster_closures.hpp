// Closures of many clusters side by side, with the loss of the union of any two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shoal/common/records.hpp"
#include "shoal/common/rounded_loss.hpp"

namespace shoal {

// One closure a slot, O(attributes) memory each: sets of small domains are bit masks, those of
// large ones, which hold few values in a small cluster, sorted arrays.
class ClusterClosures {
  public:
    static constexpr std::uint32_t mask_codes = 256;

    ClusterClosures(const Records& records, std::size_t slots);

    void open(std::size_t slot, std::size_t row);
    void unite(std::size_t kept, std::size_t gone);  // `gone` stays as it was
    double loss(std::size_t slot) const { return losses_[slot]; }
    double loss_of_union(std::size_t a, std::size_t b) const;

    const std::vector<RoundedAttribute>& attributes() const { return attributes_; }
    std::uint32_t low(std::size_t slot, std::size_t j) const { return low_[slot * width_ + j]; }
    std::uint32_t high(std::size_t slot, std::size_t j) const { return high_[slot * width_ + j]; }

    // Calls visit(code) for every value of a set attribute.
    template <class Visit>
    void for_each_value(std::size_t slot, std::size_t j, Visit visit) const {
        const SetPlace& place = places_[j];
        if (place.wide) {
            for (const std::uint32_t code : sorted_[slot * wide_sets_ + place.offset]) visit(code);
            return;
        }
        for (std::uint32_t word = 0; word < place.words; ++word) {
            std::uint64_t rest = masks_[slot * mask_words_ + place.offset + word];
            for (; rest != 0; rest &= rest - 1) {
                visit(64 * word + static_cast<std::uint32_t>(std::countr_zero(rest)));
            }
        }
    }

  private:
    struct SetPlace {
        bool wide = false;
        std::size_t offset = 0;
        std::uint32_t words = 0;
    };
    std::uint32_t values_of_union(const SetPlace& place, std::size_t a, std::size_t b) const;
    double attribute_loss(std::size_t j, std::size_t a, std::size_t b) const;

    const Records& records_;
    std::vector<RoundedAttribute> attributes_;
    std::size_t width_;
    std::vector<SetPlace> places_;
    std::size_t mask_words_ = 0;
    std::size_t wide_sets_ = 0;
    std::vector<std::uint32_t> low_, high_;
    std::vector<std::uint64_t> masks_;
    std::vector<std::vector<std::uint32_t>> sorted_;
    std::vector<double> losses_;
};

}  // namespace shoal
