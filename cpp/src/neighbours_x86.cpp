// The vector path of the neighbour search: scores of 128 records at a time from the byte planes of
// a query, by the same permutations as the scan.
#include "shoal/refine_neighbours.hpp"

#if defined(SHOAL_X86)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#define SHOAL_TARGET_512 target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#define SHOAL_AVX512 __attribute__((SHOAL_TARGET_512, always_inline)) inline

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

}  // namespace

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
