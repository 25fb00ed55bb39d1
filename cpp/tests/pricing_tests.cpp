#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "harness.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/exact/mixed_cuts.hpp"
#include "shoal/exact/pricing.hpp"
#include "shoal/exact/rank_cuts.hpp"

namespace {

using Rows = std::vector<std::int32_t>;

struct Case {
    shoal::Records records;
    std::int32_t k;
    std::vector<double> price;
    double opening;
    shoal::RankCuts cuts;
    std::vector<double> cut_price;
};

double grain(double value) { return std::nearbyint(std::ldexp(value, 32)) * 0x1p-32; }

Case make_case(harness::Random& random) {
    Case made{harness::random_records(random, 3 + random.below(5), 1 + random.below(4), 70, 3),
              static_cast<std::int32_t>(2 + random.below(2)),
              {},
              grain(0.2 * (random.unit() - 0.8)),
              {},
              {}};
    for (std::size_t row = 0; row < made.records.rows(); ++row) {
        made.price.push_back(grain(made.records.weight_sum() * random.unit()));
    }
    for (std::uint32_t q = random.below(3); q > 0; --q) {
        for (std::size_t row = 0; row < made.records.rows(); ++row) {
            if (const std::uint32_t weight = random.below(3); weight > 0) {
                made.cuts.row.push_back(static_cast<std::int32_t>(row));
                made.cuts.weight.push_back(static_cast<std::int32_t>(weight));
            }
        }
        made.cuts.start.push_back(static_cast<std::int64_t>(made.cuts.row.size()));
        made.cuts.divisor.push_back(3);
        made.cuts.remainder.push_back(static_cast<std::int32_t>(random.below(3)));
        made.cut_price.push_back(-grain(0.3 * random.unit()));
    }
    return made;
}

// What a class of this weight counts in a cut.
std::int64_t rounded(std::int64_t weight, std::int64_t divisor, std::int64_t remainder) {
    return (divisor - remainder) * (weight / divisor) +
           std::max<std::int64_t>(0, weight % divisor - remainder);
}

double reduced_cost(const Case& made, const Rows& rows) {
    shoal::Closure closure;
    double gain = made.opening;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(rows[i]);
        i == 0 ? closure.open(made.records, row) : closure.add(made.records, row);
        gain += made.price[row];
    }
    for (std::size_t q = 0; q < made.cuts.size(); ++q) {
        std::int64_t held = 0;
        for (auto i = static_cast<std::size_t>(made.cuts.start[q]);
             i < static_cast<std::size_t>(made.cuts.start[q + 1]); ++i) {
            held += made.cuts.weight[i] * std::count(rows.begin(), rows.end(), made.cuts.row[i]);
        }
        gain += made.cut_price[q] *
                static_cast<double>(rounded(held, made.cuts.divisor[q], made.cuts.remainder[q]));
    }
    return static_cast<double>(rows.size()) * closure.loss(made.records) - gain;
}

// Every multiset of k to 2k - 1 records, rows ascending.
void every_class(const Case& made, Rows& rows, std::map<Rows, double>& found) {
    if (static_cast<std::int32_t>(rows.size()) >= made.k) found[rows] = reduced_cost(made, rows);
    if (static_cast<std::int32_t>(rows.size()) == 2 * made.k - 1) return;
    const auto count = static_cast<std::int32_t>(made.records.rows());
    for (std::int32_t row = rows.empty() ? 0 : rows.back(); row < count; ++row) {
        if (std::count(rows.begin(), rows.end(), row) ==
            made.records.counts[static_cast<std::size_t>(row)]) {
            continue;
        }
        rows.push_back(row);
        every_class(made, rows, found);
        rows.pop_back();
    }
}

}  // namespace

TEST_CASE("pricing finds every class and misses none") {
    harness::Random random(41);
    for (int round = 0; round < (harness::quick() ? 20 : 200); ++round) {
        const Case made = make_case(random);
        std::map<Rows, double> expected;
        Rows rows;
        every_class(made, rows, expected);
        const shoal::ClassPricer pricer(made.records, made.k, 2 * made.k - 1);
        const shoal::Prices prices{made.price, made.opening, made.cut_price};
        shoal::Control control;
        shoal::Pricing pricing;
        pricing.all = true;
        pricing.columns = 1'000'000;
        pricing.below = 0.25;
        pricing.threads = 1 + round % 3;
        const shoal::Priced priced = pricer.price(prices, made.cuts, {}, pricing, control);
        CHECK(priced.complete);
        std::map<Rows, double> found;
        const shoal::Columns& columns = priced.columns;
        for (std::size_t s = 0; s < columns.size(); ++s) {
            Rows members;
            for (auto i = static_cast<std::size_t>(columns.start[s]);
                 i < static_cast<std::size_t>(columns.start[s + 1]); ++i) {
                members.insert(members.end(), static_cast<std::size_t>(columns.count[i]),
                               columns.row[i]);
            }
            CHECK(found.emplace(members, columns.reduced[s]).second);
        }
        for (const auto& [members, cost] : expected) {
            if (cost < pricing.below - 1e-9) CHECK(found.contains(members));
        }
        for (const auto& [members, cost] : found) {
            CHECK(std::abs(expected.at(members) - cost) < 1e-8);
        }
        const auto costs = pricer.costs(columns.start, columns.row, columns.count);
        for (std::size_t s = 0; s < columns.size(); ++s) CHECK(costs[s] == columns.cost[s]);

        pricing.all = false;
        pricing.below = 0.0;
        pricing.nodes = round % 2 == 0 ? -1 : 1;
        const shoal::Priced best = pricer.price(prices, made.cuts, {}, pricing, control);
        double least = 0.0;
        for (const auto& [members, cost] : expected) least = std::min(least, cost);
        const double told = *std::min_element(best.least.begin(), best.least.end());
        CHECK(told <= least + 1e-8);
        if (pricing.nodes < 0) CHECK(told >= least - 1e-8);
    }
}

TEST_CASE("cuts are broken by the solution they are made for") {
    // Every pair of three records by half: the cut says that at most one class fits.
    const std::vector<std::int64_t> counts{1, 1, 1};
    shoal::Columns columns;
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
        columns.row.insert(columns.row.end(), {a, b});
        columns.count.insert(columns.count.end(), {1, 1});
        columns.start.push_back(static_cast<std::int64_t>(columns.row.size()));
        columns.cost.push_back(0.0);
    }
    const std::vector<double> value{0.5, 0.5, 0.5};
    const std::vector<std::int32_t> divisors{2};
    shoal::Separation separation;
    separation.divisors = divisors;
    shoal::Control control;
    for (const auto separate : {shoal::separate, shoal::separate_mixed}) {
        const shoal::RankCuts cuts = separate(counts, columns, value, separation, control);
        CHECK(cuts.size() == 1);
        CHECK(cuts.row.size() == 3);
        CHECK(cuts.remainder == std::vector<std::int32_t>{1});
    }
}

namespace {

// Whether the columns, each by its value, count for more than all records together may.
bool is_broken(const shoal::RankCuts& cuts, std::size_t q, std::span<const std::int64_t> counts,
               const shoal::Columns& columns, std::span<const double> value) {
    std::int64_t all = 0;
    std::vector<std::int64_t> held(value.size());
    for (auto i = static_cast<std::size_t>(cuts.start[q]);
         i < static_cast<std::size_t>(cuts.start[q + 1]); ++i) {
        const auto row = static_cast<std::size_t>(cuts.row[i]);
        all += cuts.weight[i] * counts[row];
        for (std::size_t s = 0; s < value.size(); ++s) {
            for (auto e = static_cast<std::size_t>(columns.start[s]);
                 e < static_cast<std::size_t>(columns.start[s + 1]); ++e) {
                if (columns.row[e] == cuts.row[i]) {
                    held[s] += std::int64_t{cuts.weight[i]} * columns.count[e];
                }
            }
        }
    }
    double sum = 0.0;
    for (std::size_t s = 0; s < value.size(); ++s) {
        sum += value[s] * static_cast<double>(rounded(held[s], cuts.divisor[q], cuts.remainder[q]));
    }
    return sum > static_cast<double>(rounded(all, cuts.divisor[q], cuts.remainder[q]));
}

}  // namespace

// Counts and weights of 32 bits each: their products are not.
TEST_CASE("cuts of rows with very many records are found without overflow") {
    constexpr std::int32_t many = 1'500'000'000;
    const std::vector<std::int32_t> held_at_once{many, many + 1, many + 2};
    std::vector<std::int64_t> counts;  // every column comes twice
    for (const std::int32_t each : held_at_once) counts.push_back(2 * std::int64_t{each});
    shoal::Columns columns;
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}, {0, 1}, {1, 2}, {0, 2}}) {
        for (const int row : {a, b}) {
            columns.row.push_back(row);
            columns.count.push_back(held_at_once[static_cast<std::size_t>(row)]);
        }
        columns.start.push_back(static_cast<std::int64_t>(columns.row.size()));
    }
    constexpr std::size_t number = 6;
    const std::vector<double> value(number, 0.5);
    const std::vector<std::int32_t> divisors{2, 3, 4, 5};
    shoal::Separation separation;
    separation.divisors = divisors;
    separation.violation = 1e-3;
    shoal::Control control;
    for (const auto separate : {shoal::separate, shoal::separate_mixed}) {
        const shoal::RankCuts cuts = separate(counts, columns, value, separation, control);
        for (std::size_t q = 0; q < cuts.size(); ++q) {
            CHECK(is_broken(cuts, q, counts, columns, value));
        }
    }
}

TEST_CASE("a pricing without an end takes any number of seconds") {
    harness::Random random(31);
    const Case made = make_case(random);
    const shoal::ClassPricer pricer(made.records, made.k, 2 * made.k - 1);
    shoal::Pricing pricing;
    pricing.seconds = std::numeric_limits<double>::infinity();
    shoal::Control control;
    const shoal::Priced priced =
        pricer.price({made.price, made.opening, made.cut_price}, made.cuts, {}, pricing, control);
    CHECK(priced.complete);
}
