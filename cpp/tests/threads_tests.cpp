// Work on several threads: who does what, and what happens when a thread fails.
#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/parallel.hpp"
#include "failing_allocator.hpp"
#include "harness.hpp"
#include "shoal/clustering/mondrian.hpp"
#include "shoal/clustering/sequential.hpp"
#include "shoal/common/control.hpp"
#include "shoal/cover/cover.hpp"
#include "shoal/cover/cover_refine.hpp"
#include "shoal/exact/bound.hpp"
#include "shoal/exact/pricing.hpp"
#include "shoal/lattice/lattice.hpp"
#include "shoal/lattice/shared_judge.hpp"
#include "shoal/refine/refine.hpp"
#include "shoal/scan/neighbours.hpp"

namespace {

using harness::FailingAllocation;
using shoal::Control;
using shoal::Records;

// Consecutive rows, k records a class or more.
shoal::Partition runs_of(const Records& records, std::int64_t k) {
    shoal::Partition partition;
    std::int32_t klass = 0;
    std::int64_t size = 0, left = records.total;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        partition.place(static_cast<std::int32_t>(row), klass, records.counts[row]);
        size += records.counts[row];
        left -= records.counts[row];
        if (size < k || left < k) continue;
        ++klass;
        size = 0;
    }
    return partition;
}

shoal::LatticeProblem lattice_of(harness::Random& random, std::size_t rows) {
    shoal::LatticeProblem problem;
    problem.counts.assign(rows, 1);
    problem.loss = shoal::LatticeLoss::unmeasured;
    for (int j = 0; j < 3; ++j) {
        shoal::Ladder ladder;
        ladder.code_count = 16;
        for (std::size_t row = 0; row < rows; ++row) ladder.codes.push_back(random.below(16));
        for (std::uint32_t level = 0; level < 5; ++level) {
            auto& look = ladder.look.emplace_back();
            for (std::uint32_t code = 0; code < 16; ++code) look.push_back(code >> level);
            ladder.cost.emplace_back(16, level);
            ladder.silent.emplace_back(16, 0);
        }
        problem.ladders.push_back(std::move(ladder));
    }
    return problem;
}

struct ThreadedKernel {
    std::string name;
    std::function<void(int threads)> run;
};

std::vector<ThreadedKernel> threaded_kernels(const Records& large, const Records& small,
                                             const shoal::LatticeProblem& lattice) {
    const shoal::Models none{{}, small.rows()};
    return {
        {"mondrian",
         [&large](int threads) {
             Control control;
             shoal::mondrian(large, {.k = 5, .threads = threads}, control);
         }},
        {"neighbours",
         [&small](int threads) {
             Control control;
             shoal::Random random(1);
             shoal::NeighbourSearch search;
             search.threads = threads;
             shoal::find_neighbours(small, search, random, control);
         }},
        {"refine",
         [&small, none](int threads) {
             Control control;
             const shoal::Objective objective(small);
             shoal::Refinement refinement;
             refinement.threads = threads;
             refinement.steps = 20'000;
             refinement.region = 200;
             shoal::refine(objective, none, runs_of(small, 2), refinement, control);
         }},
        {"refine against the clock",
         [&small, none](int threads) {
             Control control;
             const shoal::Objective objective(small);
             shoal::Refinement refinement;
             refinement.threads = threads;
             refinement.seconds = 0.03;
             shoal::refine(objective, none, runs_of(small, 2), refinement, control);
         }},
        {"sequential",
         [&small, none](int threads) {
             Control control;
             const shoal::Objective objective(small);
             shoal::Sequence sequence;
             sequence.threads = threads;
             sequence.restarts = 4;
             sequence.steps = 500;
             shoal::sequential(objective, none, sequence, control);
         }},
        {"pricing",
         [&small](int threads) {
             Control control;
             const shoal::ClassPricer pricer(small, 2, 3);
             const std::vector<double> prices(small.rows(), 0.25);
             shoal::Pricing pricing;
             pricing.threads = threads;
             pricing.nodes = 50;
             pricer.price({prices, 0.0, {}}, {}, {}, pricing, control);
         }},
        {"bound",
         [&small](int threads) {
             Control control;
             shoal::BoundTask task;
             task.threads = threads;
             task.rounds = 2;
             shoal::lower_bound(small, runs_of(small, 2), task, control);
         }},
        {"judging",
         [&lattice](int threads) {
             Control control;
             const auto judge = shoal::make_judge(lattice, threads);
             std::vector<shoal::Levels> nodes;
             for (shoal::Level level = 0; level < 60; ++level) {
                 nodes.push_back({static_cast<shoal::Level>(level % 5),
                                  static_cast<shoal::Level>(level / 5 % 5),
                                  static_cast<shoal::Level>(level / 25)});
             }
             std::vector<shoal::Judgement> found(nodes.size());
             judge->judge(nodes, found, control);
         }},
        {"exhaustive",
         [&lattice](int threads) {
             Control control;
             shoal::make_judge(lattice, threads)->exhaust({}, control);
         }},
        {"cover",
         [&small](int threads) {
             Control control;
             shoal::CoverSettings settings;
             settings.k = 3;
             settings.threads = threads;
             settings.order.resize(small.rows());
             std::iota(settings.order.begin(), settings.order.end(), 0);
             shoal::Cover cover(small, 3);
             shoal::cover_by_sorted_pairs(cover, settings, control);
             shoal::CoverRefinement refinement;
             refinement.threads = threads;
             refinement.steps = 200;
             refinement.region = 200;
             shoal::refine_cover(cover, refinement, control);
         }},
    };
}

}  // namespace

TEST_CASE("every item is worked on once, whatever the threads") {
    for (const int threads : {1, 2, 7}) {
        for (const std::size_t count : {0u, 1u, 3u, 1000u}) {
            CAPTURE(threads);
            CAPTURE(count);
            std::vector<std::atomic<int>> done(count);
            std::atomic<int> states{0};
            shoal::parallel_for(
                count, threads, [&](std::size_t) { return ++states; },
                [&](int, std::size_t i) { ++done[i]; });
            for (const auto& each : done) CHECK(each == 1);
            CHECK(states <= threads);
            CHECK(states <= static_cast<int>(count));
        }
    }
}

TEST_CASE("the first exception of any thread reaches the caller and ends the work") {
    for (const int threads : {1, 4}) {
        std::atomic<int> begun{0};
        CHECK_THROWS_WITH_AS(shoal::parallel_for(1'000'000, threads,
                                                 [&](std::size_t i) {
                                                     ++begun;
                                                     if (i == 10) throw std::logic_error("ten");
                                                 }),
                             "ten", std::logic_error);
        CHECK(begun < 1'000'000);
    }
}

TEST_CASE("an exception while a thread prepares reaches the caller") {
    std::atomic<bool> thrown{false};
    CHECK_THROWS_AS(shoal::parallel_for(
                        100, 4,
                        [&](std::size_t worker) {
                            if (worker == 0) return 0;
                            thrown.store(true);
                            throw std::bad_alloc();
                        },
                        [&](int, std::size_t) {
                            while (!thrown.load()) std::this_thread::yield();
                        }),
                    std::bad_alloc);
}

// A second caller asks for another number of threads, for which the judge is made anew, while the
// first still judges with it. The first waits a while for the second, which comes in that time only
// if callers do not take turns; ThreadSanitizer tells even if it does not come.
TEST_CASE("callers that share a judge take turns") {
    harness::Random random(9);
    const shoal::LatticeProblem lattice = lattice_of(random, 200);
    const std::vector<shoal::Levels> nodes{{0, 0, 0}, {2, 1, 0}, {4, 4, 4}};
    shoal::SharedJudge shared;
    std::atomic<bool> judging{false}, interrupted{false};
    std::thread second;
    shared.with(lattice, 1, [&](shoal::NodeJudge& judge) {
        judging.store(true);
        second = std::thread([&] {
            shared.with(lattice, 2, [&](shoal::NodeJudge&) { interrupted.store(judging.load()); });
        });
        for (int i = 0; i < 50 && !interrupted.load(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        if (!interrupted.load()) {  // else there is no such judge any more
            Control control;
            std::vector<shoal::Judgement> found(nodes.size());
            judge.judge(nodes, found, control);
        }
        judging.store(false);
    });
    second.join();
    CHECK_FALSE(interrupted.load());
}

TEST_CASE("memory that runs out in a helper reaches the caller of every threaded kernel") {
    harness::Random random(5);
    const Records large = harness::random_records(random, 40'000, 4, 60, 1);
    const Records small = harness::random_records(random, 600, 4, 30, 1);
    const shoal::LatticeProblem lattice = lattice_of(random, 2'000);
    for (const ThreadedKernel& kernel : threaded_kernels(large, small, lattice)) {
        CAPTURE(kernel.name);
        kernel.run(4);  // tables that are made once and for all are there now
        // Memory may run out where a kernel can do with less, and helpers may come too late to
        // ask for any: it is tried until one fails.
        int failures = 0;
        for (std::int64_t attempt = 0; attempt < 400 && (failures == 0 || attempt < 10);
             ++attempt) {
            const FailingAllocation failing(1 + attempt % 10 * attempt % 10,
                                            FailingAllocation::Of::helpers);
            try {
                kernel.run(4);
            } catch (const std::bad_alloc&) {
                CHECK(failing.has_failed());
                ++failures;
            }
        }
        CHECK(failures > 0);
    }
}

TEST_CASE("memory that runs out anywhere reaches the caller of every threaded kernel") {
    harness::Random random(6);
    const Records large = harness::random_records(random, 40'000, 2, 60, 1);
    const Records small = harness::random_records(random, 300, 4, 30, 1);
    const shoal::LatticeProblem lattice = lattice_of(random, 500);
    for (const ThreadedKernel& kernel : threaded_kernels(large, small, lattice)) {
        CAPTURE(kernel.name);
        for (std::int64_t n = 1; n < (harness::quick() ? 300 : 3000); n = n * 4 / 3 + 1) {
            FailingAllocation failing(n, FailingAllocation::Of::any_thread);
            try {
                kernel.run(2);
            } catch (const std::bad_alloc&) {
                CHECK(failing.has_failed());
            }
        }
    }
}
