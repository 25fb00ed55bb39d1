#include <numeric>
#include <vector>

#include "harness.hpp"
#include "shoal/clustering/information_growth.hpp"
#include "shoal/clustering/mondrian.hpp"

namespace {

bool same(const shoal::Partition& a, const shoal::Partition& b) {
    return a.row == b.row && a.klass == b.klass && a.count == b.count;
}

shoal::Models some_models(const std::vector<std::uint32_t>& secret, std::uint32_t secrets) {
    shoal::Models models;
    models.rows = secret.size();
    shoal::Model distinct;
    distinct.number = 2;
    distinct.codes = secret;
    distinct.code_count = secrets;
    shoal::Model frequent = distinct;
    frequent.condition = shoal::Condition::frequency;
    frequent.ratio = {3, 2};
    models.all = {distinct, frequent};
    return models;
}

void cut(const shoal::Objective& objective, const shoal::Models& models, std::int64_t k) {
    for (const bool strict : {true, false}) {
        for (const bool keep : {true, false}) {
            shoal::Control control;
            const shoal::Partition one =
                shoal::mondrian(objective, models, {k, strict, 1, keep}, control);
            harness::check_partition(objective.records(), one, k);
            CHECK(control.progress.load() == 1.0);
            CHECK(same(one, shoal::mondrian(objective, models, {k, strict, 3, keep}, control)));
        }
    }
}

void grow(const shoal::Objective& objective, std::int64_t k) {
    std::vector<std::int32_t> order(objective.records().rows());
    std::iota(order.rbegin(), order.rend(), 0);
    for (const bool settle : {false, true}) {
        const shoal::Growth growth{k, settle};
        shoal::Control control;
        for (const shoal::Partition& partition :
             {shoal::greedy(objective, order, growth, control),
              shoal::k_member(objective, order, 0, false, growth, control),
              shoal::k_member(objective, order, order[0], true, growth, control)}) {
            harness::check_partition(objective.records(), partition, k);
        }
        CHECK(control.progress.load() == 1.0);
    }
}

}  // namespace

TEST_CASE("measured classes place every record once") {
    std::uint64_t seed = 9000;
    for (const std::uint32_t most_codes : {1u, 3u, 60u, 300u}) {
        for (const std::size_t attributes : {1u, 4u, 9u}) {
            for (const std::size_t rows : {1u, 5u, 130u, 400u}) {
                if (harness::quick() && rows > 200) continue;
                harness::Random random(++seed);
                const shoal::Records records =
                    harness::random_records(random, rows, attributes, most_codes, 7);
                std::vector<std::uint32_t> secret(records.rows());
                for (std::uint32_t& value : secret) value = random.below(4);
                const shoal::Models models = some_models(secret, 4);
                for (const std::int64_t k : {std::int64_t{1}, std::int64_t{5}, records.total}) {
                    if (k > records.total) continue;
                    cut(shoal::Objective(records), models, k);
                    for (const double w : {0.0, 0.5, 1.0}) {
                        const shoal::Objective objective(records, w, secret, 4);
                        cut(objective, models, k);
                        grow(objective, k);
                    }
                }
            }
        }
    }
}
