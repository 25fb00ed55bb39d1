#include "scan/changed_classes.hpp"

#include <algorithm>

namespace shoal {

void ChangedClasses::open(std::size_t classes) {
    ids_.clear();
    place_.assign(classes, -1);
    class_columns_.resize(0);
    usable_ = true;
}

void ChangedClasses::set(std::size_t c, const ClassState& state, float preference) {
    if (!usable_) return;
    if (place_[c] < 0) {
        if ((ids_.size() + 1) * 2 > place_.size()) {
            usable_ = false;
            return;
        }
        place_[c] = static_cast<std::int32_t>(ids_.size());
        ids_.push_back(static_cast<std::int32_t>(c));
        constexpr std::size_t block = 64;
        if (ids_.size() > class_columns_.size())
            class_columns_.resize(class_columns_.size() + block);
    }
    const auto at = static_cast<std::size_t>(place_[c]);
    class_columns_.set(at, state);
    class_columns_.prefer(at, preference);
}

std::span<float> ChangedClasses::scan(std::size_t row, std::span<const ClassState> states) {
    return class_columns_.scan(row, states, ids_).first(ids_.size());
}

}  // namespace shoal
