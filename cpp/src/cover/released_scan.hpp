// Which released records a row would go to next: those whose closures grow least by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/cover/cover.hpp"

namespace shoal {

struct Offer {
    std::int32_t growth;
    std::int32_t released;
    bool operator<(const Offer& other) const {
        return growth != other.growth ? growth < other.growth : released < other.released;
    }
};

// The closures of a round, attribute by attribute, so that a row is compared with many of them at
// once. Records that have their original leave, and the others are moved together now and then.
class ReleasedScan {
  public:
    explicit ReleasedScan(const Cover& cover);

    // The record takes no further original in this round.
    void remove(std::int32_t released);
    // For each row the `most` records left that may hold it and grow least, in ascending order;
    // fewer only if there are no more. Safe to call from several threads.
    std::vector<std::vector<Offer>> least(std::span<const std::int32_t> rows,
                                          std::size_t most) const;

  private:
    using Way = CoverLoss::Way;
    struct Column {
        std::vector<std::int32_t> low, high;            // interval, tree; same: low, -1 if mixed
        std::vector<std::int32_t> cost;                 // sets: of one more value
        std::vector<std::vector<std::uint32_t>> words;  // sets of few values
    };
    // Released records by a key, in ascending order.
    struct Index {
        std::vector<std::size_t> first;
        std::vector<std::int32_t> released;
        std::span<const std::int32_t> of(std::int32_t key) const {
            const auto place = static_cast<std::size_t>(key);
            return {released.data() + first[place], first[place + 1] - first[place]};
        }
    };
    // Heights in a tree at which a value meets each code, and what is lost there.
    struct Meeting {
        std::vector<std::int32_t> height, loss;
    };
    class Search;

    void fill_columns();
    void index_members();
    void move_together();
    Meeting meeting(std::size_t j, std::int32_t value) const;

    const Cover& cover_;
    std::vector<std::int32_t> who_;       // by place
    std::vector<std::int32_t> place_of_;  // by record; stale once it has been moved out
    std::vector<std::int32_t> base_;      // less than nothing: what is lost already
    std::vector<Column> columns_;
    Index full_;                   // by row: records that may hold no more of it
    std::vector<Index> of_value_;  // by attribute and code: large sets that hold it
    std::size_t left_;
};

}  // namespace shoal
