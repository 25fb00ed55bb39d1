// What covers lose, in fixed point. Released records of a cover each have a closure of their own,
// so there are as many closures as records, and sums of their losses must be compared exactly:
// integers give the same answer from every instruction set and in every order of summation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// The closure of one attribute of a released record. Sets of more than 128 codes are not held
// here: they are the codes of the record's members.
struct HullPart {
    std::int32_t low = 0;  // interval: position; tree, all or nothing: code
    std::int32_t high = 0;
    std::uint64_t mask[2] = {0, 0};
    std::int32_t count = 0;  // set: distinct values
    std::int32_t loss = 0;
};

class CoverLoss {
  public:
    static constexpr std::int32_t whole = 1 << 28;  // the loss of a record that shows nothing
    static constexpr std::uint32_t mask_codes = 128;

    enum class Way { interval, bits, listed, tree, same };
    struct Attribute {
        Way way = Way::bits;
        std::uint32_t code_count = 0;
        std::int32_t limit = 0;                                // loss of everything
        std::int32_t step = 0;                                 // sets
        std::vector<std::int32_t> value;                       // by row: position or code
        std::vector<BulkVector<std::uint32_t>> words;          // bits: by word and row
        std::vector<std::int32_t> first_row_of, rows_by_code;  // listed
        const shoal::Attribute* source = nullptr;              // tree
        std::vector<std::int32_t> node_loss;                   // tree
        std::vector<std::int32_t> pair_loss;                   // tree of few codes: [low][high]
    };

    explicit CoverLoss(const Records& records);

    std::size_t rows() const { return rows_; }
    std::size_t attributes() const { return attributes_.size(); }
    // Real loss of one unit of fixed loss.
    double unit() const { return unit_; }

    const Attribute& attribute(std::size_t j) const { return attributes_[j]; }
    // Positions of intervals, codes of all others, attribute by attribute.
    std::span<const std::int32_t> values(std::int32_t row) const {
        return {table_.data() + static_cast<std::size_t>(row) * attributes_.size(),
                attributes_.size()};
    }
    // What the values from the lowest to the highest lose; not for sets.
    std::int32_t ordered_loss(std::size_t j, std::int32_t low, std::int32_t high) const;

    // A hull is an array of one part an attribute; `members` are the rows that it holds already.
    void open(HullPart* hull, std::int32_t row) const;
    void add(HullPart* hull, std::span<const std::int32_t> members, std::int32_t row) const;
    void close(HullPart* hull, std::span<const std::int32_t> members) const;
    std::int32_t loss(const HullPart* hull) const;
    std::int32_t loss_adding(const HullPart* hull, std::span<const std::int32_t> members,
                             std::int32_t row) const;
    // Whether the closure covers a row. A row that costs nothing need not be covered: a missing
    // number beside the whole range of numbers loses no more than that range.
    bool covers(const HullPart* hull, std::span<const std::int32_t> members,
                std::int32_t row) const;
    // How much the hull's loss grows with each row of the table.
    void growths(const HullPart* hull, std::span<const std::int32_t> members,
                 std::int32_t* growth) const;

  private:
    std::int32_t tree_loss(const Attribute& attribute, std::int32_t low, std::int32_t high) const;
    std::int32_t part_adding(std::size_t j, const HullPart& part,
                             std::span<const std::int32_t> members, std::int32_t row) const;
    static bool listed_holds(const Attribute& attribute, std::span<const std::int32_t> members,
                             std::int32_t code);
    void tree_table(const Attribute& attribute, const HullPart& part,
                    std::vector<std::int32_t>& table) const;

    std::size_t rows_ = 0;
    double unit_ = 1.0;
    std::vector<Attribute> attributes_;
    std::vector<std::int32_t> table_;  // all values, row by row
};

}  // namespace shoal
