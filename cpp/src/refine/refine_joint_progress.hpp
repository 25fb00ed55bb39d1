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
struct JointProgress {
    std::atomic<std::int64_t> steps{0};
    std::atomic<int> done{0};
    int searches = 1;
    Clock::time_point until{};
};

// What one search adds to the progress of all, if it is not alone.
class OwnProgress {
  public:
    explicit OwnProgress(JointProgress* joint) : joint_(joint) {}
    OwnProgress(const OwnProgress&) = delete;
    OwnProgress& operator=(const OwnProgress&) = delete;
    ~OwnProgress() { leave(); }

    // Tells what it has taken so far; returns what all have.
    std::int64_t count(std::int64_t steps) {
        if (!joint_) return steps;
        const std::int64_t fresh = steps - told_;
        told_ = steps;
        return joint_->steps.fetch_add(fresh, std::memory_order_relaxed) + fresh;
    }
    // Whether all have had their time.
    bool is_over() {
        if (!joint_ || Clock::now() < joint_->until) return false;
        leave();
        return joint_->done.load(std::memory_order_relaxed) >= joint_->searches;
    }

  private:
    void leave() {
        if (joint_ && !left_) joint_->done.fetch_add(1, std::memory_order_relaxed);
        left_ = true;
    }
    JointProgress* joint_;
    std::int64_t told_ = 0;
    bool left_ = false;
};

}  // namespace shoal
