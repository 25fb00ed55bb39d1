// Progress and cancellation.
#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "shoal/clustering/sequential.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/exact/bound.hpp"

namespace {

// What a control tells while work(control) runs, as somebody who watches sees it.
template <class Work>
std::vector<double> watched(shoal::Control& control, Work work) {
    std::atomic<bool> done{false};
    std::vector<double> told;
    std::thread watcher([&] {
        while (!done.load()) {
            const double now = control.progress.load();
            if (told.empty() || told.back() != now) told.push_back(now);
            std::this_thread::yield();
        }
    });
    work(control);
    done.store(true);
    watcher.join();
    return told;
}

}  // namespace

TEST_CASE("progress never falls, and is that of the part under way") {
    shoal::Control control;
    control.begin.store(0.5);
    control.end.store(0.7);
    control.report(0.5);
    CHECK(control.progress.load() == doctest::Approx(0.6));
    control.report(0.2);
    CHECK(control.progress.load() == doctest::Approx(0.6));
    control.report(1.0);
    CHECK(control.progress.load() == doctest::Approx(0.7));
}

// A bound with all the time in the world has hardly begun when its rounds are over.
TEST_CASE("a bound as a part of a run tells its own share of the time") {
    harness::Random random(2);
    const shoal::Records records = harness::random_records(random, 200, 4, 30, 1);
    shoal::Partition known;
    for (std::int32_t row = 0; row < 200; ++row) known.place(row, row / 4, 1);
    for (const double begin : {0.9, 0.995}) {
        shoal::Control control;
        control.begin.store(begin);
        const auto told = watched(control, [&](shoal::Control& watching) {
            shoal::lower_bound(records, known, {.k = 4, .threads = 2, .rounds = 4, .seconds = 1e7},
                               watching);
        });
        for (std::size_t i = 1; i < told.size(); ++i) {
            CHECK(told[i] >= told[i - 1]);
            CHECK((told[i] < begin + 0.01 * (1.0 - begin) || told[i] == doctest::Approx(1.0)));
        }
        CHECK(control.progress.load() == doctest::Approx(1.0));
    }
}

TEST_CASE("sequential clustering as a part of a run stays within it") {
    harness::Random random(3);
    const shoal::Records records = harness::random_records(random, 500, 4, 30, 1);
    const shoal::Objective objective(records);
    shoal::Control control;
    control.begin.store(0.8);
    control.end.store(0.9);
    const auto told = watched(control, [&](shoal::Control& watching) {
        shoal::sequential(objective, {{}, records.rows()}, {.k = 5, .start_size = 3, .most = 8},
                          watching);
    });
    for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i] >= told[i - 1]);
    // Of its part, nine tenths at most are told while passes go on.
    CHECK(control.progress.load() <= 0.89 + 1e-12);
    CHECK(control.progress.load() > 0.8);
}

TEST_CASE("a poll throws when work is to end, and tells a wish for the best from the end") {
    shoal::Control control;
    shoal::Poll poll(control), patient(control, shoal::Poll::Heed::cancellation);
    CHECK_NOTHROW(poll.look());
    control.stop.store(true);
    CHECK_THROWS_AS(poll.look(), shoal::Cancelled);
    CHECK_NOTHROW(patient.look());
    control.cancel.store(true);
    CHECK_THROWS_AS(patient.look(), shoal::Cancelled);
    const auto ask_often = [&] {
        for (int i = 0; i < 100'000; ++i) poll();
    };
    CHECK_THROWS_AS(ask_often(), shoal::Cancelled);
}

TEST_CASE("deadlines take any number of seconds") {
    CHECK_FALSE(shoal::Deadline().passed());
    CHECK_FALSE(shoal::Deadline(-1.0).passed());
    CHECK(shoal::Deadline(0.0).passed());
    CHECK_FALSE(shoal::Deadline(1e300).passed());
    CHECK_FALSE(shoal::Deadline(std::numeric_limits<double>::infinity()).passed());
}
