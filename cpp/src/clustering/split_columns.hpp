// Column operations of a top-down partition: what a node holds, and the split into two sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shoal {

struct Extent {
    std::uint32_t low;
    std::uint32_t high;
};

// Lowest and highest code.
Extent extent(const std::uint8_t* codes, std::size_t size);
Extent extent(const std::uint16_t* codes, std::size_t size);
Extent extent(const std::uint32_t* codes, std::size_t size);

// Bit c is set if code c occurs; codes below 64, none outside `possible`.
std::uint64_t present(const std::uint8_t* codes, std::size_t size, std::uint64_t possible);

// How often each code from `low` on occurs, added to `histogram`.
void count_codes(const std::uint8_t* codes, std::size_t size, std::uint32_t low,
                 std::int64_t* histogram);

// Bit i of `left` says whether code i is at most `cut`; ceil(size / 64) words, surplus bits zero.
// Returns how many are.
std::size_t mark_left(const std::uint8_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left);
std::size_t mark_left(const std::uint16_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left);
std::size_t mark_left(const std::uint32_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left);

// Stable split of a column into two; the targets do not overlap the source.
void split(const std::uint8_t* source, std::size_t size, const std::uint64_t* left,
           std::uint8_t* to_left, std::uint8_t* to_right);
void split(const std::uint16_t* source, std::size_t size, const std::uint64_t* left,
           std::uint16_t* to_left, std::uint16_t* to_right);
void split(const std::uint32_t* source, std::size_t size, const std::uint64_t* left,
           std::uint32_t* to_left, std::uint32_t* to_right);
void split(const std::int32_t* source, std::size_t size, const std::uint64_t* left,
           std::int32_t* to_left, std::int32_t* to_right);

}  // namespace shoal
