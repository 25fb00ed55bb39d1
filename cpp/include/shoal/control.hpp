// What a long kernel shares with its caller: progress out, cancellation in.
#pragma once

#include <atomic>
#include <cstdint>

namespace shoal {

// Written by one kernel thread and read by the caller's, hence relaxed atomics throughout.
struct Control {
    std::atomic<bool> cancel{false};
    std::atomic<bool> expired{false};   // this stage took too long; the caller goes on without it
    std::atomic<bool> stop{false};      // end now, with the best so far if there is one
    std::atomic<double> progress{0.0};  // from 0 to 1
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
        progress.store(from + fraction * (to - from), std::memory_order_relaxed);
    }
};

}  // namespace shoal
