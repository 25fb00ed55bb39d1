#include <algorithm>
#include <numeric>
#include <vector>

#include "harness.hpp"
#include "shoal/clustering/agglomerative.hpp"
#include "shoal/clustering/hilbert.hpp"
#include "shoal/clustering/optimal_runs.hpp"

namespace {

bool same(const shoal::Partition& a, const shoal::Partition& b) {
    return a.row == b.row && a.klass == b.klass && a.count == b.count;
}

void unite_every_way(const shoal::Objective& objective, std::int64_t k) {
    for (const bool shrink : {false, true}) {
        shoal::Partition first;
        for (const shoal::Path path : shoal::available_paths()) {
            shoal::Control control;
            const shoal::Partition made =
                shoal::agglomerative(objective, {k, shrink, path}, control);
            harness::check_partition(objective.records(), made, k);
            CHECK(control.progress.load() == 1.0);
            if (first.row.empty()) first = made;
            CHECK(same(made, first));
        }
    }
}

void divide(const shoal::Objective& objective, std::int64_t k) {
    std::vector<std::int32_t> order(objective.records().rows());
    std::iota(order.rbegin(), order.rend(), 0);
    shoal::Control control;
    const shoal::Partition made = shoal::optimal_runs(objective, order, k, control);
    harness::check_partition(objective.records(), made, k);
    CHECK(control.progress.load() == 1.0);
}

}  // namespace

TEST_CASE("clusters and runs place every record once") {
    std::uint64_t seed = 7000;
    for (const std::uint32_t most_codes : {1u, 3u, 60u, 300u, 70000u}) {
        for (const std::size_t attributes : {1u, 4u, 9u}) {
            for (const std::size_t rows : {1u, 5u, 130u, 400u}) {
                if (harness::quick() && rows > 200) continue;
                harness::Random random(++seed);
                const shoal::Records records =
                    harness::random_records(random, rows, attributes, most_codes, 7);
                const shoal::Objective plain(records);
                for (const std::int64_t k :
                     {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, records.total}) {
                    if (k > records.total) continue;
                    unite_every_way(plain, k);
                    divide(plain, k);
                }
                if (most_codes > 300 || rows > 200) continue;
                std::vector<std::uint32_t> secret(records.rows());
                for (std::uint32_t& value : secret) value = random.below(4);
                for (const double w : {0.0, 0.5, 1.0}) {
                    const shoal::Objective information(records, w, secret, 4);
                    const std::int64_t k = std::min<std::int64_t>(5, records.total);
                    unite_every_way(information, k);
                    divide(information, k);
                }
            }
        }
    }
}

TEST_CASE("curve keys differ where points do") {
    for (const std::size_t axes : {1u, 2u, 63u, 64u, 65u, 130u}) {
        for (const unsigned bits : {1u, 5u, 32u}) {
            harness::Random random(axes * 100 + bits);
            shoal::Points points;
            points.count = harness::quick() ? 50 : 400;
            points.bits = bits;
            points.axes.resize(axes);
            for (auto& axis : points.axes) {
                for (std::size_t i = 0; i < points.count; ++i) {
                    axis.push_back(static_cast<std::uint32_t>(random.next() >> (64 - bits)));
                }
            }
            shoal::Control control;
            const shoal::CurveKeys keys = shoal::hilbert_keys(points, control);
            const std::vector<std::int32_t> order = shoal::hilbert_order(points, control);
            CHECK(keys.words == (axes * bits + 63) / 64);
            CHECK(order.size() == points.count);
            for (std::size_t i = 1; i < order.size(); ++i) {
                const auto before = static_cast<std::size_t>(order[i - 1]);
                const auto here = static_cast<std::size_t>(order[i]);
                const std::vector<std::uint64_t> low(
                    keys.values.begin() + static_cast<std::ptrdiff_t>(before * keys.words),
                    keys.values.begin() + static_cast<std::ptrdiff_t>((before + 1) * keys.words));
                const std::vector<std::uint64_t> high(
                    keys.values.begin() + static_cast<std::ptrdiff_t>(here * keys.words),
                    keys.values.begin() + static_cast<std::ptrdiff_t>((here + 1) * keys.words));
                bool equal = true;
                for (const auto& axis : points.axes) equal = equal && axis[before] == axis[here];
                CHECK(low <= high);
                CHECK((low == high) == equal);
            }
        }
    }
}
