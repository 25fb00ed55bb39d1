#include "shoal/common/partition.hpp"

#include <numeric>

namespace shoal {

ClassPieces::ClassPieces(const Partition& partition, std::size_t classes) : starts(classes + 1) {
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        if (partition.count[i] > 0) ++starts[static_cast<std::size_t>(partition.klass[i]) + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    all.resize(starts.back());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        if (partition.count[i] == 0) continue;
        const auto c = static_cast<std::size_t>(partition.klass[i]);
        all[next[c]++] = {partition.row[i], partition.count[i]};
    }
}

}  // namespace shoal
