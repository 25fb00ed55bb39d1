// What a refinement may spend, and what it has spent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "shoal/common/clock.hpp"
#include "shoal/refine/refine.hpp"

namespace shoal {

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The budget of a run, told as the share that is spent.
class Budget {
  public:
    Budget(const Refinement& refinement, std::int64_t records)
        : refinement_(refinement), records_(records), start_(Clock::now()) {}

    bool timed() const { return refinement_.steps < 0; }
    Clock::time_point at(double share) const {
        return start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                            share * std::min(refinement_.seconds, 1e8)));
    }
    bool is_over() const { return timed() && Clock::now() >= end(); }
    Clock::time_point end() const { return at(1.0); }
    double spent(std::int64_t steps) const {
        if (!timed() && refinement_.steps == 0) return 1.0;
        const double share =
            timed() ? seconds_since(start_) / std::max(refinement_.seconds, 1e-9)
                    : static_cast<double>(steps) / static_cast<double>(refinement_.steps);
        return std::min(share, 1.0);
    }
    // Steps that the whole run takes, as far as can be told now.
    double all_steps(std::int64_t steps, double searching) const {
        if (!timed()) return static_cast<double>(refinement_.steps);
        if (steps == 0) return 0.0;
        const double left = std::max(0.0, refinement_.seconds - seconds_since(start_));
        return static_cast<double>(steps) * (1.0 + left / searching);
    }
    double records() const { return static_cast<double>(records_); }

  private:
    const Refinement& refinement_;
    std::int64_t records_;
    Clock::time_point start_;
};

}  // namespace shoal
