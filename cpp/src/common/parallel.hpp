// Work shared among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

namespace shoal {

// Calls run(worker) for each worker below `threads`, number 0 on the calling thread, and returns
// when all have ended. If the system refuses a thread, the workers that there are go on without it:
// `run` takes its work from a common source. The first exception is thrown on once all have ended.
void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& run);

// Calls work(state, i) once for every i below `count`, on up to `threads` threads; each has a
// state of its own from make(worker). Which thread gets which i is open. The first exception keeps
// all items that have not begun from beginning, and is thrown on when every thread has ended.
template <class Make, class Work>
void parallel_for(std::size_t count, int threads, Make make, Work work) {
    std::atomic<std::size_t> next{0};
    const auto most = static_cast<std::size_t>(std::max(threads, 1));
    run_on_threads(std::min(most, count), [&](std::size_t worker) {
        if (next.load() >= count) return;  // the others are done already
        try {
            decltype(auto) state = make(worker);
            for (std::size_t i; (i = next.fetch_add(1)) < count;) work(state, i);
        } catch (...) {
            next.store(count);
            throw;
        }
    });
}

// The same for work without a state: work(i).
template <class Work>
void parallel_for(std::size_t count, int threads, Work work) {
    parallel_for(
        count, threads, [](std::size_t) { return 0; }, [&](int, std::size_t i) { work(i); });
}

}  // namespace shoal
