// The assignment of least cost of a small dense matrix, near to one that is known.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/common/bulk.hpp"

namespace shoal {

// Shortest augmenting paths (Jonker and Volgenant); buffers are kept between calls. All work is in
// 32 bits, with a column's number in the low bits of whatever is compared, so that one minimum
// finds both; for that, costs are rounded if the known assignment is very far from the least.
class DenseAssignment {
  public:
    // `cost` holds `size` rows of `stride` entries, of which `stride` is a multiple of 16; returns
    // the column of each row. Row i in column i is the known assignment, whose entries must not be
    // barred. The result costs no more, up to a rounding of about 2^-20 of what could be gained.
    const std::vector<std::int32_t>& solve(const std::int32_t* cost, std::size_t size,
                                           std::size_t stride);

    static constexpr std::size_t lanes = 16;
    static constexpr std::size_t most = 512;  // rows
    static constexpr std::int32_t barred = 1 << 30;

  private:
    // False if the known assignment is of least cost.
    bool scale(const std::int32_t* cost);
    void reduce();
    void bid();
    void augment(std::int32_t row);
    const std::int32_t* line(std::int32_t row) const {
        return work_.data() + static_cast<std::size_t>(row) * stride_;
    }
    std::size_t column(std::int32_t key) const {
        return static_cast<std::size_t>(key & ((1 << column_bits_) - 1));
    }
    // A key without the number of its column.
    std::int32_t value(std::int32_t key) const { return key & ~((2 << column_bits_) - 1); }
    void take(std::int32_t row, std::size_t column);

    std::size_t size_ = 0, stride_ = 0;
    int column_bits_ = 0;
    // Keys: value, a bit that is 0, column.
    BulkVector<std::int32_t> work_, price_, distance_, penalty_, before_, best_, best_row_;
    std::vector<std::int32_t> least_;  // of each row of the costs
    std::vector<std::int32_t> column_of_, row_of_;
    std::vector<std::int32_t> open_, again_, done_;
};

}  // namespace shoal
