// The bounds of a cluster scan, once in plain loops that compilers vectorise, once by hand.
#include <algorithm>
#include <array>

#include "clustering/cluster_scan.hpp"

#if defined(SHOAL_X86)
#include <immintrin.h>
#endif

namespace shoal {

namespace {

constexpr std::size_t block = ClusterScan::block;

using Word = std::uint16_t;

// In words throughout: wider numbers in between would halve the lanes.
inline Word bit_count(Word bits) {
    bits = static_cast<Word>(bits - (static_cast<Word>(bits >> 1) & Word{0x5555}));
    bits = static_cast<Word>((bits & Word{0x3333}) + (static_cast<Word>(bits >> 2) & Word{0x3333}));
    bits = static_cast<Word>(static_cast<Word>(bits + static_cast<Word>(bits >> 4)) & Word{0x0F0F});
    return static_cast<Word>(static_cast<Word>(bits + static_cast<Word>(bits >> 8)) & Word{0x1F});
}

// All bits if the condition holds: a mask that compilers turn into a vector comparison.
inline Word all_if(bool condition) { return static_cast<Word>(-static_cast<int>(condition)); }

// Inlined into one function for each instruction set.
[[gnu::always_inline]] inline WithinLimit bound_plain(const ClusterScan& scan,
                                                      const BoundQuery& query, std::size_t begin,
                                                      float* bounds) {
    alignas(64) std::array<std::uint16_t, block> sum;
    alignas(64) std::array<std::uint16_t, block> count;
    sum.fill(query.constant);
    for (const BoundStep& step : query.steps) {
        const std::uint16_t* first = scan.column(step.column) + begin;
        switch (step.kind) {
            case BoundStep::Kind::interval: {
                const std::uint16_t* second = scan.column(step.column + 1) + begin;
                for (std::size_t i = 0; i < block; ++i) {
                    const auto width = static_cast<std::uint16_t>(std::max(second[i], step.high) -
                                                                  std::min(first[i], step.low));
                    sum[i] = static_cast<std::uint16_t>(sum[i] + std::min(width, step.cap));
                }
                break;
            }
            case BoundStep::Kind::set:
                count.fill(0xFFFF);  // one value less than there are bits
                for (std::uint32_t word = 0; word < step.words; ++word) {
                    const std::uint16_t* masks = scan.column(step.column + word) + begin;
                    const std::uint16_t mask = step.mask[word];
                    for (std::size_t i = 0; i < block; ++i) {
                        count[i] = static_cast<std::uint16_t>(
                            count[i] + bit_count(static_cast<std::uint16_t>(masks[i] | mask)));
                    }
                }
                for (std::size_t i = 0; i < block; ++i) {
                    const auto loss = static_cast<std::uint16_t>(count[i] * step.unit);
                    sum[i] = static_cast<std::uint16_t>(sum[i] + std::min(loss, step.cap));
                }
                break;
            case BoundStep::Kind::node: {
                const std::uint16_t* second = scan.column(step.column + 1) + begin;
                for (std::size_t i = 0; i < block; ++i) {
                    const Word below = all_if(first[i] < step.low);
                    const Word above = all_if(second[i] > step.high);
                    sum[i] = static_cast<Word>(sum[i] + ((below | above) & step.unit));
                }
                break;
            }
            case BoundStep::Kind::equal:
                for (std::size_t i = 0; i < block; ++i) {
                    const Word other = all_if(first[i] != step.low);
                    sum[i] = static_cast<Word>(sum[i] + (other & step.unit));
                }
                break;
        }
    }
    const float* sizes = scan.sizes() + begin;
    const float* totals = scan.totals() + begin;
    int within = 0;
    for (std::size_t i = 0; i < block; ++i) {
        bounds[i] =
            (sizes[i] + query.size) * (static_cast<float>(sum[i]) - query.slack) - totals[i];
        within += bounds[i] <= query.limit;
    }
    WithinLimit found;
    if (within == 0) return found;
    for (std::size_t i = 0; i < block; ++i) {
        found.bits[i / 64] |= std::uint64_t{bounds[i] <= query.limit} << i % 64;
    }
    return found;
}

WithinLimit bound_scalar(const ClusterScan& scan, const BoundQuery& query, std::size_t begin,
                         float* bounds) {
    return bound_plain(scan, query, begin, bounds);
}

#if defined(SHOAL_X86)

__attribute__((target("avx2"))) WithinLimit bound_avx2(const ClusterScan& scan,
                                                       const BoundQuery& query, std::size_t begin,
                                                       float* bounds) {
    return bound_plain(scan, query, begin, bounds);
}

#define SHOAL_BITALG target("avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg")

// Four registers of 32 words are the 128 clusters of a block.
__attribute__((SHOAL_BITALG)) WithinLimit bound_avx512(const ClusterScan& scan,
                                                       const BoundQuery& query, std::size_t begin,
                                                       float* bounds) {
    constexpr std::size_t parts = block / 32;
    __m512i sum[parts];
    for (__m512i& part : sum) part = _mm512_set1_epi16(static_cast<short>(query.constant));
    for (const BoundStep& step : query.steps) {
        const std::uint16_t* first = scan.column(step.column) + begin;
        const __m512i low = _mm512_set1_epi16(static_cast<short>(step.low));
        const __m512i high = _mm512_set1_epi16(static_cast<short>(step.high));
        const __m512i unit = _mm512_set1_epi16(static_cast<short>(step.unit));
        const __m512i cap = _mm512_set1_epi16(static_cast<short>(step.cap));
        switch (step.kind) {
            case BoundStep::Kind::interval: {
                const std::uint16_t* second = scan.column(step.column + 1) + begin;
                for (std::size_t p = 0; p < parts; ++p) {
                    const __m512i width =
                        _mm512_sub_epi16(_mm512_max_epu16(_mm512_load_si512(second + 32 * p), high),
                                         _mm512_min_epu16(_mm512_load_si512(first + 32 * p), low));
                    sum[p] = _mm512_add_epi16(sum[p], _mm512_min_epu16(width, cap));
                }
                break;
            }
            case BoundStep::Kind::set: {
                __m512i count[parts];
                for (__m512i& part : count) part = _mm512_set1_epi16(-1);
                for (std::uint32_t word = 0; word < step.words; ++word) {
                    const std::uint16_t* masks = scan.column(step.column + word) + begin;
                    const __m512i mask = _mm512_set1_epi16(static_cast<short>(step.mask[word]));
                    for (std::size_t p = 0; p < parts; ++p) {
                        const __m512i both =
                            _mm512_or_si512(_mm512_load_si512(masks + 32 * p), mask);
                        count[p] = _mm512_add_epi16(count[p], _mm512_popcnt_epi16(both));
                    }
                }
                for (std::size_t p = 0; p < parts; ++p) {
                    const __m512i loss = _mm512_mullo_epi16(count[p], unit);
                    sum[p] = _mm512_add_epi16(sum[p], _mm512_min_epu16(loss, cap));
                }
                break;
            }
            case BoundStep::Kind::node: {
                const std::uint16_t* second = scan.column(step.column + 1) + begin;
                for (std::size_t p = 0; p < parts; ++p) {
                    const __mmask32 outside =
                        _mm512_cmplt_epu16_mask(_mm512_load_si512(first + 32 * p), low) |
                        _mm512_cmpgt_epu16_mask(_mm512_load_si512(second + 32 * p), high);
                    sum[p] = _mm512_mask_add_epi16(sum[p], outside, sum[p], unit);
                }
                break;
            }
            case BoundStep::Kind::equal:
                for (std::size_t p = 0; p < parts; ++p) {
                    const __mmask32 outside =
                        _mm512_cmpneq_epu16_mask(_mm512_load_si512(first + 32 * p), low);
                    sum[p] = _mm512_mask_add_epi16(sum[p], outside, sum[p], unit);
                }
                break;
        }
    }
    const float* sizes = scan.sizes() + begin;
    const float* totals = scan.totals() + begin;
    const __m512 size = _mm512_set1_ps(query.size);
    const __m512 slack = _mm512_set1_ps(query.slack);
    const __m512 limit = _mm512_set1_ps(query.limit);
    __m512 bound[2 * parts];
    WithinLimit found;
    for (std::size_t p = 0; p < 2 * parts; ++p) {
        const __m256i words = p % 2 == 0 ? _mm512_castsi512_si256(sum[p / 2])
                                         : _mm512_extracti64x4_epi64(sum[p / 2], 1);
        const __m512 loss = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(words));
        bound[p] = _mm512_sub_ps(_mm512_mul_ps(_mm512_add_ps(_mm512_load_ps(sizes + 16 * p), size),
                                               _mm512_sub_ps(loss, slack)),
                                 _mm512_load_ps(totals + 16 * p));
        const auto within = std::uint64_t{_mm512_cmp_ps_mask(bound[p], limit, _CMP_LE_OQ)};
        found.bits[p / 4] |= within << 16 * (p % 4);
    }
    if (!found.any()) return found;
    for (std::size_t p = 0; p < 2 * parts; ++p) _mm512_store_ps(bounds + 16 * p, bound[p]);
    return found;
}

#endif

}  // namespace

WithinLimit bound_block(Path path, const ClusterScan& scan, const BoundQuery& query,
                        std::size_t begin, float* bounds) {
#if defined(SHOAL_X86)
    static const bool counts_bits = __builtin_cpu_supports("avx512bitalg");
    if (path == Path::avx512 && counts_bits) return bound_avx512(scan, query, begin, bounds);
    if (path != Path::scalar) return bound_avx2(scan, query, begin, bounds);
#else
    static_cast<void>(path);
#endif
    return bound_scalar(scan, query, begin, bounds);
}

}  // namespace shoal
