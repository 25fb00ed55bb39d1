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

// Bits 4 and 5 of the codes, each moved to the top of its byte, where a blend reads it. A byte
// shuffle reads the bits below and, in codes below 64, finds its top bit clear.
struct Upper {
    __m256i fourth, fifth;
};

SHOAL_AVX2 __m256i look_up(__m256i codes, const Upper& upper, const std::uint8_t* plane,
                           std::uint32_t used) {
    const __m256i first = _mm256_shuffle_epi8(table_16(plane), codes);
    if (used <= 16) return first;
    const __m256i second = _mm256_shuffle_epi8(table_16(plane + 16), codes);
    const __m256i below = _mm256_blendv_epi8(first, second, upper.fourth);
    if (used <= 32) return below;
    const __m256i third = _mm256_shuffle_epi8(table_16(plane + 32), codes);
    const __m256i fourth = _mm256_shuffle_epi8(table_16(plane + 48), codes);
    return _mm256_blendv_epi8(below, _mm256_blendv_epi8(third, fourth, upper.fourth), upper.fifth);
}

// Scores of 32 records.
struct Scores32 {
    __m256i first, second;
};

// Adds one plane of all slots, shifted by so many bits, to the scores of 32 records.
template <int shift>
SHOAL_AVX2 void add_plane(const BlockTask& task, std::size_t begin, const std::uint8_t* planes,
                          Scores32& scores) {
    for (const Layout::Group& group : task.layout.groups) {
        __m256i sum = _mm256_setzero_si256();
        for (std::uint32_t s = group.begin; s < group.end; ++s) {
            const __m256i codes = load_32(task.columns[s] + begin);
            const Upper upper{_mm256_slli_epi16(codes, 3), _mm256_slli_epi16(codes, 2)};
            sum = _mm256_add_epi8(
                sum, look_up(codes, upper, planes + s * 2 * Layout::buckets, task.layout.used[s]));
        }
        const __m256i first = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(sum));
        const __m256i second = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(sum, 1));
        scores.first = _mm256_add_epi16(scores.first, _mm256_slli_epi16(first, shift));
        scores.second = _mm256_add_epi16(scores.second, _mm256_slli_epi16(second, shift));
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
    constexpr std::size_t part = 32;
    const __m256i most = _mm256_set1_epi16(static_cast<short>(limit));
    std::uint32_t masks[4];
    for (std::size_t p = 0; p < 4; ++p) {
        Scores32 found{_mm256_setzero_si256(), _mm256_setzero_si256()};
        // A look-up takes several shuffles here. Most records are beyond the limit by the higher
        // plane alone, and then nobody asks for the lower one.
        add_plane<5>(task, begin + p * part, task.planes + Layout::buckets, found);
        masks[p] = mask_within(found, most);
        if (masks[p] == 0) continue;
        add_plane<0>(task, begin + p * part, task.planes, found);
        masks[p] = mask_within(found, most);
        if (masks[p] == 0) continue;
        _mm256_store_si256(reinterpret_cast<__m256i*>(scores + p * part), found.first);
        _mm256_store_si256(reinterpret_cast<__m256i*>(scores + p * part + 16), found.second);
    }
    return {masks[0] | std::uint64_t{masks[1]} << 32, masks[2] | std::uint64_t{masks[3]} << 32};
}

}  // namespace shoal

#endif
