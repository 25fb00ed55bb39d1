// Attribute losses as multiples of a small power of two, so that sums of them, and products with
// class sizes, are exact: equal losses compare equal in whatever order they were added up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shoal/common/records.hpp"

namespace shoal {

// Weighted losses of one attribute.
struct RoundedAttribute {
    const Attribute* source = nullptr;
    double weight = 0.0;
    double step = 0.0;                // set only
    std::vector<double> positions;    // interval only
    std::vector<double> node_losses;  // tree only

    double interval(std::uint32_t low, std::uint32_t high) const {
        return std::min(positions[high] - positions[low], weight);
    }
    double set(std::uint32_t count) const {
        return std::min(static_cast<double>(count - 1) * step, weight);
    }
    double tree(std::uint32_t low, std::uint32_t high) const {
        return node_losses[static_cast<std::size_t>(source->common_ancestor(low, high))];
    }
    double all_or_nothing(std::uint32_t low, std::uint32_t high) const {
        return low == high ? 0.0 : weight;
    }
};

// The attributes of records, rounded to multiples of 2^-40 of about their total weight.
std::vector<RoundedAttribute> rounded_attributes(const Records& records);

}  // namespace shoal
