// Pricing by closures: which class led by a record costs least compared with its prices?
//
// Boxes (boxes.hpp) are searched best first. A class that loses L holds only records that may join
// its box for L, so the dearest of these bound what it is worth. A box is divided by a value that
// many of the records need on which its bound rests. Where the search is cut short, the least bound
// of all boxes left is what was proved. There are no fees here: `LeaderPricing` knows them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/bound_pricing.hpp"
#include "exact/boxes.hpp"

namespace shoal::bounding {

// One for each thread.
class BoxPricing {
  public:
    BoxPricing(const Grid& grid, const NearRows& near, const PricingLimits& limits);

    // As `LeaderPricing::price`, without fees: a class is led by the member that comes first in
    // the order of `ranks`, highest first, and no price is above the rank.
    Units price(std::size_t leader, std::span<const Units> ranks, std::span<const Units> prices,
                PricedClasses& found);
    std::int64_t effort() const { return effort_; }

  private:
    struct Node : Box {
        Units bound = 0;   // of what its classes cost less their prices
        Units widest = 0;  // the loss of the classes that the bound rests on
        std::int64_t number = 0;
    };
    struct Top {  // a record that may join
        Units price;
        std::uint32_t place;
    };
    struct Kept {
        Units reduced;
        Units cost;
        std::vector<std::int32_t> members;
    };

    void gather();
    bool spent(std::int64_t end);
    // `is_new`: no box looked at before has this closure.
    void push(Box&& box, Units bound, bool is_new);
    Node pop();
    Boxes::Division division(const Node& node);
    void insert(const Box::Candidate& candidate);
    Units value(Units loss, std::size_t& taken) const;
    void keep(Units reduced, Units loss, std::size_t taken);

    const Grid& grid_;
    const NearRows& near_rows_;
    PricingLimits limits_;
    Boxes boxes_;
    std::span<const Units> ranks_, prices_;
    std::size_t leader_ = 0;
    std::vector<Boxes::Near> near_;
    std::vector<Node> open_;  // a heap
    std::vector<Top> tops_;   // dearest first, as many as a class may hold beside the leader
    std::vector<Kept> kept_;
    std::size_t kept_count_ = 0;
    Units best_ = 0;  // least of cost less prices found so far
    std::int64_t nodes_ = 0;
    std::int64_t effort_ = 0;
    std::int64_t effort_asked_ = 0;  // when `over` is asked next
    std::vector<std::pair<std::uint32_t, std::int64_t>> places_;
};

}  // namespace shoal::bounding
