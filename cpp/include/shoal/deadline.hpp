// A limit of wall time, or none.
#pragma once

#include <algorithm>
#include <chrono>

namespace shoal {

class Deadline {
  public:
    explicit Deadline(double seconds)  // below 0: none
        : limited_(seconds >= 0),
          end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(
                   std::chrono::duration<double>(limited_ ? std::min(seconds, 1e8) : 0.0))) {}
    bool passed() const { return limited_ && Clock::now() >= end_; }

  private:
    using Clock = std::chrono::steady_clock;
    bool limited_;
    Clock::time_point end_;
};

}  // namespace shoal
