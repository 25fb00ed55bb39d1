// What a record loses at least, whatever class it is in: the loss of the cheapest closure that
// holds it and k records, and the values that a class needs.
//
// Boxes (boxes.hpp) are searched best first. Of k records that may still join, the one that costs
// most bounds the loss of every class of the box. Where the search is cut short, the least bound of
// all boxes left is what was proved.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/bound_pricing.hpp"
#include "exact/boxes.hpp"

namespace shoal::bounding {

// One for each thread.
class LeastBox {
  public:
    LeastBox(const Grid& grid, const NearRows& near, std::int64_t k,
             const RequiredValues& required = {});

    struct Found {
        Units loss = 0;      // no class of k records with the row loses less
        bool whole = false;  // more effort would not raise it
    };

    // Looks for closures that lose less than `ceiling`, which is what is proved if there are none.
    // `effort` is how many rows are looked at, all boxes together.
    Found search(std::size_t row, Units ceiling, std::int64_t effort);

  private:
    struct Node : Box {
        Units bound = 0;
        std::int64_t number = 0;
    };

    void gather(std::size_t row, Units ceiling, std::size_t most);
    // The loss of the closure that holds k records at least, and the values that a class needs; -1
    // if so many may not join.
    Units bound_of(const Box& box);
    Boxes::Division division(const Node& node);
    void push(Box&& box, Units bound);
    Node pop();

    const Grid& grid_;
    const NearRows& near_rows_;
    std::int64_t k_;
    RequiredValues required_;
    std::vector<std::uint64_t> seen_;  // [value]: the box in which it was
    std::uint64_t box_ = 0;
    Boxes boxes_;
    Units ceiling_ = 0;
    std::int64_t effort_ = 0;
    std::int64_t nodes_ = 0;
    std::vector<Boxes::Near> near_;
    std::vector<Node> open_;  // a heap
    std::vector<std::pair<std::uint32_t, std::int64_t>> places_;
};

}  // namespace shoal::bounding
