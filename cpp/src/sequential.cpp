#include "shoal/sequential.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "shoal/deadline.hpp"
#include "shoal/random.hpp"
#include "shoal/sequential_passes.hpp"

namespace shoal {

Sequenced sequential(const Objective& objective, const Models& models, const Sequence& sequence,
                     Control& control) {
    const Deadline deadline(sequence.seconds);
    std::vector<Sequenced> results(static_cast<std::size_t>(sequence.restarts));
    std::vector<char> done(results.size());
    std::atomic<std::int32_t> next{0};
    std::mutex told;
    std::exception_ptr failed;
    double least = std::numeric_limits<double>::infinity();
    std::size_t finished = 0;
    const auto work = [&] {
        try {
            for (std::int32_t mine; (mine = next.fetch_add(1)) < sequence.restarts;) {
                // The first start always runs; later ones only while there is time.
                if (mine > 0 && deadline.passed()) return;
                const auto at = static_cast<std::size_t>(mine);
                const std::uint64_t seed =
                    Random(sequence.seed + 0x632be59bd9b4e019ULL * at).next();
                SequentialPasses passes(objective, models, sequence, seed, deadline, control);
                results[at] = passes.run(results.size() == 1);
                const std::lock_guard lock(told);
                done[at] = 1;
                ++finished;
                least = std::min(least, results[at].total);
                control.loss.store(least / static_cast<double>(objective.records().total));
                if (results.size() > 1) {
                    control.report(0.9 * static_cast<double>(finished) /
                                   static_cast<double>(results.size()));
                }
            }
        } catch (...) {
            const std::lock_guard lock(told);
            if (!failed) failed = std::current_exception();
            next.store(sequence.restarts);
        }
    };
    const int helpers = std::min(sequence.threads, sequence.restarts) - 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < helpers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& each : threads) each.join();
    if (failed) std::rethrow_exception(failed);
    std::size_t best = 0;
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (done[i] && results[i].total < results[best].total) best = i;
    }
    control.steps.store(results[best].steps);
    return std::move(results[best]);
}

}  // namespace shoal
