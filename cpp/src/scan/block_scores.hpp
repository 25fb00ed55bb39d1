// Scores of 128 records at once: what the scan and the neighbour search are made of.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "shoal/scan/scan.hpp"

namespace shoal {

// What an x86 processor has of the instruction sets that the paths use.
struct InstructionSets {
    bool avx2 = false;
    bool avx512f = false, avx512bw = false, avx512vl = false, avx512dq = false;
    bool avx512vbmi = false;
};

// The paths that such a processor can take, best first.
std::vector<Path> paths_with(const InstructionSets& sets);

// Which of the 128 records of a block.
struct BlockMask {
    std::uint64_t first = 0, second = 0;

    bool any() const { return (first | second) != 0; }
    void keep(std::size_t count) {  // the first ones, if there are not so many
        if (count >= Alive::block) return;
        first &= below(count);
        second &= below(count > 64 ? count - 64 : 0);
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t rest = first; rest != 0; rest &= rest - 1) {
            visit(static_cast<std::size_t>(std::countr_zero(rest)));
        }
        for (std::uint64_t rest = second; rest != 0; rest &= rest - 1) {
            visit(64 + static_cast<std::size_t>(std::countr_zero(rest)));
        }
    }

  private:
    static std::uint64_t below(std::size_t count) {
        return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }
};

// Sums the planes of a query for the records from `begin` on, one block, and tells which sums are
// no greater than the limit. `scores` are written only if there are any, aligned to 64 bytes.
struct BlockTask {
    const Layout& layout;
    const std::uint8_t* const* columns;
    const std::uint8_t* planes;
};
using ScoreBlock = BlockMask (*)(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                                 std::uint16_t* scores);

ScoreBlock score_block(Path path);

BlockMask score_block_scalar(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                             std::uint16_t* scores);
#if defined(SHOAL_X86)
BlockMask score_block_avx2(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                           std::uint16_t* scores);
BlockMask score_block_avx512(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                             std::uint16_t* scores);
#endif
#if defined(SHOAL_NEON)
BlockMask score_block_neon(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                           std::uint16_t* scores);
#endif

}  // namespace shoal
