#include "shoal/recent_classes.hpp"

#include <algorithm>

namespace shoal {

void RecentClasses::open(std::size_t classes) {
    ids_.clear();
    place_.assign(classes, -1);
    board_.resize(0);
    usable_ = true;
}

void RecentClasses::set(std::size_t c, const ClassState& state, float preference) {
    if (!usable_) return;
    if (place_[c] < 0) {
        if ((ids_.size() + 1) * 2 > place_.size()) {
            usable_ = false;
            return;
        }
        place_[c] = static_cast<std::int32_t>(ids_.size());
        ids_.push_back(static_cast<std::int32_t>(c));
        constexpr std::size_t block = 64;
        if (ids_.size() > board_.size()) board_.resize(board_.size() + block);
    }
    const auto at = static_cast<std::size_t>(place_[c]);
    board_.set(at, state);
    board_.prefer(at, preference);
}

std::span<float> RecentClasses::scan(std::size_t row, std::span<const ClassState> states) {
    return board_.scan(row, states, ids_).first(ids_.size());
}

}  // namespace shoal
