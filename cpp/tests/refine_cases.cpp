#include "refine_cases.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shoal/common/class_state.hpp"

namespace harness {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a)); }

std::vector<std::int32_t> all_rows(const shoal::Records& records) {
    std::vector<std::int32_t> rows(records.rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

shoal::Objective make_objective(const shoal::Records& records, std::uint32_t which,
                                Random& random) {
    if (which == 0) return shoal::Objective(records);
    const double shares[] = {1.0, 0.0, 0.3};
    std::vector<std::uint32_t> secret(records.rows());
    for (auto& value : secret) value = random.below(3);
    return shoal::Objective(records, shares[which - 1], secret, 3);
}

shoal::Models make_models(const shoal::Records& records, Random& random) {
    shoal::Models models;
    models.rows = records.rows();
    shoal::Model model;
    model.condition = shoal::Condition::distinct;
    model.number = 2;
    model.code_count = 4;
    for (std::size_t i = 0; i < records.rows(); ++i) model.codes.push_back(random.below(4));
    models.all.push_back(model);
    model.condition = shoal::Condition::entropy;
    model.level = 1.4;
    models.all.push_back(model);
    return models;
}

shoal::Models make_personal_sizes(const shoal::Records& records, Random& random, double most) {
    shoal::Models models;
    models.rows = records.rows();
    shoal::Model& model = models.all.emplace_back();
    model.condition = shoal::Condition::least_sizes;
    model.code_count = 2;
    model.lowest = {1.0, most};
    for (std::size_t i = 0; i < records.rows(); ++i) model.codes.push_back(random.below(8) == 0);
    return models;
}

shoal::Partition make_start(const shoal::Records& records, const shoal::Models& models,
                            std::int64_t k) {
    shoal::Partition partition;
    std::int32_t klass = 0;
    shoal::ClassHistogram histogram;
    std::size_t begin = 0;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        partition.place(static_cast<std::int32_t>(row), klass, records.counts[row]);
        histogram.add(models, row, records.counts[row]);
        if (histogram.size() < k || !histogram.holds(models)) continue;
        histogram.clear();
        begin = row + 1;
        ++klass;
    }
    // What is left over joins the first class, if that still holds then.
    for (std::size_t i = begin; i < records.rows(); ++i) partition.klass[i] = 0;
    return partition;
}

double recomputed(const shoal::Objective& objective, const shoal::Partition& partition) {
    std::int32_t classes = 0;
    for (const std::int32_t c : partition.klass) classes = std::max(classes, c + 1);
    std::vector<shoal::ClassState> states(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        states[static_cast<std::size_t>(partition.klass[i])].add(
            objective, static_cast<std::size_t>(partition.row[i]), partition.count[i]);
    }
    double sum = 0.0;
    for (const auto& state : states) sum += state.total(objective);
    return sum;
}

bool all_hold(const shoal::Models& models, const shoal::Partition& partition) {
    std::vector<shoal::ClassHistogram> histograms;
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        const auto klass = static_cast<std::size_t>(partition.klass[i]);
        if (histograms.size() <= klass) histograms.resize(klass + 1);
        histograms[klass].add(models, static_cast<std::size_t>(partition.row[i]),
                              partition.count[i]);
    }
    return std::all_of(histograms.begin(), histograms.end(),
                       [&](const auto& each) { return each.holds(models); });
}

}  // namespace harness
