#include "clustering/split_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "shoal/scan/scan.hpp"

#if defined(SHOAL_X86)
#include <immintrin.h>
#define SHOAL_512 __attribute__((target("popcnt,avx512f")))
#define SHOAL_512_BYTES __attribute__((target("popcnt,avx512f,avx512bw")))
#define SHOAL_512_COMPRESS __attribute__((target("popcnt,avx512f,avx512bw,avx512vbmi2")))
#endif

namespace shoal {

namespace {

constexpr std::size_t patience = 1024;  // codes between two questions whether all have been seen

template <class T>
Extent extent_of(const T* codes, std::size_t size) {
    T low = codes[0];
    T high = codes[0];
    for (std::size_t i = 1; i < size; ++i) {
        low = std::min(low, codes[i]);
        high = std::max(high, codes[i]);
    }
    return {low, high};
}

template <class T>
std::size_t mark_plain(const T* codes, std::size_t size, std::uint32_t cut, std::uint64_t* left) {
    std::size_t marked = 0;
    for (std::size_t begin = 0; begin < size; begin += 64) {
        const std::size_t count = std::min<std::size_t>(64, size - begin);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; ++i) {
            bits |= static_cast<std::uint64_t>(codes[begin + i] <= cut) << i;
        }
        left[begin / 64] = bits;
        marked += static_cast<std::size_t>(std::popcount(bits));
    }
    return marked;
}

template <class T>
void split_plain(const T* source, std::size_t size, const std::uint64_t* left, T* to_left,
                 T* to_right) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t goes_left = (left[i / 64] >> (i % 64)) & 1u;
        *(goes_left ? to_left : to_right) = source[i];
        to_left += goes_left;
        to_right += 1 - goes_left;
    }
}

#if defined(SHOAL_X86)

// Processors differ in how much of AVX-512 they have: words since Skylake-X and Zen 4, compressed
// bytes since Ice Lake and Zen 4. SHOAL_ISA may forbid all of it.
struct Wide {
    bool words = false;     // AVX512F
    bool bytes = false;     // and AVX512BW
    bool compress = false;  // and AVX512_VBMI2

    Wide() {
        const char* asked = std::getenv("SHOAL_ISA");
        if (asked != nullptr && *asked != '\0' && std::string_view(asked) != "avx512") return;
        words = __builtin_cpu_supports("avx512f");
        bytes = words && __builtin_cpu_supports("avx512bw");
        compress = bytes && __builtin_cpu_supports("avx512vbmi2");
    }
};

const Wide wide;

std::uint64_t lowest_bits(std::size_t count) {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

SHOAL_512 std::uint64_t present_wide(const std::uint8_t* codes, std::size_t size,
                                     std::uint64_t possible) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i bits = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        if (i % patience == 0 && i > 0 &&
            static_cast<std::uint64_t>(_mm512_reduce_or_epi64(bits)) == possible) {
            return possible;
        }
        const __m512i shift =
            _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes + i)));
        bits = _mm512_or_si512(bits, _mm512_sllv_epi64(one, shift));
    }
    std::uint64_t all = static_cast<std::uint64_t>(_mm512_reduce_or_epi64(bits));
    for (; i < size; ++i) all |= std::uint64_t{1} << codes[i];
    return all;
}

SHOAL_512_BYTES std::size_t mark_wide(const std::uint8_t* codes, std::size_t size,
                                      std::uint32_t cut, std::uint64_t* left) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(cut));
    std::size_t marked = 0;
    for (std::size_t begin = 0; begin < size; begin += 64) {
        const __mmask64 valid = lowest_bits(size - begin);
        const std::uint64_t bits = _mm512_mask_cmple_epu8_mask(
            valid, _mm512_maskz_loadu_epi8(valid, codes + begin), limit);
        left[begin / 64] = bits;
        marked += static_cast<std::size_t>(std::popcount(bits));
    }
    return marked;
}

// Compressed in a register, then stored under a mask: compressing stores are slow on some
// processors, and a full store would run over the neighbour's side.
SHOAL_512_COMPRESS void split_wide(const std::uint8_t* source, std::size_t size,
                                   const std::uint64_t* left, std::uint8_t* to_left,
                                   std::uint8_t* to_right) {
    for (std::size_t begin = 0; begin < size; begin += 64) {
        const __mmask64 valid = lowest_bits(size - begin);
        const __mmask64 goes_left = left[begin / 64];
        const __mmask64 goes_right = valid & ~goes_left;
        const __m512i values = _mm512_maskz_loadu_epi8(valid, source + begin);
        const auto lefts = static_cast<std::size_t>(std::popcount(std::uint64_t{goes_left}));
        const auto rights = static_cast<std::size_t>(std::popcount(std::uint64_t{goes_right}));
        _mm512_mask_storeu_epi8(to_left, lowest_bits(lefts),
                                _mm512_maskz_compress_epi8(goes_left, values));
        _mm512_mask_storeu_epi8(to_right, lowest_bits(rights),
                                _mm512_maskz_compress_epi8(goes_right, values));
        to_left += lefts;
        to_right += rights;
    }
}

SHOAL_512 void split_wide(const std::uint32_t* source, std::size_t size, const std::uint64_t* left,
                          std::uint32_t* to_left, std::uint32_t* to_right) {
    for (std::size_t begin = 0; begin < size; begin += 16) {
        const auto valid =
            static_cast<__mmask16>(lowest_bits(std::min<std::size_t>(16, size - begin)));
        const auto goes_left = static_cast<__mmask16>(left[begin / 64] >> (begin % 64));
        const auto goes_right = static_cast<__mmask16>(valid & ~goes_left);
        const __m512i values = _mm512_maskz_loadu_epi32(valid, source + begin);
        const auto lefts = static_cast<std::size_t>(std::popcount(std::uint16_t{goes_left}));
        const auto rights = static_cast<std::size_t>(std::popcount(std::uint16_t{goes_right}));
        _mm512_mask_storeu_epi32(to_left, static_cast<__mmask16>(lowest_bits(lefts)),
                                 _mm512_maskz_compress_epi32(goes_left, values));
        _mm512_mask_storeu_epi32(to_right, static_cast<__mmask16>(lowest_bits(rights)),
                                 _mm512_maskz_compress_epi32(goes_right, values));
        to_left += lefts;
        to_right += rights;
    }
}

#endif

}  // namespace

Extent extent(const std::uint8_t* codes, std::size_t size) { return extent_of(codes, size); }
Extent extent(const std::uint16_t* codes, std::size_t size) { return extent_of(codes, size); }
Extent extent(const std::uint32_t* codes, std::size_t size) { return extent_of(codes, size); }

std::uint64_t present(const std::uint8_t* codes, std::size_t size, std::uint64_t possible) {
#if defined(SHOAL_X86)
    if (wide.words) return present_wide(codes, size, possible);
#endif
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (i % patience == 0 && bits == possible) break;
        bits |= std::uint64_t{1} << codes[i];
    }
    return bits;
}

// Four histograms in turn, because adding to the entry just written has to wait for it.
void count_codes(const std::uint8_t* codes, std::size_t size, std::uint32_t low,
                 std::int64_t* histogram) {
    constexpr std::size_t worth_four = 2048;
    std::size_t i = 0;
    if (size >= worth_four) {
        std::array<std::array<std::uint32_t, 256>, 4> parts{};
        while (i + 4 <= size) {
            // Emptied before 32 bits could overflow.
            const std::size_t end = std::min(size, i + (std::size_t{1} << 31)) - 3;
            for (; i < end; i += 4) {
                ++parts[0][codes[i]];
                ++parts[1][codes[i + 1]];
                ++parts[2][codes[i + 2]];
                ++parts[3][codes[i + 3]];
            }
            for (auto& part : parts) {
                for (std::size_t code = low; code < part.size(); ++code) {
                    if (part[code] != 0) histogram[code - low] += part[code];
                }
                part.fill(0);
            }
        }
    }
    for (; i < size; ++i) ++histogram[codes[i] - low];
}

std::size_t mark_left(const std::uint8_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left) {
#if defined(SHOAL_X86)
    if (wide.bytes) return mark_wide(codes, size, cut, left);
#endif
    return mark_plain(codes, size, cut, left);
}

std::size_t mark_left(const std::uint16_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left) {
    return mark_plain(codes, size, cut, left);
}

std::size_t mark_left(const std::uint32_t* codes, std::size_t size, std::uint32_t cut,
                      std::uint64_t* left) {
    return mark_plain(codes, size, cut, left);
}

void split(const std::uint8_t* source, std::size_t size, const std::uint64_t* left,
           std::uint8_t* to_left, std::uint8_t* to_right) {
#if defined(SHOAL_X86)
    if (wide.compress) return split_wide(source, size, left, to_left, to_right);
#endif
    split_plain(source, size, left, to_left, to_right);
}

void split(const std::uint16_t* source, std::size_t size, const std::uint64_t* left,
           std::uint16_t* to_left, std::uint16_t* to_right) {
    split_plain(source, size, left, to_left, to_right);
}

void split(const std::uint32_t* source, std::size_t size, const std::uint64_t* left,
           std::uint32_t* to_left, std::uint32_t* to_right) {
#if defined(SHOAL_X86)
    if (wide.words) return split_wide(source, size, left, to_left, to_right);
#endif
    split_plain(source, size, left, to_left, to_right);
}

void split(const std::int32_t* source, std::size_t size, const std::uint64_t* left,
           std::int32_t* to_left, std::int32_t* to_right) {
    // The same bits, and types that may alias.
    split(reinterpret_cast<const std::uint32_t*>(source), size, left,
          reinterpret_cast<std::uint32_t*>(to_left), reinterpret_cast<std::uint32_t*>(to_right));
}

}  // namespace shoal
