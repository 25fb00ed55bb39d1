#include "shoal/common/values.hpp"

#include <algorithm>

namespace shoal {

// Without branches on what is found: which one it is cannot be foreseen.
std::size_t Values::place(std::uint32_t code) const {
    const Held* first = held_.data();
    std::size_t left = held_.size();
    while (left > 8) {
        const std::size_t half = left / 2;
        first = first[half - 1].code < code ? first + half : first;
        left -= half;
    }
    std::size_t at = static_cast<std::size_t>(first - held_.data());
    for (std::size_t i = 0; i < left; ++i) at += first[i].code < code;
    return at;
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

void Values::assign(std::span<const Held> held) {
    held_.assign(held.begin(), held.end());
    std::sort(held_.begin(), held_.end(),
              [](const Held& a, const Held& b) { return a.code < b.code; });
    std::size_t distinct = 0;
    for (const Held& each : held_) {
        if (distinct > 0 && held_[distinct - 1].code == each.code) {
            held_[distinct - 1].count += each.count;
        } else {
            held_[distinct++] = each;
        }
    }
    held_.resize(distinct);
}

void Values::unite(const Values& other) {
    std::vector<Held> both;
    both.reserve(held_.size() + other.held_.size());
    for_each_united(
        other, [&both](std::uint32_t code, std::int32_t count) { both.push_back({code, count}); });
    held_ = std::move(both);
}

}  // namespace shoal
