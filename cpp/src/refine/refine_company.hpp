// Searches that go on at once, each on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "refine/refine_budget.hpp"

namespace shoal {

// What searches that go on at once know of each other: the steps of all, and how many have had
// their time. None ends before all have: a core that is taken from one of them for a while leaves
// no other idle.
struct Company {
    std::atomic<std::int64_t> steps{0};
    std::atomic<int> done{0};
    int searches = 1;
    Clock::time_point until{};
};

// The part of one search in the company, if it has any.
class Attendance {
  public:
    explicit Attendance(Company* company) : company_(company) {}
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;
    ~Attendance() { leave(); }

    // Tells what it has taken so far; returns what all have.
    std::int64_t count(std::int64_t steps) {
        if (!company_) return steps;
        const std::int64_t fresh = steps - told_;
        told_ = steps;
        return company_->steps.fetch_add(fresh, std::memory_order_relaxed) + fresh;
    }
    // Whether all have had their time.
    bool is_over() {
        if (!company_ || Clock::now() < company_->until) return false;
        leave();
        return company_->done.load(std::memory_order_relaxed) >= company_->searches;
    }

  private:
    void leave() {
        if (company_ && !left_) company_->done.fetch_add(1, std::memory_order_relaxed);
        left_ = true;
    }
    Company* company_;
    std::int64_t told_ = 0;
    bool left_ = false;
};

}  // namespace shoal
