// The assignment of least cost of a small dense matrix.
#pragma once

#include <cstdint>
#include <vector>

namespace shoal {

// Shortest augmenting paths (Jonker and Volgenant); buffers are kept between calls.
class DenseAssignment {
  public:
    // `cost` holds `size` rows of `stride` entries; returns the column of each row. A pair of cost
    // `barred` is taken only if there is no other way.
    const std::vector<std::int32_t>& solve(const std::int32_t* cost, std::size_t size,
                                           std::size_t stride);

    static constexpr std::int32_t barred = 1 << 30;

  private:
    void reduce(const std::int32_t* cost, std::size_t size, std::size_t stride);
    void augment(const std::int32_t* cost, std::size_t size, std::size_t stride, std::int32_t row);

    std::vector<std::int32_t> column_of_, row_of_, best_, best_row_;
    std::vector<std::int64_t> price_, distance_, settled_;
    std::vector<std::int32_t> before_, todo_, done_;
    std::vector<std::int32_t> open_;
};

}  // namespace shoal
