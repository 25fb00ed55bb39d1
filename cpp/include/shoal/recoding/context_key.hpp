// What tells contexts of a search for a recoding apart: the groups that a row shows, as one number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shoal/common/random.hpp"

namespace shoal {

// A sum of 128 random bits for each group: the chance that two of 2^32 contexts share a key is
// below 2^-64. With 64 bits, eight attributes of a few hundred values are enough for two that do.
struct ContextKey {
    std::uint64_t low = 0, high = 0;

    ContextKey operator+(const ContextKey& other) const {
        return {low + other.low, high + other.high};
    }
    ContextKey operator-(const ContextKey& other) const {
        return {low - other.low, high - other.high};
    }
    bool operator==(const ContextKey&) const = default;
};

// What a group of an attribute adds to the keys of the rows that show it.
inline ContextKey key_of_group(std::size_t attribute, std::int32_t group) {
    Random random((static_cast<std::uint64_t>(attribute) << 32) +
                  static_cast<std::uint64_t>(group) + 1);
    const std::uint64_t low = random.next();
    return {low, random.next()};
}

}  // namespace shoal
