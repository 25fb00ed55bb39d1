// What a record loses at least, whatever class it is in: the loss of the cheapest closure that
// holds it and k records.
//
// Closures are searched best first. A node stands for all closures that hold certain values and
// leave out others. Every record of a class is covered by its closure, so that the closure of the
// node with that record alone loses no more than the class does: of k records that may still join,
// the one that costs most bounds the loss of every class of the node. A node is divided by a
// value that many of these records need: its closures hold the value, or none of its records do.
// Where the search is cut short, the least bound of all nodes left is what was proved.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/bound_pricing.hpp"

namespace shoal::bounding {

// One for each thread.
class LeastBox {
  public:
    LeastBox(const Grid& grid, const NearRows& near, std::int64_t k);

    struct Found {
        Units loss = 0;      // no class of k records with the row loses less
        bool whole = false;  // more effort would not raise it
    };

    // Looks for closures that lose less than `ceiling`, which is what is proved if there are none.
    // `effort` is how many rows are looked at, all nodes together.
    Found search(std::size_t row, Units ceiling, std::int64_t effort);

  private:
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
    struct Node {
        std::vector<Part> parts;
        std::vector<Value> held;  // codes of sets beside those of the row
        std::vector<Candidate> candidates;
        Units loss = 0;
        Units bound = 0;
        std::int64_t number = 0;
    };
    // A value that closures hold or leave out. Of an interval one of its ends, of a tree all codes
    // of a node, from low to high.
    struct Division {
        std::size_t attribute = 0;
        std::uint32_t low = 0, high = 0;
        std::int64_t weight = 0;  // records that need it
    };

    void gather(std::size_t row, Units ceiling, std::size_t most);
    Node root(std::size_t row) const;
    // The loss of the closure that holds k records at least; -1 if so many may not join.
    Units bound_of(const Node& node);
    Division division(const Node& node);
    bool needs(const Part& part, const Division& division, std::uint32_t code) const;
    Units loss_with(std::size_t attribute, const Part& part, std::uint32_t code) const;
    void divide(Node& node, const Division& division);
    void push(Node&& node);
    Node pop();
    void mark(const Node& node, bool held);
    const std::uint32_t* codes(std::uint32_t place) const {
        return near_codes_.data() + place * grid_.width;
    }

    const Grid& grid_;
    const NearRows& near_rows_;
    std::int64_t k_;
    Units ceiling_ = 0;
    std::int64_t effort_ = 0;
    std::int64_t nodes_ = 0;
    std::vector<Candidate> near_;  // losses with the row alone; place is the row of the table
    std::vector<std::uint32_t> near_codes_;
    std::vector<std::int64_t> near_counts_;
    std::vector<Node> open_;                         // a heap
    std::vector<std::vector<std::uint8_t>> holds_;   // [attribute][code]: sets of the node at hand
    std::vector<std::vector<std::int64_t>> weight_;  // [attribute][code]: 0 between calls
    std::vector<Value> weighed_;
    std::vector<std::pair<Units, std::int64_t>> nearest_;
};

}  // namespace shoal::bounding
