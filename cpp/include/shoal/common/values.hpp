// How often each value occurs in a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shoal/common/small_array.hpp"

// How many values a class keeps inside the object: with what else is known of an attribute, as many
// as fill a cache line. A study compares other numbers.
#ifndef SHOAL_VALUES_INSIDE
#define SHOAL_VALUES_INSIDE 6
#endif

namespace shoal {

struct Held {
    std::uint32_t code;
    std::int32_t count;
};

// The values a class holds of one column, ascending, each with its number of records. A class
// holds few values whatever the size of the domain, so that a sorted array serves every kind of
// attribute: its ends and their neighbours, its length and one search give every closure, also
// the one without a record.
class Values {
  public:
    bool empty() const { return held_.empty(); }
    std::uint32_t distinct() const { return static_cast<std::uint32_t>(held_.size()); }
    std::uint32_t low() const { return held_[0].code; }
    std::uint32_t high() const { return held_[held_.size() - 1].code; }
    std::span<const Held> held() const { return held_.all(); }

    std::int32_t count(std::uint32_t code) const;
    bool contains(std::uint32_t code) const { return count(code) > 0; }
    bool add(std::uint32_t code, std::int32_t count);     // true if the code is new
    bool remove(std::uint32_t code, std::int32_t count);  // true if none of the code is left
    void unite(const Values& other);
    // These and no others, in any order; a code may come more than once. Sorts what it is given.
    void assign(std::span<Held> held);
    void clear() { held_.clear(); }

    // Calls visit(code, records of either) for every code that `this` or `other` holds.
    template <class Visit>
    void for_each_united(const Values& other, Visit visit) const {
        const std::span<const Held> mine = held(), theirs = other.held();
        std::size_t a = 0, b = 0;
        while (a < mine.size() || b < theirs.size()) {
            const bool left =
                b == theirs.size() || (a < mine.size() && mine[a].code <= theirs[b].code);
            const bool right =
                a == mine.size() || (b < theirs.size() && theirs[b].code <= mine[a].code);
            const std::uint32_t code = left ? mine[a].code : theirs[b].code;
            const std::int32_t count = (left ? mine[a].count : 0) + (right ? theirs[b].count : 0);
            a += left;
            b += right;
            visit(code, count);
        }
    }

  private:
    std::size_t place(std::uint32_t code) const;  // of the first code not below it

    SmallArray<Held, SHOAL_VALUES_INSIDE> held_;
};

}  // namespace shoal
