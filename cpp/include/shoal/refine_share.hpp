// Work shared among threads, item by item.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace shoal {

// Calls work(state, i) for every i below `count`; each thread has a state of its own from make().
// The first exception ends all work and is thrown on.
template <class Make, class Work>
void share(std::size_t count, int threads, Make make, Work work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failed;
    std::mutex guard;
    const auto run = [&] {
        try {
            auto state = make();
            for (std::size_t i; (i = next.fetch_add(1)) < count;) work(state, i);
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!failed) failed = std::current_exception();
            next.store(count);
        }
    };
    std::vector<std::thread> helpers;
    for (int i = 1; i < threads && static_cast<std::size_t>(i) < count; ++i) {
        helpers.emplace_back(run);
    }
    run();
    for (std::thread& each : helpers) each.join();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace shoal
