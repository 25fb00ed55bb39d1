// Block scores with AVX2 and AVX-512. Function by function target attributes: the file itself is
// compiled for any x86-64, and the caller asks the processor before it calls.
#include "scan/block_scores.hpp"

#if defined(SHOAL_X86)

#include <immintrin.h>

#define SHOAL_TARGET_512 target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#define SHOAL_AVX512 __attribute__((SHOAL_TARGET_512, always_inline)) inline
#define SHOAL_AVX2 __attribute__((target("avx2"), always_inline)) inline

namespace shoal {

namespace {

static_assert(Layout::radix == 32, "the planes are joined by a shift of five bits");
static_assert(Layout::buckets == 64, "one permutation looks up a plane");
static_assert(Alive::block == 128);

// Sums of one group for 64 records: bytes of both planes.
struct Planes512 {
    __m512i low, high;
};

SHOAL_AVX512 void add(Planes512& sum, __m512i codes, __m512i low, __m512i high) {
    sum.low = _mm512_add_epi8(sum.low, _mm512_permutexvar_epi8(codes, low));
    sum.high = _mm512_add_epi8(sum.high, _mm512_permutexvar_epi8(codes, high));
}

SHOAL_AVX512 __m512i join(__m256i low, __m256i high) {
    return _mm512_add_epi16(_mm512_cvtepu8_epi16(low),
                            _mm512_slli_epi16(_mm512_cvtepu8_epi16(high), 5));
}

SHOAL_AVX512 void widen(__m512i* scores, const Planes512& sum) {
    scores[0] = _mm512_add_epi16(
        scores[0], join(_mm512_castsi512_si256(sum.low), _mm512_castsi512_si256(sum.high)));
    scores[1] = _mm512_add_epi16(scores[1], join(_mm512_extracti64x4_epi64(sum.low, 1),
                                                 _mm512_extracti64x4_epi64(sum.high, 1)));
}

SHOAL_AVX512 std::uint64_t mask_within(const __m512i* scores, __m512i limit) {
    return static_cast<std::uint64_t>(_mm512_cmple_epu16_mask(scores[0], limit)) |
           static_cast<std::uint64_t>(_mm512_cmple_epu16_mask(scores[1], limit)) << 32;
}

SHOAL_AVX2 __m256i load_32(const void* bytes) {
    return _mm256_load_si256(static_cast<const __m256i*>(bytes));
}

SHOAL_AVX2 __m256i table_16(const std::uint8_t* plane) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(plane)));
}

// The 64 entries of one plane of a slot, or as many as it uses.
struct Table64 {
    __m256i part[4];
    std::uint32_t used;
};

SHOAL_AVX2 Table64 table_64(const std::uint8_t* plane, std::uint32_t used) {
    Table64 table{{table_16(plane)}, used};
    if (used > 16) table.part[1] = table_16(plane + 16);
    if (used > 32) {
        table.part[2] = table_16(plane + 32);
        table.part[3] = table_16(plane + 48);
    }
    return table;
}

// A byte shuffle reads the four lower bits of codes and, in codes below 64, finds its top bit
// clear. A blend reads the top bit, so bits 4 and 5 are moved there.
SHOAL_AVX2 __m256i look_up(__m256i codes, const Table64& table) {
    const __m256i first = _mm256_shuffle_epi8(table.part[0], codes);
    if (table.used <= 16) return first;
    const __m256i bit_4 = _mm256_slli_epi16(codes, 3);
    const __m256i second = _mm256_shuffle_epi8(table.part[1], codes);
    const __m256i below = _mm256_blendv_epi8(first, second, bit_4);
    if (table.used <= 32) return below;
    const __m256i third = _mm256_shuffle_epi8(table.part[2], codes);
    const __m256i fourth = _mm256_shuffle_epi8(table.part[3], codes);
    return _mm256_blendv_epi8(below, _mm256_blendv_epi8(third, fourth, bit_4),
                              _mm256_slli_epi16(codes, 2));
}

// Scores of 32 records.
struct Scores32 {
    __m256i first, second;
};

// Adds sums of one plane, shifted by so many bits.
template <int shift>
SHOAL_AVX2 void widen(Scores32& scores, __m256i sum) {
    const __m256i first = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(sum));
    const __m256i second = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(sum, 1));
    scores.first = _mm256_add_epi16(scores.first, _mm256_slli_epi16(first, shift));
    scores.second = _mm256_add_epi16(scores.second, _mm256_slli_epi16(second, shift));
}

// Adds one plane of all slots to the scores of 64 records: each table is loaded once for both
// halves.
template <int shift>
SHOAL_AVX2 void add_plane(const BlockTask& task, std::size_t begin, const std::uint8_t* planes,
                          Scores32 (&scores)[2]) {
    for (const Layout::Group& group : task.layout.groups) {
        __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        for (std::uint32_t s = group.begin; s < group.end; ++s) {
            const Table64 table = table_64(planes + s * 2 * Layout::buckets, task.layout.used[s]);
            const std::uint8_t* codes = task.columns[s] + begin;
            sum[0] = _mm256_add_epi8(sum[0], look_up(load_32(codes), table));
            sum[1] = _mm256_add_epi8(sum[1], look_up(load_32(codes + 32), table));
        }
        widen<shift>(scores[0], sum[0]);
        widen<shift>(scores[1], sum[1]);
    }
}

// Bit i is set if score i of 32 is within the limit: a <= b for unsigned words is max(a, b) == b.
SHOAL_AVX2 std::uint32_t mask_within(const Scores32& scores, __m256i limit) {
    const __m256i in_first = _mm256_cmpeq_epi16(_mm256_max_epu16(scores.first, limit), limit);
    const __m256i in_second = _mm256_cmpeq_epi16(_mm256_max_epu16(scores.second, limit), limit);
    // Packing works within halves of 128 bits; the permutation puts the records in order again.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(in_first, in_second), 0xD8);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
}

SHOAL_AVX2 std::uint64_t mask_within(const Scores32 (&scores)[2], __m256i limit) {
    return mask_within(scores[0], limit) | std::uint64_t{mask_within(scores[1], limit)} << 32;
}

}  // namespace

__attribute__((SHOAL_TARGET_512)) BlockMask score_block_avx512(const BlockTask& task,
                                                               std::size_t begin,
                                                               std::uint32_t limit,
                                                               std::uint16_t* scores) {
    __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                      _mm512_setzero_si512()};
    for (const Layout::Group& group : task.layout.groups) {
        Planes512 first{_mm512_setzero_si512(), _mm512_setzero_si512()};
        Planes512 second = first;
        for (std::uint32_t s = group.begin; s < group.end; ++s) {
            const std::uint8_t* codes = task.columns[s] + begin;
            const std::uint8_t* plane = task.planes + s * 2 * Layout::buckets;
            const __m512i low = _mm512_load_si512(plane);
            const __m512i high = _mm512_load_si512(plane + Layout::buckets);
            add(first, _mm512_load_si512(codes), low, high);
            add(second, _mm512_load_si512(codes + 64), low, high);
        }
        widen(sum, first);
        widen(sum + 2, second);
    }
    const __m512i most = _mm512_set1_epi16(static_cast<short>(limit));
    const BlockMask mask{mask_within(sum, most), mask_within(sum + 2, most)};
    if (!mask.any()) return mask;
    for (std::size_t part = 0; part < 4; ++part) {
        _mm512_store_si512(scores + 32 * part, sum[part]);
    }
    return mask;
}

__attribute__((target("avx2"))) BlockMask score_block_avx2(const BlockTask& task, std::size_t begin,
                                                           std::uint32_t limit,
                                                           std::uint16_t* scores) {
    const __m256i most = _mm256_set1_epi16(static_cast<short>(limit));
    std::uint64_t masks[2];
    for (std::size_t half = 0; half < 2; ++half) {
        const __m256i zero = _mm256_setzero_si256();
        Scores32 found[2] = {{zero, zero}, {zero, zero}};
        // A look-up takes several shuffles here. Most records are beyond the limit by the higher
        // plane alone, and then nobody asks for the lower one.
        add_plane<5>(task, begin + half * 64, task.planes + Layout::buckets, found);
        masks[half] = mask_within(found, most);
        if (masks[half] == 0) continue;
        add_plane<0>(task, begin + half * 64, task.planes, found);
        masks[half] = mask_within(found, most);
        if (masks[half] == 0) continue;
        __m256i* to = reinterpret_cast<__m256i*>(scores + half * 64);
        _mm256_store_si256(to, found[0].first);
        _mm256_store_si256(to + 1, found[0].second);
        _mm256_store_si256(to + 2, found[1].first);
        _mm256_store_si256(to + 3, found[1].second);
    }
    return {masks[0], masks[1]};
}

}  // namespace shoal

#endif
