#include "exact/bound_start.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "common/scalars.hpp"

namespace shoal::bounding {

Units loss_with_kth(const Grid& grid, const NearRows& near_rows, std::int64_t k, std::size_t row) {
    if (grid.counts[row] >= k) return 0;
    std::vector<std::pair<Units, std::int64_t>> near;
    for (Units limit = grid.whole / 64 + 2;; limit *= 4) {
        near.clear();
        std::int64_t records = 0;
        near_rows.for_each_near(row, limit, [&](std::int32_t other, Units loss) {
            near.emplace_back(loss, grid.counts[at(other)]);
            records += near.back().second;
        });
        if (records < k && limit <= grid.whole) continue;
        std::sort(near.begin(), near.end());
        std::int64_t held = 0;
        for (const auto& [loss, count] : near) {
            held += count;
            if (held >= k) return loss;
        }
        return 0;  // fewer than k records: nothing to prove
    }
}

KnownDivision known_division(const Grid& grid, std::int64_t k, const RequiredValues& required,
                             const Partition& known) {
    std::int32_t classes = 0;
    for (const std::int32_t klass : known.klass) classes = std::max(classes, klass + 1);
    std::vector<std::vector<std::int32_t>> members(at(classes));
    for (std::size_t i = 0; i < known.row.size(); ++i) {
        auto& klass = members[at(known.klass[i])];
        klass.insert(klass.end(), at(known.count[i]), known.row[i]);
    }
    KnownDivision division;
    division.costs.resize(grid.rows());
    std::vector<std::int64_t> placed(grid.rows());
    const auto least = static_cast<std::size_t>(k);
    for (const auto& klass : members) {
        if (!required.met_by(klass)) continue;
        for (std::size_t begin = 0; begin < klass.size();) {
            const std::size_t left = klass.size() - begin;
            const std::size_t size = left < 2 * least || required.any() ? left : least;
            const std::span<const std::int32_t> part(klass.data() + begin, size);
            const Units loss = grid.of(part);
            division.classes.add(part, static_cast<Units>(size) * loss);
            for (const std::int32_t row : part) {
                division.costs[at(row)] += static_cast<double>(loss);
                ++placed[at(row)];
            }
            begin += size;
        }
    }
    for (std::size_t row = 0; row < grid.rows(); ++row) {
        const std::int64_t rest = grid.counts[row] - placed[row];
        division.costs[row] += static_cast<double>(rest) * static_cast<double>(grid.whole);
        division.loss += division.costs[row] * grid.unit / static_cast<double>(grid.total);
    }
    return division;
}

std::vector<double> shared_costs(const KnownDivision& division, std::span<const Units> least) {
    std::vector<double> costs = division.costs;
    for (std::size_t c = 0; c < division.classes.size(); ++c) {
        const auto members = division.classes.of(c);
        double sum = 0.0;
        for (const std::int32_t row : members) sum += static_cast<double>(least[at(row)]);
        if (sum <= 0.0) continue;
        const auto cost = static_cast<double>(division.classes.costs[c]);
        const double equal_share = cost / static_cast<double>(members.size());
        for (const std::int32_t row : members) {
            costs[at(row)] += cost * (static_cast<double>(least[at(row)]) / sum) - equal_share;
        }
    }
    return costs;
}

std::vector<Units> loss_ceilings(const Grid& grid, const PricedClasses& known) {
    std::vector<Units> ceilings(grid.rows(), grid.whole);
    for (std::size_t c = 0; c < known.size(); ++c) {
        const Units loss = grid.of(known.of(c));
        for (const std::int32_t row : known.of(c)) {
            ceilings[at(row)] = std::min(ceilings[at(row)], loss);
        }
    }
    return ceilings;
}

}  // namespace shoal::bounding
