// The rows near a row: those that lose little together with it.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/bound_losses.hpp"
#include "shoal/common/control.hpp"

namespace shoal::bounding {

// Rows in cells of similar ones, each cell with the ranges of its codes.
class NearRows {
  public:
    NearRows(const Records& records, const Grid& grid, const Control& control);

    // Calls visit(row, loss of the pair) for every row that loses less than `limit` with `row`.
    template <class Visit>
    void for_each_near(std::size_t row, Units limit, Visit visit) const;

  private:
    static constexpr std::size_t cell_size = 32;
    static constexpr std::uint32_t mask_codes = 64;
    struct Range {
        std::uint32_t low, high;
        std::uint64_t mask;  // codes held, of small domains
    };
    Units gap(std::size_t attribute, const Range& range, std::uint32_t code) const;

    static constexpr std::size_t no_table = static_cast<std::size_t>(-1);
    static constexpr std::uint32_t most_codes = 512;  // of a domain with a table of losses

    const Grid& grid_;
    std::vector<std::size_t> table_starts_;  // of each attribute; or none
    std::size_t table_size_ = 0;
    std::vector<std::int32_t> rows_;   // grouped by cell
    std::vector<std::size_t> starts_;  // of each cell, and the end
    std::vector<Range> ranges_;        // [cell][attribute]
};

inline Units NearRows::gap(std::size_t attribute, const Range& range, std::uint32_t code) const {
    const GridAttribute& a = grid_.attributes[attribute];
    if (a.kind == Kind::set || a.kind == Kind::all_or_nothing) {
        const bool within = a.code_count <= mask_codes ? (range.mask >> code & 1) != 0
                                                       : code >= range.low && code <= range.high;
        return within ? 0 : a.pair(code, code + 1);  // all other codes are equally far
    }
    if (code < range.low) return a.pair(code, range.low);
    if (code > range.high) return a.pair(range.high, code);
    return 0;
}

template <class Visit>
void NearRows::for_each_near(std::size_t row, Units limit, Visit visit) const {
    const std::uint32_t* codes = grid_.codes(row);
    const std::size_t width = grid_.width;
    // What each code of small domains loses with that of the row, looked up from here on.
    std::vector<Units> losses(table_size_);
    for (std::size_t j = 0; j < width; ++j) {
        if (table_starts_[j] == no_table) continue;
        for (std::uint32_t code = 0; code < grid_.attributes[j].code_count; ++code) {
            losses[table_starts_[j] + code] = grid_.attributes[j].pair(codes[j], code);
        }
    }
    for (std::size_t cell = 0; cell + 1 < starts_.size(); ++cell) {
        const Range* ranges = ranges_.data() + cell * width;
        Units least = 0;
        for (std::size_t j = 0; j < width && least < limit; ++j) {
            least += gap(j, ranges[j], codes[j]);
        }
        if (least >= limit) continue;
        for (std::size_t i = starts_[cell]; i < starts_[cell + 1]; ++i) {
            const std::uint32_t* theirs = grid_.codes(static_cast<std::size_t>(rows_[i]));
            Units loss = 0;
            for (std::size_t j = 0; j < width; ++j) {
                const std::size_t start = table_starts_[j];
                loss += start == no_table ? grid_.attributes[j].pair(codes[j], theirs[j])
                                          : losses[start + theirs[j]];
            }
            if (loss < limit) visit(rows_[i], loss);
        }
    }
}

}  // namespace shoal::bounding
