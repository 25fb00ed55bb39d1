// Pricing by closures: which class led by a record costs least compared with its prices?
//
// Boxes (boxes.hpp) are searched best first. A class that loses L holds only records that may join
// its box for L, so the dearest of these bound what it is worth. A box is divided by a value that
// many of the records need on which its bound rests. What these values cost all members together
// raises the bound (box_needs.hpp). Where the search is cut short, the least bound
// of all boxes left is what was proved. There are no fees here: `LeaderPricing` knows them. Here
// alone classes may need different values (required_values.hpp), and then have any size from k on.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exact/bound_losses.hpp"
#include "exact/bound_pricing.hpp"
#include "exact/box_needs.hpp"
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
        Units bound = 0;      // of what its classes cost less their prices
        Units widest = 0;     // the loss of the classes that the bound rests on
        Units threshold = 0;  // the least price of their members
        Units bringing = 0;   // the same of those that bring values that classes need
        std::int64_t number = 0;
    };
    struct Level {  // of the classes that lose this much, up to the next level
        Units loss;
        Units least;    // no class costs less, compared with its prices
        Units any;      // nor one without the values that classes need
        Units dearest;  // what a further member may be worth without being a better one
    };

    void gather();
    bool spent(std::int64_t end);
    // `is_new`: no box looked at before has this closure.
    void push(Box&& box, Units bound, bool is_new);
    Node pop();
    Boxes::Division division(const Node& node);
    void clear_tops();
    bool insert(std::uint32_t place, Units loss);
    std::size_t taken(Units loss) const;
    Level level_of(Units loss);
    Units raise(const Box& box, Units bound, Units threshold);
    Units bound_by_needs(const Box& box, Units price, Units enough);
    void drop_useless(std::vector<Box::Candidate>& candidates);
    void keep(Units reduced, const Box& box);
    void keep_with_values(const Box& box);
    std::int32_t value_of(std::uint32_t place) const {
        return limits_.required.of(static_cast<std::size_t>(boxes_.near(place).row));
    }

    const Grid& grid_;
    const NearRows& near_rows_;
    PricingLimits limits_;
    Boxes boxes_;
    BoxNeeds needs_;
    std::span<const Units> ranks_, prices_;
    std::size_t leader_ = 0;
    std::vector<Boxes::Near> near_;
    std::vector<Node> open_;       // a heap
    std::vector<Units> price_of_;  // [place]
    // Highest prices of the records that may join, in falling order: as many as the least class
    // holds beside the leader, and further ones that are worth more than they lose.
    std::vector<Units> tops_;
    Units sum_ = 0;    // of those of the least class
    Company company_;  // used where classes need values
    std::vector<Level> levels_;
    CheapestClasses kept_;
    Units best_ = 0;  // least of cost less prices found so far
    std::int64_t nodes_ = 0;
    std::int64_t effort_ = 0;
    std::int64_t effort_asked_ = 0;  // when `over` is asked next
    std::vector<std::pair<std::uint32_t, std::int64_t>> places_;
};

}  // namespace shoal::bounding
