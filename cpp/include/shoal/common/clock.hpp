// The clock by which kernels keep limits of time.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>

namespace shoal {

// Wall seconds; or, where studies run beside other work, CPU seconds of the process. Where the
// system does not tell these (Windows), std::clock counts wall seconds, too.
class Clock {
  public:
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Clock>;
    static constexpr bool is_steady = true;

    static time_point now() {
        if (counts_cpu_.load(std::memory_order_relaxed)) {
            const std::chrono::duration<double> spent(static_cast<double>(std::clock()) /
                                                      CLOCKS_PER_SEC);
            return time_point(std::chrono::duration_cast<duration>(spent));
        }
        return time_point(std::chrono::duration_cast<duration>(
            std::chrono::steady_clock::now().time_since_epoch()));
    }
    // For the whole process; limits that are being kept at the moment lose their meaning.
    static void count_cpu(bool does) { counts_cpu_.store(does, std::memory_order_relaxed); }

  private:
    static inline std::atomic<bool> counts_cpu_{false};
};

}  // namespace shoal
