// What the language leaves to compilers, in one place.
#pragma once

namespace shoal {

#if defined(__SIZEOF_INT128__)
__extension__ using Int128 = __int128;
#else
#error "Shoal needs a compiler with 128-bit integers: GCC or Clang on a 64-bit platform"
#endif

// Asks for memory that is written soon.
inline void prefetch(const void* address) { __builtin_prefetch(address, 1); }

}  // namespace shoal
