// What each of some released records would lose with each of some rows instead of one of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cover/cover_members.hpp"
#include "shoal/common/bulk.hpp"

namespace shoal {

class BlockCosts {
  public:
    explicit BlockCosts(const CoverMembers& cover_members);

    // Slots of different released records; their rows are the columns.
    void set_slots(std::span<const std::size_t> slots);
    // Entries from one line to the next; those beyond the block repeat its last column.
    std::size_t stride() const { return stride_; }
    // Of the released record of slot b: the loss without its row and with each of the block's.
    void line(std::size_t b, std::int32_t* costs);

  private:
    // What the rows of a block have in one attribute.
    struct Ordered {
        BulkVector<std::int32_t> values;  // by column
        std::int32_t lowest, highest;
    };
    struct Bits {
        std::vector<BulkVector<std::uint32_t>> words;  // by word and column
        std::vector<std::uint32_t> seen;               // bits of any column

        void clear(std::size_t number, std::size_t stride);
        void put(std::uint32_t place, std::size_t column) {
            const std::uint32_t bit = 1u << (place % 32);
            words[place / 32][column] = bit;
            seen[place / 32] |= bit;
        }
    };
    // Codes of a listed set among those of the block: which block last had it, and its number.
    struct Numbers {
        std::vector<std::uint32_t> block, number;
        std::uint32_t known = 0;
    };

    void add_bits(const Bits& bits, std::size_t word, std::uint32_t lacking, std::int32_t cost,
                  std::int32_t* costs) const;
    void add_sets(std::size_t released, std::int32_t row, std::int32_t* costs) const;
    void add_ordered(std::size_t released, std::int32_t row, std::int32_t* costs) const;
    void add_listed(std::size_t released, std::size_t place, std::int32_t* costs);
    std::uint32_t number_of(Numbers& numbers, std::size_t code) const;

    const CoverMembers& cover_members_;
    std::size_t stride_ = 0;
    std::vector<std::size_t> slots_;
    std::vector<Bits> sets_, listed_;
    std::vector<Ordered> ordered_;
    std::vector<Numbers> numbers_;
    std::uint32_t block_ = 0;
    std::vector<std::uint32_t> lacking_;
};

}  // namespace shoal
