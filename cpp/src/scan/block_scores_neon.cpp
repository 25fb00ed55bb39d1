// Block scores with NEON, which every aarch64 processor has.
#include "scan/block_scores.hpp"

#if defined(SHOAL_NEON)

#include <arm_neon.h>

namespace shoal {

namespace {

static_assert(Layout::radix == 32, "the planes are joined by a shift of five bits");
static_assert(Layout::buckets == 64, "four registers hold a plane");

// Bit i is set if score i of 16 is within the limit.
inline std::uint64_t mask_within(uint16x8_t first, uint16x8_t second, uint16x8_t limit) {
    constexpr std::uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t within =
        vcombine_u8(vmovn_u16(vcleq_u16(first, limit)), vmovn_u16(vcleq_u16(second, limit)));
    const uint8x16_t bits = vandq_u8(within, vld1q_u8(bit));
    return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits)))
                                             << 8;
}

}  // namespace

BlockMask score_block_neon(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                           std::uint16_t* scores) {
    constexpr std::size_t part = 16, parts = 4;  // of half a block, as many as registers allow
    const uint16x8_t most = vdupq_n_u16(static_cast<std::uint16_t>(limit));
    std::uint64_t masks[2] = {0, 0};
    for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t at = begin + half * 64;
        uint16x8_t first[parts], second[parts];  // scores of records 0-7 and 8-15 of each part
        for (std::size_t p = 0; p < parts; ++p) first[p] = second[p] = vdupq_n_u16(0);
        for (const Layout::Group& group : task.layout.groups) {
            uint8x16_t low_sum[parts], high_sum[parts];
            for (std::size_t p = 0; p < parts; ++p) low_sum[p] = high_sum[p] = vdupq_n_u8(0);
            for (std::uint32_t s = group.begin; s < group.end; ++s) {
                const std::uint8_t* plane = task.planes + s * 2 * Layout::buckets;
                const uint8x16x4_t low = vld1q_u8_x4(plane);
                const uint8x16x4_t high = vld1q_u8_x4(plane + Layout::buckets);
                for (std::size_t p = 0; p < parts; ++p) {
                    const uint8x16_t codes = vld1q_u8(task.columns[s] + at + p * part);
                    low_sum[p] = vaddq_u8(low_sum[p], vqtbl4q_u8(low, codes));
                    high_sum[p] = vaddq_u8(high_sum[p], vqtbl4q_u8(high, codes));
                }
            }
            for (std::size_t p = 0; p < parts; ++p) {
                first[p] = vaddq_u16(first[p], vaddw_u8(vshll_n_u8(vget_low_u8(high_sum[p]), 5),
                                                        vget_low_u8(low_sum[p])));
                second[p] = vaddq_u16(second[p], vaddw_u8(vshll_n_u8(vget_high_u8(high_sum[p]), 5),
                                                          vget_high_u8(low_sum[p])));
            }
        }
        for (std::size_t p = 0; p < parts; ++p) {
            masks[half] |= mask_within(first[p], second[p], most) << (p * part);
        }
        if (masks[half] == 0) continue;
        for (std::size_t p = 0; p < parts; ++p) {
            vst1q_u16(scores + half * 64 + p * part, first[p]);
            vst1q_u16(scores + half * 64 + p * part + 8, second[p]);
        }
    }
    return {masks[0], masks[1]};
}

}  // namespace shoal

#endif
