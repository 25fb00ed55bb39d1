#pragma once

#include <cstdint>

namespace shoal::bounding {

// How far prices move towards those of the pool in a round, and how long leaders are searched.
class PriceSteps {
  public:
    explicit PriceSteps(std::int64_t k);

    // The part of the way that is taken.
    double reach() const { return reach_; }
    bool is_least() const;

    // Rows looked at for a leader.
    std::int64_t effort() const { return effort_; }
    bool is_greatest_effort() const;
    void search_longer() { effort_ *= 4; }

    // Chooses the next reach after a round of so much effort, of whose step the part `kept` was
    // proved.
    void choose_reach(double kept, std::int64_t effort);

    // From now on, leaders do not pay for their classes.
    void end_lowering();

    // Begins again after cuts were added.
    void restart();

  private:
    bool is_large_;
    double reach_;
    std::int64_t effort_;
    std::int64_t effort_before_ = 0;  // of the round before
};

}  // namespace shoal::bounding
