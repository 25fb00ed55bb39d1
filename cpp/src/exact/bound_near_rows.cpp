#include "exact/bound_near_rows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "scan/cells.hpp"
#include "shoal/common/random.hpp"

namespace shoal::bounding {

NearRows::NearRows(const Records& records, const Grid& grid, const Control& control) : grid_(grid) {
    for (const GridAttribute& attribute : grid.attributes) {
        const bool is_small = attribute.code_count <= most_codes;
        table_starts_.push_back(is_small ? table_size_ : no_table);
        if (is_small) table_size_ += attribute.code_count;
    }
    std::vector<std::int32_t> all(grid.rows());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::int64_t> ones(grid.rows(), 1);
    Random random(1);
    Cells cells = divide_into_cells(records, all, ones, cell_size, random, control);
    rows_ = std::move(cells.items);
    starts_ = std::move(cells.starts);
    for (std::size_t cell = 0; cell + 1 < starts_.size(); ++cell) {
        for (std::size_t j = 0; j < grid.width; ++j) {
            Range range{std::numeric_limits<std::uint32_t>::max(), 0, 0};
            for (std::size_t i = starts_[cell]; i < starts_[cell + 1]; ++i) {
                const std::uint32_t code = grid.codes(static_cast<std::size_t>(rows_[i]))[j];
                range.low = std::min(range.low, code);
                range.high = std::max(range.high, code);
                if (code < mask_codes) range.mask |= std::uint64_t{1} << code;
            }
            ranges_.push_back(range);
        }
    }
}

}  // namespace shoal::bounding
