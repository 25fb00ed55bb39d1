#include "bound_cases.hpp"

#include <set>

#include "shoal/common/closure.hpp"

namespace harness {

void for_each_class_up_to(std::int64_t most, const shoal::Records& records, std::int64_t k,
                          const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    std::vector<std::int32_t> counts(records.rows());
    const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t row,
                                                                      std::int64_t size) {
        if (size > most) return;
        if (row == records.rows()) {
            if (size >= k) visit(counts);
            return;
        }
        for (std::int32_t copies = 0; copies <= records.counts[row]; ++copies) {
            counts[row] = copies;
            choose(row + 1, size + copies);
        }
        counts[row] = 0;
    };
    choose(0, 0);
}

void for_each_class(const shoal::Records& records, std::int64_t k,
                    const std::function<void(const std::vector<std::int32_t>&)>& visit) {
    for_each_class_up_to(2 * k - 1, records, k, visit);
}

std::int64_t different_values(const std::vector<std::int32_t>& counts,
                              const std::vector<std::int32_t>& values) {
    std::set<std::int32_t> held;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] > 0) held.insert(values[row]);
    }
    return static_cast<std::int64_t>(held.size());
}

std::vector<std::int32_t> random_values(Random& random, std::size_t rows) {
    const std::uint32_t most = 2 + random.below(4);
    std::vector<std::int32_t> values;
    for (std::size_t row = 0; row < rows; ++row) {
        values.push_back(static_cast<std::int32_t>(random.below(most)));
    }
    return values;
}

shoal::bounding::Units loss_on_grid(const shoal::bounding::Grid& grid,
                                    const std::vector<std::int32_t>& counts) {
    shoal::bounding::Units loss = 0;
    for (std::size_t j = 0; j < grid.width; ++j) {
        std::vector<std::uint32_t> codes;
        for (std::size_t row = 0; row < counts.size(); ++row) {
            if (counts[row] > 0) codes.push_back(grid.codes(row)[j]);
        }
        loss += grid.attributes[j].of(codes);
    }
    return loss;
}

double true_loss(const shoal::Records& records, const std::vector<std::int32_t>& counts) {
    shoal::Closure closure;
    bool open = false;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] == 0) continue;
        open ? closure.add(records, row) : closure.open(records, row);
        open = true;
    }
    return closure.loss(records);
}

shoal::Partition one_class(const shoal::Records& records) {
    shoal::Partition all;
    for (std::size_t row = 0; row < records.rows(); ++row) {
        all.place(static_cast<std::int32_t>(row), 0, records.counts[row]);
    }
    return all;
}

}  // namespace harness
