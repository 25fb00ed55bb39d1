// Mends a class that breaks a model by exchanging records, one for one, with classes near it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clustering/repair_classes.hpp"

namespace shoal::repairing {

class ExchangeSearch {
  public:
    ExchangeSearch(RepairClasses& classes, const Control& control)
        : classes_(classes), control_(control) {}

    // Exchanges records with near classes while the cost stays below the limit, and logs that.
    // Returns the cost, or infinity if the class is still broken.
    double mend(std::int32_t c, std::span<const std::int32_t> near, double limit,
                std::vector<Transfer>& log);

  private:
    struct Candidate {
        std::int32_t row;
        double change;     // of the total loss if it alone went to the other class
        double shortfall;  // of the broken class then
    };
    struct Exchange {
        std::int32_t out, in, with;
        double cost;   // as estimated, then exact
        double lower;  // by so much the shortfall falls
    };

    // Of records with the same protected values the one of least change; of those the ones with
    // which class c is least short, `change` records of each joining it.
    void keep_best(std::vector<Candidate>& candidates, std::int32_t c, std::int32_t change);
    bool kind_less(std::int32_t a, std::int32_t b) const;
    Exchange find_exchange(std::int32_t c, double shortfall);
    double exchange_cost(std::int32_t c, std::int32_t out, std::int32_t in);

    RepairClasses& classes_;
    const Control& control_;
    std::span<const std::int32_t> near_;
    std::vector<Piece> own_members_;
    std::vector<double> leaving_;
    std::vector<Candidate> outs_, ins_;
    std::vector<Exchange> pairs_;
    ClassHistogram scratch_;
    ClassState state_;
};

}  // namespace shoal::repairing
