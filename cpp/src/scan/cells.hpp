// Rows divided into cells of similar ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/common/random.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// Items divided into cells of similar ones.
struct Cells {
    std::vector<std::int32_t> items;  // grouped by cell
    std::vector<std::size_t> starts;  // of each cell, and the end

    std::size_t size() const { return starts.size() - 1; }
    std::span<const std::int32_t> of(std::size_t cell) const {
        return {items.data() + starts[cell], starts[cell + 1] - starts[cell]};
    }
};

// Cuts at the median of an attribute drawn by weight and diversity, again and again until a cell
// weighs no more than `most`, or time is up. `row[i]` stands for item i, which weighs `weight[i]`.
Cells divide_into_cells(const Records& records, std::span<const std::int32_t> row,
                        std::span<const std::int64_t> weight, std::int64_t most, Random& random,
                        const Control& control, const Deadline& deadline = {});

// Cuts likewise, into so many cells of about as many items each, or fewer if items are few. A
// search that has something to show divides its work in this way, so only cancellation ends it.
Cells divide_into_parts(const Records& records, std::span<const std::int32_t> row,
                        std::span<const std::int64_t> weight, std::size_t parts, Random& random,
                        const Control& control);

}  // namespace shoal
