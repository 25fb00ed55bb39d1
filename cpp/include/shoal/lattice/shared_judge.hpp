// A judge of nodes that callers on several threads share.
#pragma once

#include <memory>
#include <mutex>

#include "shoal/lattice/lattice.hpp"

namespace shoal {

// Keeps the tables of the judge from one call to the next. They serve one call at a time, and a
// call for another number of threads replaces them, so that callers take turns.
class SharedJudge {
  public:
    template <class Use>
    void with(const LatticeProblem& problem, int threads, Use use) {
        const std::scoped_lock lock(busy_);
        if (!judge_ || judge_->threads() != threads) judge_ = make_judge(problem, threads);
        use(*judge_);
    }

  private:
    std::mutex busy_;
    std::unique_ptr<NodeJudge> judge_;
};

}  // namespace shoal
