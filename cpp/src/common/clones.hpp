// Loops that the compiler vectorises, built once for each instruction set and chosen at run time.
//
// SHOAL_CLONED(type, name, (parameters), (arguments)) { … } defines a function that calls the best
// build of its body which the processor has and SHOAL_ISA allows. Compilers' own `target_clones`
// would not heed SHOAL_ISA, and needs a loader that not every system has. The tests define the
// macro themselves to build one instruction set alone.
#pragma once

namespace shoal {

enum class LoopSet { any, avx2, avx512 };

// The best instruction set for plain loops: AVX-512 as Skylake-X has it is enough.
LoopSet best_loop_set();

}  // namespace shoal

#ifdef SHOAL_CLONED
#elif defined(__x86_64__) && defined(__GNUC__)
#define SHOAL_CLONED(type, name, parameters, arguments)                                            \
    __attribute__((always_inline)) inline type name##_body parameters;                             \
    __attribute__((target("avx2,bmi2,popcnt"))) static type name##_avx2 parameters {               \
        return name##_body arguments;                                                              \
    }                                                                                              \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi2,popcnt"))) static type \
        name##_avx512 parameters {                                                                 \
        return name##_body arguments;                                                              \
    }                                                                                              \
    type name parameters {                                                                         \
        static const ::shoal::LoopSet loop_set = ::shoal::best_loop_set();                         \
        if (loop_set == ::shoal::LoopSet::avx512) return name##_avx512 arguments;                  \
        if (loop_set == ::shoal::LoopSet::avx2) return name##_avx2 arguments;                      \
        return name##_body arguments;                                                              \
    }                                                                                              \
    inline type name##_body parameters
#else
#define SHOAL_CLONED(type, name, parameters, arguments) type name parameters
#endif
