// The nearest rows of every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/common/random.hpp"
#include "shoal/common/records.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

struct Neighbours {
    std::size_t width = 0;
    BulkVector<std::int32_t> rows;  // [row][width], nearest first; -1 where a cell was too small

    std::span<const std::int32_t> of(std::size_t row) const {
        return {rows.data() + row * width, width};
    }
};

struct NeighbourSearch {
    std::size_t width = 32;
    int threads = 1;  // the lists depend neither on it nor on the path
    Path path = Path::scalar;
    // Up to this many rows all are compared with all. Beyond it the lists are near, not nearest:
    // rows are compared within cells, cut in `cuttings` different ways.
    std::size_t all_pairs = 100'000;
    std::size_t cell = 8'192;
    int cuttings = 4;
    // Rows that were not asked by then have no list.
    Deadline deadline;
};

// Rows whose union with a row loses least, up to a rounding of about 1/8,000 of the whole loss;
// ties go to the rows that follow in the table. Memory O(rows · (m + width)).
Neighbours find_neighbours(const Records& records, const NeighbourSearch& nearest, Random& random,
                           Control& control);

// The nearest records of an opened query: keys `score << 32 | arrival`, ascending, at most `width`.
// Records arrive block by block from `first_block` on, the last block followed by the first.
class NearestKeys {
  public:
    NearestKeys(std::size_t width, Path path) : width_(width), path_(path) {}

    std::span<const std::uint64_t> find(const Alive& alive, const Query& query,
                                        std::size_t first_block);

  private:
    void shrink();  // to the `width` least

    std::size_t width_;
    Path path_;
    std::uint32_t limit_ = 0xFFFF;  // a score at or above it cannot win
    std::vector<std::uint64_t> keys_;
};

}  // namespace shoal
