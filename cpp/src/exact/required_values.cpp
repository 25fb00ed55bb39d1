#include "exact/required_values.hpp"

#include <algorithm>
#include <utility>

namespace shoal::bounding {

namespace {

template <class Worth>
bool dearer(const Worth& a, const Worth& b) {
    return a.price > b.price;
}

}  // namespace

bool RequiredValues::met_by(std::span<const std::int32_t> rows) const {
    if (!any()) return true;
    std::vector<std::int32_t> held;
    for (const std::int32_t row : rows) held.push_back(of_row[static_cast<std::size_t>(row)]);
    std::sort(held.begin(), held.end());
    return std::unique(held.begin(), held.end()) - held.begin() >= different;
}

void Company::open(std::int64_t different, std::int32_t value_of_leader) {
    lacking_ = static_cast<std::size_t>(different - 1);
    of_leader_ = value_of_leader;
    clear();
}

void Company::clear() {
    others_.clear();
    worth_.clear();
    sum_ = 0;
    count_ = 0;
}

bool Company::insert(Units price, std::int32_t value, std::int64_t copies, Units loss) {
    bool changed = false;
    if (price > loss) {
        worth_.push_back({price, copies});
        std::push_heap(worth_.begin(), worth_.end(), dearer<Worth>);
        sum_ += price * copies;
        count_ += copies;
        changed = true;
    }
    if (value == of_leader_) return changed;
    auto place = std::find_if(others_.begin(), others_.end(),
                              [&](const Best& best) { return best.value == value; });
    if (place != others_.end()) {
        if (place->price >= price) return changed;
        place->price = price;
    } else if (others_.size() < lacking_) {
        place = others_.insert(others_.end(), {price, value});
    } else {
        if (others_.back().price >= price) return changed;
        place = others_.end() - 1;
        *place = {price, value};
    }
    for (; place != others_.begin() && (place - 1)->price < place->price; --place) {
        std::swap(*place, *(place - 1));
    }
    return true;
}

Units Company::surplus(Units loss) {
    while (!worth_.empty() && worth_.front().price <= loss) {
        sum_ -= worth_.front().price * worth_.front().copies;
        count_ -= worth_.front().copies;
        std::pop_heap(worth_.begin(), worth_.end(), dearer<Worth>);
        worth_.pop_back();
    }
    return sum_ - count_ * loss;
}

Units Company::given_up(Units price) const {
    Units sum = 0;
    for (const Best& best : others_) sum += std::max<Units>(0, price - best.price);
    return sum;
}

}  // namespace shoal::bounding
