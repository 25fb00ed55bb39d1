// Pricing: which classes cost less than the prices of their records add up to?
//
// Prices that no class undercuts add up to a lower bound of every division into classes. To find
// the classes that do, each is looked for from its leader, the member of the highest price (of
// equal ones the earliest row): its loss per record is below that price, so that only rows near
// the leader matter. Fees for cuts (bound_cuts.hpp) only make classes dearer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "exact/bound_cuts.hpp"
#include "exact/bound_losses.hpp"
#include "exact/bound_near_rows.hpp"
#include "exact/priced_classes.hpp"
#include "exact/required_values.hpp"

namespace shoal::bounding {

struct PricingLimits {
    std::int64_t k = 2;
    std::size_t columns = 24;  // at most so many of a leader
    Units spread = 2;          // classes are looked for down to this part of the best one's gain
    std::int64_t effort = 100'000;  // rows looked at for a leader; then bounds take over
    std::function<bool()> over =
        nullptr;                // asked now and then; says that no more effort is worth while
    RequiredValues required{};  // of every class: for pricing by closures
};

// Prices the classes of one leader after another. One for each thread.
class LeaderPricing {
  public:
    LeaderPricing(const Grid& grid, const NearRows& near, const PricingLimits& limits);

    // Returns the least of cost and fees less prices over all classes led by `leader`, or a proved
    // lower bound of it where the search was too long; 0 if no class costs less than its prices.
    // Adds some of the classes that cost least compared with their prices.
    Units price(std::size_t leader, std::span<const Units> prices, const Fees& fees,
                PricedClasses& found);
    std::int64_t effort() const { return effort_; }

  private:
    struct Part {
        std::uint32_t low, high;
        std::uint32_t count;  // set only: codes held
        std::uint64_t mask;   // set only, small domains
        Units loss;
    };
    struct Candidate {
        Units loss;  // of the closure with it
        Units price;
        std::uint32_t place;  // among the rows near the leader
    };
    struct Free {  // a record that costs nothing more
        Units price;
        std::int32_t row;
    };
    // The classes that hold certain rows, and any of the candidates and free records. Rows with a
    // fee are never free: what they cost depends on the company.
    struct Node {
        std::vector<Part> parts;
        std::vector<std::uint32_t> held;      // [attribute][..]: codes of large sets
        std::vector<Candidate> candidates;    // highest price first
        std::vector<std::uint32_t> by_loss;   // places among the candidates
        std::vector<std::uint32_t> excluded;  // near rows that no class here holds
        std::vector<Free> free;               // the best, highest price first
        Units loss = 0;
        Units lowest = 0;  // price of the rows that it holds, but for the leader
        Units bound = 0;   // of the classes not yet looked at
    };
    struct Near {
        Units loss;
        std::int32_t row;
    };

    void visit(std::size_t depth);
    bool open_child(std::size_t depth, std::size_t candidate);
    Units bound_from(const Node& node, std::size_t candidate);
    Units bound_of(const Node& node, const Candidate& candidate, Units fee) const;
    void sort_in(Node& node, std::uint32_t place, Units loss, std::int64_t copies,
                 std::size_t most) const;
    std::int64_t copies_left(std::size_t row) const;
    bool can_be_best(const Node& node, Units price, Units loss, std::size_t size) const;
    Units value(const std::vector<Free>& free, Units loss, std::size_t& taken) const;
    void insert_free(std::vector<Free>& free, Units price, std::int32_t row, std::int64_t copies,
                     std::size_t most) const;
    void keep(Units reduced, Units cost, const Node& node, std::size_t taken);
    Units loss_adding(const Node& node, const std::uint32_t* codes) const;
    void grow(Node& node, const std::uint32_t* codes) const;
    bool spent();
    Units cutoff() const { return best_ / limits_.spread; }

    const Grid& grid_;
    const NearRows& near_rows_;
    PricingLimits limits_;
    std::span<const Units> prices_;
    const Fees* fees_ = nullptr;
    std::vector<std::int32_t> held_;  // weight of the forced rows in each cut
    std::size_t leader_ = 0;
    std::vector<Near> near_;
    std::vector<std::uint32_t> near_codes_;
    std::vector<Node> nodes_;
    std::vector<Free> scratch_;
    std::vector<std::int32_t> forced_;
    Units forced_price_ = 0;  // less their fees
    CheapestClasses kept_;
    Units best_ = 0;   // least of cost less prices found so far
    Units bound_ = 0;  // lower bound of all classes that were not looked at
    std::int64_t effort_ = 0;
    std::int64_t effort_end_ = 0;
    std::int64_t effort_asked_ = 0;  // when `over` is asked next
};

}  // namespace shoal::bounding
