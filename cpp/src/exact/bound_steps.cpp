#include "exact/bound_steps.hpp"

#include <algorithm>
#include <cmath>

namespace shoal::bounding {

namespace {

constexpr std::int64_t first_effort = 1'000'000;
constexpr std::int64_t greatest_effort = 30'000'000;
constexpr double first_reach = 0.2;
constexpr double reach_without_lowering = 0.5;
constexpr double least_reach = 0.05;
// Searches through large classes are short only while prices are near those that need none, and
// a round takes long: small steps, the first one excepted.
constexpr std::int64_t large_k = 8;
constexpr double first_reach_if_large = 0.15;
constexpr double later_reach_if_large = 0.6;  // of the first one
constexpr double most_growth = 4.0;           // of a round's effort over that of the one before

double first_reach_for(bool is_large) { return is_large ? first_reach_if_large : first_reach; }

}  // namespace

PriceSteps::PriceSteps(std::int64_t k)
    : is_large_(k >= large_k), reach_(first_reach_for(is_large_)), effort_(first_effort) {}

bool PriceSteps::is_least() const { return reach_ <= least_reach; }

bool PriceSteps::is_greatest_effort() const { return effort_ >= greatest_effort; }

// Prices too near those of a poor pool prove little, and take long to search.
void PriceSteps::choose_reach(double kept, std::int64_t effort) {
    const double growth = static_cast<double>(effort) /
                          static_cast<double>(std::max<std::int64_t>(effort_before_, 1));
    if (is_large_ && effort_before_ == 0) {
        reach_ *= later_reach_if_large;
    } else if (is_large_ && growth > most_growth) {
        reach_ = std::max(least_reach, reach_ * std::log(most_growth) / std::log(growth));
    } else if (kept > 0.6) {
        reach_ = std::min(0.9, 1.2 * reach_);
    }
    if (kept < 0.4) reach_ = std::max(least_reach, 0.7 * reach_);
    effort_before_ = effort;
}

void PriceSteps::end_lowering() { reach_ = reach_without_lowering; }

void PriceSteps::restart() {
    reach_ = first_reach_for(is_large_);
    effort_ = first_effort;
}

}  // namespace shoal::bounding
