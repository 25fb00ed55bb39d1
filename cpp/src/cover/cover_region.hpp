// Some released records of a cover that a thread has to itself, and their blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cover/cover_blocks.hpp"
#include "cover/cover_members.hpp"
#include "shoal/common/random.hpp"
#include "shoal/cover/dense_assignment.hpp"
#include "shoal/scan/neighbours.hpp"

namespace shoal {

class CoverRegion {
  public:
    // `copies` are the records of each row: a released record holds a row no more often.
    CoverRegion(CoverMembers& cover_members, std::span<const std::int32_t> copies,
                const Neighbours& neighbours, std::int32_t block);

    // Which released records are searched from now on.
    void enter(std::span<const std::int32_t> released, std::uint64_t seed);
    // One block; returns by how much the loss fell, which noise may make negative.
    std::int64_t step(double noise);

  private:
    void choose();
    void add_holder(std::int32_t row);
    std::size_t costliest(std::size_t released);
    void bar(std::size_t b, std::int32_t* line) const;
    const std::int32_t* blurred(double noise);
    void exchange(std::span<const std::int32_t> taken);
    std::size_t draw(std::size_t bound) {
        return static_cast<std::size_t>((random_.next() >> 32) * bound >> 32);
    }

    CoverMembers& cover_members_;
    std::span<const std::int32_t> copies_;
    const Neighbours& neighbours_;
    std::size_t most_, k_;
    Random random_{0};
    std::span<const std::int32_t> released_;
    // Slots of the region by the row that they hold. A block exchanges rows between slots, so
    // each row keeps as many as it has.
    std::vector<std::uint32_t> first_, count_;  // by row
    std::vector<std::uint32_t> holders_;        // grouped by row
    std::vector<std::uint32_t> place_;          // of each slot among them
    std::vector<std::uint32_t> stamp_;          // of each released record: its last block
    std::vector<std::uint32_t> marks_;          // of each row: the last block it was in
    std::vector<std::int32_t> column_;          // of each row: its last column
    std::vector<std::int32_t> next_;            // of each column: the next one of the same row
    std::uint32_t now_ = 0;
    std::vector<std::size_t> slots_;
    std::vector<std::int32_t> given_;  // rows
    BlockCosts costs_;
    BulkVector<std::int32_t> cost_, noisy_;
    const float* draws_;  // of noise, in no order
    DenseAssignment assignment_;
};

}  // namespace shoal
