// What a long kernel shares with its caller: progress out, cancellation in.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace shoal {

// Thrown by a kernel whose control was told to cancel.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("the run was cancelled") {}
};

// Written by kernel threads and read by the caller's, hence relaxed atomics throughout.
struct Control {
    std::atomic<bool> cancel{false};
    std::atomic<bool> expired{false};   // this stage took too long; the caller goes on without it
    std::atomic<bool> stop{false};      // end now, with the best so far if there is one
    std::atomic<double> progress{0.0};  // of the whole, from 0 to 1; it never falls
    std::atomic<double> begin{0.0};     // the part of the whole that is under way
    std::atomic<double> end{1.0};
    std::atomic<double> loss{-1.0};   // best loss so far, negative while unknown
    std::atomic<double> bound{-1.0};  // what no loss can be below, negative while unknown
    std::atomic<std::int64_t> steps{0};
    const Control* parent = nullptr;  // whose cancellation also ends this work, a part of it

    // A kernel that has nothing to show ends by throwing; one that has asks first whether it may
    // end with that instead.
    bool cancelled() const { return abandoned() || stopping(); }
    bool abandoned() const {
        return cancel.load(std::memory_order_relaxed) || expired.load(std::memory_order_relaxed) ||
               (parent != nullptr && parent->abandoned());
    }
    bool stopping() const {
        return stop.load(std::memory_order_relaxed) || (parent != nullptr && parent->stopping());
    }
    void report(double fraction) {  // of the part under way
        const double from = begin.load(std::memory_order_relaxed);
        const double to = end.load(std::memory_order_relaxed);
        const double now = from + fraction * (to - from);
        double told = progress.load(std::memory_order_relaxed);
        while (now > told &&
               !progress.compare_exchange_weak(told, now, std::memory_order_relaxed)) {
        }
    }
};

// Asked often, looks at a control now and then, and throws when work is to end. Cheap enough for
// the comparison of a sort.
class Poll {
  public:
    // Work that has nothing to show heeds a wish for the best so far like a cancellation; work
    // that belongs to the best so far goes on.
    enum class Heed { every_wish, cancellation };

    explicit Poll(const Control& control, Heed heed = Heed::every_wish)
        : control_(control), heed_(heed) {}

    void operator()() {
        if (++asked_ % between == 0) look();
    }
    void look() const {
        const bool over = heed_ == Heed::every_wish ? control_.cancelled() : control_.abandoned();
        if (over) throw Cancelled();
    }

  private:
    static constexpr std::uint32_t between = 1u << 14;

    const Control& control_;
    Heed heed_;
    std::uint32_t asked_ = 0;
};

}  // namespace shoal
