// What the values that records need take off their prices.
//
// A class pays for every value that its box does not hold, k times or more: once for each member.
// A record can join only with all values that it needs, so its price may be set against any of
// them, shared in any way, as long as no value takes more than it costs. Only the rest can make
// the class a bargain. (This is a flow in the network whose least cut is the best closure; any
// flow proves a bound.)
#pragma once

#include <cstdint>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/boxes.hpp"

namespace shoal::bounding {

// One for each thread.
class BoxNeeds {
  public:
    explicit BoxNeeds(const Grid& grid);

    // From here on, every value takes `times` what it adds to the loss of this box.
    void open(const Box& box, Units times);
    // Sets an amount against the values that a record needs; returns what is left.
    Units rest(const std::uint32_t* codes, Units amount);

  private:
    // What a value may still take; those of earlier boxes are out of date.
    struct Capacity {
        std::uint32_t box = 0;
        Units left = 0;
    };
    void take(std::size_t attribute, std::uint32_t value, Units cost, Units& amount);
    void take_of_interval(std::size_t attribute, std::uint32_t code, Units& amount);
    void take_of_tree(std::size_t attribute, std::uint32_t code, Units& amount);

    const Grid& grid_;
    const Box* box_ = nullptr;
    Units times_ = 0;
    std::uint32_t number_ = 0;        // of the box
    std::vector<std::size_t> order_;  // in which attributes take
    std::vector<bool> adds_up_;  // whether the values of a closure cost what they cost one by one
    std::vector<std::vector<Capacity>> capacity_;  // [attribute][value]
};

}  // namespace shoal::bounding
