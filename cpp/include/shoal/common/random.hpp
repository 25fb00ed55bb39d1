// A small generator with the same stream on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shoal {

// SplitMix64: one addition and a mix a draw; streams of different seeds are independent enough
// for shuffling.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15ULL);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
        return mixed ^ (mixed >> 31);
    }
    // From 0 to bound - 1. The remainder's bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

    template <class T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

  private:
    std::uint64_t state_;
};

}  // namespace shoal
