#include "shoal/values.hpp"

#include <algorithm>

namespace shoal {

std::size_t Values::place(std::uint32_t code) const {
    if (held_.size() <= 16) {
        std::size_t at = 0;
        while (at < held_.size() && held_[at].code < code) ++at;
        return at;
    }
    const auto found =
        std::lower_bound(held_.begin(), held_.end(), code,
                         [](const Held& each, std::uint32_t wanted) { return each.code < wanted; });
    return static_cast<std::size_t>(found - held_.begin());
}

std::int32_t Values::count(std::uint32_t code) const {
    const std::size_t at = place(code);
    return at < held_.size() && held_[at].code == code ? held_[at].count : 0;
}

bool Values::add(std::uint32_t code, std::int32_t count) {
    const std::size_t at = place(code);
    if (at < held_.size() && held_[at].code == code) {
        held_[at].count += count;
        return false;
    }
    held_.insert(held_.begin() + static_cast<std::ptrdiff_t>(at), {code, count});
    return true;
}

bool Values::remove(std::uint32_t code, std::int32_t count) {
    const std::size_t at = place(code);
    held_[at].count -= count;
    if (held_[at].count > 0) return false;
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
}

void Values::unite(const Values& other) {
    std::vector<Held> both;
    both.reserve(held_.size() + other.held_.size());
    for_each_united(
        other, [&both](std::uint32_t code, std::int32_t count) { both.push_back({code, count}); });
    held_ = std::move(both);
}

}  // namespace shoal
