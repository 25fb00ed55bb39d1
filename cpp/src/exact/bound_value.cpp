#include "exact/bound_value.hpp"

#include <algorithm>

namespace shoal::bounding {

Sum lowest(std::vector<Counted>& values, std::int64_t most) {
    std::sort(values.begin(), values.end());
    Sum sum = 0;
    for (const auto& [each, count] : values) {
        const std::int64_t taken = std::min(most, count);
        sum += static_cast<Sum>(each) * taken;
        most -= taken;
        if (most == 0) break;
    }
    return sum;
}

double per_record(const Grid& grid, Sum sum) {
    return static_cast<double>(sum) * (grid.unit / static_cast<double>(grid.total));
}

double proved_loss(const Grid& grid, const KnownCuts& cuts, const ClassLimits& limits,
                   std::span<const Units> prices, std::span<const Units> least) {
    Sum sum = 0;
    std::vector<Counted> classes, suppressed;
    for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
        sum += static_cast<Sum>(prices[grid.rows() + cut]) * cuts.most(cut);
    }
    for (std::size_t row = 0; row < grid.rows(); ++row) {
        const std::int64_t count = grid.counts[row];
        sum += static_cast<Sum>(prices[row]) * count;
        if (least[row] < 0) classes.emplace_back(least[row], count);
        if (prices[row] > grid.whole) suppressed.emplace_back(grid.whole - prices[row], count);
    }
    sum += lowest(classes, grid.total / limits.k);
    sum += lowest(suppressed, limits.suppression_limit);
    return per_record(grid, sum);
}

}  // namespace shoal::bounding
