#include "common/clones.hpp"

#include <cstdlib>
#include <string_view>

namespace shoal {

LoopSet best_loop_set() {
#if defined(__x86_64__) && defined(__GNUC__)
    const char* variable = std::getenv("SHOAL_ISA");
    const std::string_view asked = variable == nullptr ? "" : variable;
    if (asked == "scalar") return LoopSet::any;
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512 && asked != "avx2") return LoopSet::avx512;
    if (avx2) return LoopSet::avx2;
#endif
    return LoopSet::any;
}

}  // namespace shoal
