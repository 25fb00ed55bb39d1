// Losses on a grid of integers, rounded down, so that what is proved with them is exact.
//
// A unit is a small power of two. Every loss here is at most the true one: rounded down, and one
// unit less, since the products and differences of floating-point numbers behind it could have been
// rounded up. It never falls when a closure grows, and a value that adds nothing to the loss of a
// closure adds nothing to that of any larger one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/records.hpp"

namespace shoal::bounding {

// Loss in units.
using Units = std::int64_t;

struct GridAttribute {
    Kind kind = Kind::set;
    const Attribute* source = nullptr;
    std::uint32_t code_count = 0;
    Units whole = 0;               // loss of everything
    Units step = 0;                // set only
    std::vector<Units> positions;  // interval only
    std::vector<Units> node_loss;  // tree only

    Units interval(std::uint32_t low, std::uint32_t high) const {
        const Units width = positions[high] - positions[low];
        return width < whole ? width : whole;
    }
    Units set(std::uint32_t count) const {
        const Units loss = static_cast<Units>(count - 1) * step;
        return loss < whole ? loss : whole;
    }
    Units tree(std::uint32_t low, std::uint32_t high) const {
        return node_loss[static_cast<std::size_t>(source->common_ancestor(low, high))];
    }
    // Of a class with these two codes.
    Units pair(std::uint32_t a, std::uint32_t b) const {
        switch (kind) {
            case Kind::interval:
                return a < b ? interval(a, b) : interval(b, a);
            case Kind::set:
                return a == b ? 0 : set(2);
            case Kind::tree:
                return a < b ? tree(a, b) : tree(b, a);
            case Kind::all_or_nothing:
                break;
        }
        return a == b ? 0 : whole;
    }
    Units of(std::vector<std::uint32_t>& codes) const;  // of a class with these; sorts them
};

// The rows of a table and their losses in units.
class Grid {
  public:
    // `largest_class` records times a loss must fit a `Units`, with room to spare.
    Grid(const Records& records, std::int64_t largest_class);

    std::size_t rows() const { return counts.size(); }
    const std::uint32_t* codes(std::size_t row) const { return codes_.data() + row * width; }
    Units pair(std::size_t a, std::size_t b) const;
    Units of(std::span<const std::int32_t> class_rows) const;  // of a class with these

    std::size_t width = 0;  // attributes
    std::vector<GridAttribute> attributes;
    std::vector<std::int32_t> counts;
    std::int64_t total = 0;
    double unit = 0.0;  // loss of one unit
    Units whole = 0;    // loss of a suppressed record

  private:
    std::vector<std::uint32_t> codes_;  // [row][attribute]
};

}  // namespace shoal::bounding
