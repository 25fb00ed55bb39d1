// The vector paths of the scan. Function by function target attributes: the file itself is
// compiled for any x86-64, and the caller asks the processor before it calls.
#include "shoal/scan/scan.hpp"

#if defined(SHOAL_X86)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#define SHOAL_TARGET_512 target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#define SHOAL_AVX512 __attribute__((SHOAL_TARGET_512, always_inline)) inline
#define SHOAL_AVX2 __attribute__((target("avx2"), always_inline)) inline

namespace shoal {

namespace {

constexpr std::uint32_t no_score = 0xFFFF;
static_assert(Layout::radix == 32, "the planes are joined by a shift of five bits");

// The least score so far, and the greatest one that may still win.
struct Threshold {
    std::uint32_t margin;
    std::uint32_t least = no_score;
    std::uint32_t limit = no_score - 1;

    void lower(std::uint32_t score) {
        least = score;
        limit = std::min(score + margin, no_score - 1);
    }
};

void drop_losers(std::vector<Candidate>& found, const Threshold& threshold) {
    std::erase_if(found, [&](const Candidate& each) { return each.score > threshold.limit; });
}

// Sums of one group for 64 records: bytes of both planes.
struct Planes512 {
    __m512i low, high;
};

// Scores of 64 records in 16 bits.
struct Scores512 {
    __m512i first, second;
};

SHOAL_AVX512 void add_64(Planes512& sum, __m512i codes, const std::uint8_t* low,
                         const std::uint8_t* high) {
    sum.low = _mm512_add_epi8(sum.low, _mm512_permutexvar_epi8(codes, _mm512_load_si512(low)));
    sum.high = _mm512_add_epi8(sum.high, _mm512_permutexvar_epi8(codes, _mm512_load_si512(high)));
}

SHOAL_AVX512 __m512i look_up_128(__m512i codes, const std::uint8_t* plane) {
    return _mm512_permutex2var_epi8(_mm512_load_si512(plane), codes, _mm512_load_si512(plane + 64));
}

SHOAL_AVX512 void add_128(Planes512& sum, __m512i codes, const std::uint8_t* low,
                          const std::uint8_t* high) {
    sum.low = _mm512_add_epi8(sum.low, look_up_128(codes, low));
    sum.high = _mm512_add_epi8(sum.high, look_up_128(codes, high));
}

SHOAL_AVX512 __m512i look_up_256(__m512i codes, __mmask64 upper, const std::uint8_t* plane) {
    return _mm512_mask_blend_epi8(upper, look_up_128(codes, plane),
                                  look_up_128(codes, plane + 128));
}

SHOAL_AVX512 void add_256(Planes512& sum, __m512i codes, const std::uint8_t* low,
                          const std::uint8_t* high) {
    const __mmask64 upper = _mm512_movepi8_mask(codes);
    sum.low = _mm512_add_epi8(sum.low, look_up_256(codes, upper, low));
    sum.high = _mm512_add_epi8(sum.high, look_up_256(codes, upper, high));
}

SHOAL_AVX512 __m512i join(__m256i low, __m256i high) {
    return _mm512_add_epi16(_mm512_cvtepu8_epi16(low),
                            _mm512_slli_epi16(_mm512_cvtepu8_epi16(high), 5));
}

SHOAL_AVX512 void widen(Scores512& scores, const Planes512& sum) {
    const __m512i first = join(_mm512_castsi512_si256(sum.low), _mm512_castsi512_si256(sum.high));
    const __m512i second =
        join(_mm512_extracti64x4_epi64(sum.low, 1), _mm512_extracti64x4_epi64(sum.high, 1));
    scores.first = _mm512_add_epi16(scores.first, first);
    scores.second = _mm512_add_epi16(scores.second, second);
}

SHOAL_AVX512 __m256i gather_16(const std::uint32_t* codes, const std::uint16_t* table) {
    return _mm512_cvtepi32_epi16(
        _mm512_i32gather_epi32(_mm512_load_si512(codes), table, sizeof(std::uint16_t)));
}

SHOAL_AVX512 __m512i gather_32(const std::uint32_t* codes, const std::uint16_t* table) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(gather_16(codes, table)),
                              gather_16(codes + 16, table), 1);
}

// Scores at `offset` and after, of which `left` - `offset` belong to records.
SHOAL_AVX512 __m512i without_tail(__m512i scores, std::size_t offset, std::size_t left) {
    const std::size_t kept = left > offset ? std::min<std::size_t>(left - offset, 32) : 0;
    const __mmask32 gone = kept == 32 ? 0u : ~0u << kept;
    return _mm512_mask_blend_epi16(gone, scores, _mm512_set1_epi16(-1));
}

SHOAL_AVX512 std::uint64_t mask_within(const Scores512& scores, __m512i limit) {
    return static_cast<std::uint64_t>(_mm512_cmple_epu16_mask(scores.first, limit)) |
           static_cast<std::uint64_t>(_mm512_cmple_epu16_mask(scores.second, limit)) << 32;
}

SHOAL_AVX512 std::uint32_t least_of(__m512i scores) {
    const __m256i half =
        _mm256_min_epu16(_mm512_castsi512_si256(scores), _mm512_extracti64x4_epi64(scores, 1));
    const __m128i quarter =
        _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xFFFF);
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

}  // namespace

__attribute__((SHOAL_TARGET_512)) void collect_avx512(const Alive& alive, const Query& query,
                                                      std::vector<Candidate>& found) {
    const Layout& layout = query.layout();
    const std::size_t size = alive.size();
    // Held in locals: the compiler cannot know that a candidate stored does not change them.
    const std::uint8_t* const* columns = alive.narrow_columns();
    const std::uint8_t* planes = query.low_plane(0);
    Threshold threshold{query.margin()};
    __m512i limit = _mm512_set1_epi16(static_cast<short>(threshold.limit));

    for (std::size_t begin = 0; begin < size; begin += Alive::block) {
        Scores512 a{_mm512_setzero_si512(), _mm512_setzero_si512()};
        Scores512 b = a;
        for (const Layout::Group& group : layout.groups) {
            Planes512 sum_a{_mm512_setzero_si512(), _mm512_setzero_si512()};
            Planes512 sum_b = sum_a;
            std::uint32_t s = group.begin;
            for (; s < group.end_64; ++s) {
                const std::uint8_t* codes = columns[s] + begin;
                const std::uint8_t* low = planes + s * 2 * Layout::plane;
                const std::uint8_t* high = low + Layout::plane;
                add_64(sum_a, _mm512_load_si512(codes), low, high);
                add_64(sum_b, _mm512_load_si512(codes + 64), low, high);
            }
            for (; s < group.end_128; ++s) {
                const std::uint8_t* codes = columns[s] + begin;
                const std::uint8_t* low = planes + s * 2 * Layout::plane;
                const std::uint8_t* high = low + Layout::plane;
                add_128(sum_a, _mm512_load_si512(codes), low, high);
                add_128(sum_b, _mm512_load_si512(codes + 64), low, high);
            }
            for (; s < group.end_256; ++s) {
                const std::uint8_t* codes = columns[s] + begin;
                const std::uint8_t* low = planes + s * 2 * Layout::plane;
                const std::uint8_t* high = low + Layout::plane;
                add_256(sum_a, _mm512_load_si512(codes), low, high);
                add_256(sum_b, _mm512_load_si512(codes + 64), low, high);
            }
            widen(a, sum_a);
            widen(b, sum_b);
        }
        for (std::size_t s = 0; s < layout.wide.size(); ++s) {
            const std::uint32_t* codes = alive.wide(s) + begin;
            const std::uint16_t* table = query.wide_table(s);
            a.first = _mm512_add_epi16(a.first, gather_32(codes, table));
            a.second = _mm512_add_epi16(a.second, gather_32(codes + 32, table));
            b.first = _mm512_add_epi16(b.first, gather_32(codes + 64, table));
            b.second = _mm512_add_epi16(b.second, gather_32(codes + 96, table));
        }
        if (begin + Alive::block > size) {
            const std::size_t left = size - begin;
            a.first = without_tail(a.first, 0, left);
            a.second = without_tail(a.second, 32, left);
            b.first = without_tail(b.first, 64, left);
            b.second = without_tail(b.second, 96, left);
        }
        const __m512i least = _mm512_min_epu16(_mm512_min_epu16(a.first, a.second),
                                               _mm512_min_epu16(b.first, b.second));
        if (_mm512_cmple_epu16_mask(least, limit) == 0) continue;
        const std::uint32_t block_least = least_of(least);
        if (block_least < threshold.least) {
            threshold.lower(block_least);
            limit = _mm512_set1_epi16(static_cast<short>(threshold.limit));
        }
        alignas(64) std::uint16_t scores[Alive::block];
        _mm512_store_si512(scores, a.first);
        _mm512_store_si512(scores + 32, a.second);
        _mm512_store_si512(scores + 64, b.first);
        _mm512_store_si512(scores + 96, b.second);
        const std::uint64_t masks[2] = {mask_within(a, limit), mask_within(b, limit)};
        for (std::size_t half = 0; half < 2; ++half) {
            for (std::uint64_t rest = masks[half]; rest != 0; rest &= rest - 1) {
                const std::size_t i = 64 * half + static_cast<std::size_t>(std::countr_zero(rest));
                found.push_back({static_cast<std::uint32_t>(begin + i), scores[i]});
            }
        }
    }
    drop_losers(found, threshold);
}

// Sixteen codes a byte shuffle: a code outside the sixteen gets an index with its top bit set,
// which looks up zero, so the parts of a longer table add up. Wide tables are read code by code.
__attribute__((target("avx2"))) void collect_avx2(const Alive& alive, const Query& query,
                                                  std::vector<Candidate>& found) {
    constexpr std::size_t block = 32;
    const Layout& layout = query.layout();
    const std::size_t size = alive.size();
    Threshold threshold{query.margin()};
    __m256i limit = _mm256_set1_epi16(static_cast<short>(threshold.limit));
    const __m256i sixteen = _mm256_set1_epi8(16);
    const __m256i bias = _mm256_set1_epi8(0x70);
    alignas(32) std::uint16_t scores[block];

    for (std::size_t begin = 0; begin < size; begin += block) {
        __m256i first = _mm256_setzero_si256();  // scores of records 0-15
        __m256i second = first;
        for (const Layout::Group& group : layout.groups) {
            __m256i low_sum = _mm256_setzero_si256();
            __m256i high_sum = low_sum;
            std::uint32_t s = group.begin;
            for (; s < group.end_256; ++s) {
                const std::uint32_t code_count =
                    query.records().attributes[layout.narrow[s]].code_count;
                const std::uint8_t* low = query.low_plane(s);
                const std::uint8_t* high = query.high_plane(s);
                __m256i codes = load_32(alive.narrow(s) + begin);
                for (std::uint32_t part = 0; part < code_count; part += 16) {
                    const __m256i index = _mm256_adds_epu8(codes, bias);
                    low_sum =
                        _mm256_add_epi8(low_sum, _mm256_shuffle_epi8(table_16(low + part), index));
                    high_sum = _mm256_add_epi8(high_sum,
                                               _mm256_shuffle_epi8(table_16(high + part), index));
                    codes = _mm256_sub_epi8(codes, sixteen);
                }
            }
            first = _mm256_add_epi16(
                first, join_16(_mm256_castsi256_si128(low_sum), _mm256_castsi256_si128(high_sum)));
            second = _mm256_add_epi16(second, join_16(_mm256_extracti128_si256(low_sum, 1),
                                                      _mm256_extracti128_si256(high_sum, 1)));
        }
        for (std::size_t s = 0; s < layout.wide.size(); ++s) {
            const std::uint32_t* codes = alive.wide(s) + begin;
            const std::uint16_t* table = query.wide_table(s);
            for (std::size_t i = 0; i < block; ++i) scores[i] = table[codes[i]];
            first = _mm256_add_epi16(first, load_32(scores));
            second = _mm256_add_epi16(second, load_32(scores + 16));
        }
        // a <= b for unsigned words: max(a, b) == b.
        const __m256i least = _mm256_min_epu16(first, second);
        const __m256i within = _mm256_cmpeq_epi16(_mm256_max_epu16(least, limit), limit);
        if (_mm256_testz_si256(within, within)) continue;
        _mm256_store_si256(reinterpret_cast<__m256i*>(scores), first);
        _mm256_store_si256(reinterpret_cast<__m256i*>(scores + 16), second);
        const std::size_t valid = std::min(block, size - begin);
        const std::uint32_t block_least = *std::min_element(scores, scores + valid);
        if (block_least < threshold.least) {
            threshold.lower(block_least);
            limit = _mm256_set1_epi16(static_cast<short>(threshold.limit));
        }
        for (std::size_t i = 0; i < valid; ++i) {
            if (scores[i] <= threshold.limit) {
                found.push_back({static_cast<std::uint32_t>(begin + i), scores[i]});
            }
        }
    }
    drop_losers(found, threshold);
}

}  // namespace shoal

#endif
