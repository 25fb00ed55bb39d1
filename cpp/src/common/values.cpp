#include "shoal/common/values.hpp"

#include <algorithm>
#include <utility>

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
    const Held* const held = held_.data();
    return at < held_.size() && held[at].code == code ? held[at].count : 0;
}

bool Values::add(std::uint32_t code, std::int32_t count) {
    const std::size_t at = place(code);
    Held* const held = held_.data();
    if (at < held_.size() && held[at].code == code) {
        held[at].count += count;
        return false;
    }
    held_.insert(at, {code, count});
    return true;
}

bool Values::remove(std::uint32_t code, std::int32_t count) {
    const std::size_t at = place(code);
    Held& each = held_[at];
    each.count -= count;
    if (each.count > 0) return false;
    held_.erase(at);
    return true;
}

void Values::assign(std::span<Held> held) {
    std::sort(held.begin(), held.end(),
              [](const Held& a, const Held& b) { return a.code < b.code; });
    std::size_t distinct = 0;
    for (const Held& each : held) {
        if (distinct > 0 && held[distinct - 1].code == each.code) {
            held[distinct - 1].count += each.count;
        } else {
            held[distinct++] = each;
        }
    }
    held_.assign(held.first(distinct));
}

void Values::unite(const Values& other) {
    decltype(held_) both;
    both.reserve(held_.size() + other.held_.size());
    for_each_united(other, [&both](std::uint32_t code, std::int32_t count) {
        both.insert(both.size(), {code, count});
    });
    held_ = std::move(both);
}

}  // namespace shoal
