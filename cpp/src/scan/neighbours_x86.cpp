// The vector paths of the neighbour search: scores of 128 records at a time from the byte planes of
// a query, by the same permutations as the scan.
#include "shoal/scan/neighbours.hpp"

#if defined(SHOAL_X86)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#define SHOAL_TARGET_512 target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#define SHOAL_AVX512 __attribute__((SHOAL_TARGET_512, always_inline)) inline
#define SHOAL_AVX2 __attribute__((target("avx2"), always_inline)) inline

namespace shoal {

namespace {

static_assert(Layout::radix == 32, "the planes are joined by a shift of five bits");
static_assert(Alive::block == 128);

struct Planes {  // of 64 records
    __m512i low, high;
};

SHOAL_AVX512 __m512i look_up_128(__m512i codes, const std::uint8_t* plane) {
    return _mm512_permutex2var_epi8(_mm512_load_si512(plane), codes, _mm512_load_si512(plane + 64));
}

SHOAL_AVX512 __m512i look_up(__m512i codes, const std::uint8_t* plane, std::uint32_t code_count) {
    if (code_count <= 64) return _mm512_permutexvar_epi8(codes, _mm512_load_si512(plane));
    if (code_count <= 128) return look_up_128(codes, plane);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), look_up_128(codes, plane),
                                  look_up_128(codes, plane + 128));
}

SHOAL_AVX512 void add(Planes& sum, const std::uint8_t* codes, const std::uint8_t* low,
                      const std::uint8_t* high, std::uint32_t code_count) {
    const __m512i loaded = _mm512_load_si512(codes);
    sum.low = _mm512_add_epi8(sum.low, look_up(loaded, low, code_count));
    sum.high = _mm512_add_epi8(sum.high, look_up(loaded, high, code_count));
}

SHOAL_AVX512 __m512i join(__m256i low, __m256i high) {
    return _mm512_add_epi16(_mm512_cvtepu8_epi16(low),
                            _mm512_slli_epi16(_mm512_cvtepu8_epi16(high), 5));
}

SHOAL_AVX512 void widen(__m512i* scores, const Planes& sum) {
    scores[0] = _mm512_add_epi16(
        scores[0], join(_mm512_castsi512_si256(sum.low), _mm512_castsi512_si256(sum.high)));
    scores[1] = _mm512_add_epi16(scores[1], join(_mm512_extracti64x4_epi64(sum.low, 1),
                                                 _mm512_extracti64x4_epi64(sum.high, 1)));
}

SHOAL_AVX512 __m256i gather_16(const std::uint32_t* codes, const std::uint16_t* table) {
    return _mm512_cvtepi32_epi16(
        _mm512_i32gather_epi32(_mm512_load_si512(codes), table, sizeof(std::uint16_t)));
}

SHOAL_AVX512 __m512i gather_32(const std::uint32_t* codes, const std::uint16_t* table) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(gather_16(codes, table)),
                              gather_16(codes + 16, table), 1);
}

SHOAL_AVX2 __m256i load_32(const void* bytes) {
    return _mm256_load_si256(static_cast<const __m256i*>(bytes));
}

SHOAL_AVX2 __m256i table_16(const std::uint8_t* plane) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(plane)));
}

SHOAL_AVX2 __m256i join_16(__m128i low, __m128i high) {
    return _mm256_add_epi16(_mm256_cvtepu8_epi16(low),
                            _mm256_slli_epi16(_mm256_cvtepu8_epi16(high), 5));
}

// Bit i is set if score i of 32 is below the limit: a >= b for unsigned words is max(a, b) == a.
SHOAL_AVX2 std::uint32_t mask_below(__m256i first, __m256i second, __m256i limit) {
    const __m256i not_first = _mm256_cmpeq_epi16(_mm256_max_epu16(first, limit), first);
    const __m256i not_second = _mm256_cmpeq_epi16(_mm256_max_epu16(second, limit), second);
    // Packing works within halves of 128 bits; the permutation puts the records in order again.
    const __m256i packed =
        _mm256_permute4x64_epi64(_mm256_packs_epi16(not_first, not_second), 0xD8);
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
}

}  // namespace

// Sixteen codes a byte shuffle: a code outside the sixteen gets an index with its top bit set,
// which looks up zero, so the parts of a longer table add up. Wide tables are read code by code.
__attribute__((target("avx2"))) void score_avx2(const Alive& alive, const Query& query,
                                                std::size_t first_block, NearestKeys& keys) {
    constexpr std::size_t block = Alive::block, part = 32;
    const Layout& layout = query.layout();
    const auto& attributes = query.records().attributes;
    const std::size_t size = alive.size();
    const std::size_t blocks = (size + block - 1) / block;
    const __m256i sixteen = _mm256_set1_epi8(16);
    const __m256i bias = _mm256_set1_epi8(0x70);
    alignas(32) std::uint16_t stored[part];
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t block_begin = (first_block + i) % blocks * block;
        const __m256i limit = _mm256_set1_epi16(static_cast<short>(keys.limit()));
        for (std::size_t offset = 0; offset < block; offset += part) {
            const std::size_t begin = block_begin + offset;
            if (begin >= size) break;
            __m256i first = _mm256_setzero_si256();  // scores of records 0-15
            __m256i second = first;
            for (const Layout::Group& group : layout.groups) {
                __m256i low_sum = _mm256_setzero_si256();
                __m256i high_sum = low_sum;
                for (std::uint32_t s = group.begin; s < group.end_256; ++s) {
                    const std::uint32_t count = attributes[layout.narrow[s]].code_count;
                    const std::uint8_t* low = query.low_plane(s);
                    const std::uint8_t* high = query.high_plane(s);
                    __m256i codes = load_32(alive.narrow(s) + begin);
                    for (std::uint32_t at = 0; at < count; at += 16) {
                        const __m256i index = _mm256_adds_epu8(codes, bias);
                        low_sum = _mm256_add_epi8(low_sum,
                                                  _mm256_shuffle_epi8(table_16(low + at), index));
                        high_sum = _mm256_add_epi8(high_sum,
                                                   _mm256_shuffle_epi8(table_16(high + at), index));
                        codes = _mm256_sub_epi8(codes, sixteen);
                    }
                }
                first = _mm256_add_epi16(first, join_16(_mm256_castsi256_si128(low_sum),
                                                        _mm256_castsi256_si128(high_sum)));
                second = _mm256_add_epi16(second, join_16(_mm256_extracti128_si256(low_sum, 1),
                                                          _mm256_extracti128_si256(high_sum, 1)));
            }
            for (std::size_t s = 0; s < layout.wide.size(); ++s) {
                const std::uint32_t* codes = alive.wide(s) + begin;
                const std::uint16_t* table = query.wide_table(s);
                for (std::size_t p = 0; p < part; ++p) stored[p] = table[codes[p]];
                first = _mm256_add_epi16(first, load_32(stored));
                second = _mm256_add_epi16(second, load_32(stored + 16));
            }
            std::uint32_t mask = mask_below(first, second, limit);
            if (size - begin < part) mask &= (1u << (size - begin)) - 1;
            if (mask == 0) continue;
            _mm256_store_si256(reinterpret_cast<__m256i*>(stored), first);
            _mm256_store_si256(reinterpret_cast<__m256i*>(stored + 16), second);
            for (; mask != 0; mask &= mask - 1) {
                const auto p = static_cast<std::size_t>(std::countr_zero(mask));
                keys.push(std::uint64_t{stored[p]} << 32 | (i * block + offset + p));
            }
        }
        keys.shrink_if_many();
    }
}

__attribute__((SHOAL_TARGET_512)) void score_avx512(const Alive& alive, const Query& query,
                                                    std::size_t first_block, NearestKeys& keys) {
    constexpr std::size_t block = Alive::block;
    const Layout& layout = query.layout();
    const auto& attributes = query.records().attributes;
    const std::size_t size = alive.size();
    const std::size_t blocks = (size + block - 1) / block;
    alignas(64) std::uint16_t stored[block];
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t begin = (first_block + i) % blocks * block;
        __m512i scores[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                             _mm512_setzero_si512()};
        for (const Layout::Group& group : layout.groups) {
            Planes first{_mm512_setzero_si512(), _mm512_setzero_si512()};
            Planes second = first;
            for (std::uint32_t s = group.begin; s < group.end_256; ++s) {
                const std::uint32_t count = attributes[layout.narrow[s]].code_count;
                const std::uint8_t* codes = alive.narrow(s) + begin;
                add(first, codes, query.low_plane(s), query.high_plane(s), count);
                add(second, codes + 64, query.low_plane(s), query.high_plane(s), count);
            }
            widen(scores, first);
            widen(scores + 2, second);
        }
        for (std::size_t s = 0; s < layout.wide.size(); ++s) {
            const std::uint32_t* codes = alive.wide(s) + begin;
            for (std::size_t part = 0; part < 4; ++part) {
                scores[part] = _mm512_add_epi16(scores[part],
                                                gather_32(codes + 32 * part, query.wide_table(s)));
            }
        }
        const __m512i limit = _mm512_set1_epi16(static_cast<short>(keys.limit()));
        std::uint64_t masks[2];
        for (std::size_t half = 0; half < 2; ++half) {
            masks[half] =
                static_cast<std::uint64_t>(_mm512_cmplt_epu16_mask(scores[2 * half], limit)) |
                static_cast<std::uint64_t>(_mm512_cmplt_epu16_mask(scores[2 * half + 1], limit))
                    << 32;
        }
        if (size - begin < block) {
            const std::size_t valid = size - begin;
            const auto kept = [](std::size_t count) {
                return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
            };
            masks[0] &= kept(valid);
            masks[1] &= kept(valid > 64 ? valid - 64 : 0);
        }
        if ((masks[0] | masks[1]) == 0) continue;
        for (std::size_t part = 0; part < 4; ++part) {
            _mm512_store_si512(stored + 32 * part, scores[part]);
        }
        for (std::size_t half = 0; half < 2; ++half) {
            for (std::uint64_t rest = masks[half]; rest != 0; rest &= rest - 1) {
                const std::size_t p = 64 * half + static_cast<std::size_t>(std::countr_zero(rest));
                keys.push(std::uint64_t{stored[p]} << 32 | (i * block + p));
            }
        }
        keys.shrink_if_many();
    }
}

}  // namespace shoal

#endif
