// What kernels often need of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace shoal {

template <class Number>
inline constexpr Number infinite = std::numeric_limits<Number>::infinity();

inline std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

}  // namespace shoal
