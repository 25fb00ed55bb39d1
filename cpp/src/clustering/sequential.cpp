#include "shoal/clustering/sequential.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "clustering/sequential_passes.hpp"
#include "common/parallel.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/common/random.hpp"

namespace shoal {

Sequenced sequential(const Objective& objective, const Models& models, const Sequence& sequence,
                     Control& control) {
    const Deadline deadline(sequence.seconds);
    std::vector<Sequenced> results(static_cast<std::size_t>(sequence.restarts));
    std::vector<char> done(results.size());
    std::mutex told;
    double least = std::numeric_limits<double>::infinity();
    std::size_t finished = 0;
    parallel_for(results.size(), sequence.threads, [&](std::size_t at) {
        // The first start always runs; later ones only while there is time.
        if (at > 0 && deadline.passed()) return;
        const std::uint64_t seed = Random(sequence.seed + 0x632be59bd9b4e019ULL * at).next();
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
    });
    std::size_t best = 0;
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (done[i] && results[i].total < results[best].total) best = i;
    }
    control.steps.store(results[best].steps);
    return std::move(results[best]);
}

}  // namespace shoal
