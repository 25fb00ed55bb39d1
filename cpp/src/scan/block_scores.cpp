#include "scan/block_scores.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace shoal {

namespace {

InstructionSets sets_of_processor() {
    InstructionSets sets;
#if defined(SHOAL_X86)
    sets.avx2 = __builtin_cpu_supports("avx2");
    sets.avx512f = __builtin_cpu_supports("avx512f");
    sets.avx512bw = __builtin_cpu_supports("avx512bw");
    sets.avx512vl = __builtin_cpu_supports("avx512vl");
    sets.avx512dq = __builtin_cpu_supports("avx512dq");
    sets.avx512vbmi = __builtin_cpu_supports("avx512vbmi");
#endif
    return sets;
}

}  // namespace

std::vector<Path> paths_with(const InstructionSets& sets) {
    std::vector<Path> paths;
    // All that the functions of the path are compiled for: see block_scores_x86.cpp.
    if (sets.avx512f && sets.avx512bw && sets.avx512vl && sets.avx512dq && sets.avx512vbmi) {
        paths.push_back(Path::avx512);
    }
    if (sets.avx2) paths.push_back(Path::avx2);
#if defined(SHOAL_NEON)
    paths.push_back(Path::neon);
#endif
    paths.push_back(Path::scalar);
    return paths;
}

std::vector<Path> available_paths() {
    std::vector<Path> paths = paths_with(sets_of_processor());
    const char* asked = std::getenv("SHOAL_ISA");
    if (asked == nullptr || *asked == '\0') return paths;
    // Nothing better than what is asked for.
    while (!paths.empty() && name(paths.front()) != asked) paths.erase(paths.begin());
    if (paths.empty()) {
        throw std::invalid_argument(
            "SHOAL_ISA must name an instruction set of this processor: scalar, neon, avx2 or "
            "avx512");
    }
    return paths;
}

std::string_view name(Path path) {
    switch (path) {
        case Path::avx512:
            return "avx512";
        case Path::avx2:
            return "avx2";
        case Path::neon:
            return "neon";
        case Path::scalar:
            break;
    }
    return "scalar";
}

ScoreBlock score_block(Path path) {
    switch (path) {
#if defined(SHOAL_X86)
        case Path::avx512:
            return score_block_avx512;
        case Path::avx2:
            return score_block_avx2;
#endif
#if defined(SHOAL_NEON)
        case Path::neon:
            return score_block_neon;
#endif
        default:
            return score_block_scalar;
    }
}

BlockMask score_block_scalar(const BlockTask& task, std::size_t begin, std::uint32_t limit,
                             std::uint16_t* scores) {
    constexpr std::size_t block = Alive::block;
    std::fill_n(scores, block, std::uint16_t{0});
    for (std::size_t s = 0; s < task.layout.attribute.size(); ++s) {
        const std::uint8_t* codes = task.columns[s] + begin;
        const std::uint8_t* low = task.planes + s * 2 * Layout::buckets;
        const std::uint8_t* high = low + Layout::buckets;
        for (std::size_t i = 0; i < block; ++i) {
            scores[i] = static_cast<std::uint16_t>(scores[i] + low[codes[i]] +
                                                   high[codes[i]] * Layout::radix);
        }
    }
    BlockMask mask;
    for (std::size_t i = 0; i < 64; ++i) {
        mask.first |= std::uint64_t{scores[i] <= limit} << i;
        mask.second |= std::uint64_t{scores[64 + i] <= limit} << i;
    }
    return mask;
}

}  // namespace shoal
