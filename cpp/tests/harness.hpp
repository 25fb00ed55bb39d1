// What kernel tests share: random tables, and what every partition has to be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"

namespace harness {

bool quick();  // whether to keep to a part of the cases

// SplitMix64: the same tables on every platform.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

// Attributes of every kind, code counts up to `most_codes`; rows may repeat.
shoal::Records random_records(Random& random, std::size_t rows, std::size_t attributes,
                              std::uint32_t most_codes, std::int32_t most_copies);

// Every record placed exactly once, classes numbered without gaps, none below k records.
void check_partition(const shoal::Records& records, const shoal::Partition& partition,
                     std::int64_t k);

}  // namespace harness
