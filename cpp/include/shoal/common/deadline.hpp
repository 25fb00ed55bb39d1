// A limit of time, or none.
#pragma once

#include <algorithm>
#include <chrono>

#include "shoal/common/clock.hpp"

namespace shoal {

class Deadline {
  public:
    Deadline() = default;  // never
    // So many seconds from now; negative: never. Beyond three years it makes no difference.
    explicit Deadline(double seconds) {
        if (!(seconds >= 0)) return;
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(seconds, 1e8)));
    }
    explicit Deadline(Clock::time_point end) : end_(end) {}

    bool passed() const { return end_ != never && Clock::now() >= end_; }

  private:
    static constexpr Clock::time_point never = Clock::time_point::max();
    Clock::time_point end_ = never;
};

}  // namespace shoal
