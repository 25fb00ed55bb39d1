// How often each value occurs in a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
    std::uint32_t low() const { return held_.front().code; }
    std::uint32_t high() const { return held_.back().code; }
    std::span<const Held> held() const { return held_; }

    std::int32_t count(std::uint32_t code) const;
    bool contains(std::uint32_t code) const { return count(code) > 0; }
    bool add(std::uint32_t code, std::int32_t count);     // true if the code is new
    bool remove(std::uint32_t code, std::int32_t count);  // true if none of the code is left
    void unite(const Values& other);
    // These and no others, in any order; a code may come more than once.
    void assign(std::span<const Held> held);
    void clear() { held_.clear(); }

    // Calls visit(code, records of either) for every code that `this` or `other` holds.
    template <class Visit>
    void for_each_united(const Values& other, Visit visit) const {
        std::size_t a = 0, b = 0;
        while (a < held_.size() || b < other.held_.size()) {
            const bool left = b == other.held_.size() ||
                              (a < held_.size() && held_[a].code <= other.held_[b].code);
            const bool right = a == held_.size() ||
                               (b < other.held_.size() && other.held_[b].code <= held_[a].code);
            const std::uint32_t code = left ? held_[a].code : other.held_[b].code;
            const std::int32_t count =
                (left ? held_[a].count : 0) + (right ? other.held_[b].count : 0);
            a += left;
            b += right;
            visit(code, count);
        }
    }

  private:
    std::size_t place(std::uint32_t code) const;  // of the first code not below it

    std::vector<Held> held_;
};

}  // namespace shoal
