// Closures around a record and the records near it that may join: what searches through closures
// share.
//
// A box stands for all closures that hold certain values and leave out others. The closure of the
// box with one more record alone loses no more than any class that holds it. A box is divided by a
// value: its closures hold the value, or none of the records that need it may join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/bound_losses.hpp"

namespace shoal::bounding {

struct Box {
    struct Part {
        std::uint32_t low, high;
        std::uint32_t count;  // set only: codes held
        Units loss;
    };
    struct Value {
        std::uint32_t attribute, code;
    };
    struct Candidate {
        Units loss;  // of the closure with it
        std::uint32_t place;
    };
    std::vector<Part> parts;
    std::vector<Value> held;            // codes of sets
    std::vector<Candidate> candidates;  // records that may join, cheapest first
    Units loss = 0;
};

class Boxes {
  public:
    struct Near {
        Units loss;          // with the record alone
        std::int32_t row;    // of the table
        std::int64_t count;  // records of the row that may join
    };
    // A value that closures hold or leave out. Of an interval one of its ends, of a tree all codes
    // of a node, from low to high.
    struct Division {
        std::size_t attribute = 0;
        std::uint32_t low = 0, high = 0;
        std::int64_t weight = 0;  // records that need it
    };
    explicit Boxes(const Grid& grid);

    // The records near one, whose box comes first.
    Box start(std::size_t row, std::span<const Near> near);
    const Near& near(std::uint32_t place) const { return near_[place]; }
    std::size_t size() const { return near_.size(); }
    const std::uint32_t* codes(std::uint32_t place) const {
        return codes_.data() + place * grid_.width;
    }
    // The value that most of these records need.
    template <class Places>
    Division most_needed(const Box& box, const Places& places);
    // Boxes whose closures hold the value, and those without it; candidates that lose no less than
    // the ceiling are left out.
    struct Halves {
        Box with, without;
    };
    Halves divide(Box&& box, const Division& division, Units ceiling);

  private:
    void weigh(const Box& box, const std::uint32_t* codes, std::int64_t count);
    Division heaviest(const Box& box);
    bool needs(const Box::Part& part, const Division& division, std::uint32_t code) const;
    Units loss_with(std::size_t attribute, const Box::Part& part, std::uint32_t code) const;
    void mark(const Box& box, bool held);

    const Grid& grid_;
    std::vector<Near> near_;
    std::vector<std::uint32_t> codes_;               // [place][attribute]
    std::vector<std::vector<std::uint8_t>> holds_;   // [attribute][code]: sets of the box at hand
    std::vector<std::vector<std::int64_t>> weight_;  // [attribute][code]: 0 between calls
    std::vector<Box::Value> weighed_;
    std::vector<Division> ends_;
    std::vector<Box::Candidate> same_, dearer_;
};

template <class Places>
Boxes::Division Boxes::most_needed(const Box& box, const Places& places) {
    mark(box, true);
    for (const auto& [place, count] : places) weigh(box, codes(place), count);
    mark(box, false);
    return heaviest(box);
}

}  // namespace shoal::bounding
