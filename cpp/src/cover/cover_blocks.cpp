#include "cover/cover_blocks.hpp"

#include <algorithm>

#include "common/clones.hpp"

namespace shoal {

namespace {

constexpr std::size_t lanes = 16;

// Sizes are in lanes: no loop has a rest.
SHOAL_CLONED(void, add_constant, (std::int32_t cost, std::int32_t* sum, std::size_t size),
             (cost, sum, size)) {
    for (std::size_t c = 0; c < size * lanes; ++c) sum[c] += cost;
}

SHOAL_CLONED(void, add_lacking,
             (const std::uint32_t* bits, std::uint32_t lacking, std::int32_t cost,
              std::int32_t* sum, std::size_t size),
             (bits, lacking, cost, sum, size)) {
    for (std::size_t c = 0; c < size * lanes; ++c) sum[c] += bits[c] & lacking ? cost : 0;
}

SHOAL_CLONED(void, add_width,
             (const std::int32_t* values, std::int32_t low, std::int32_t high, std::int32_t limit,
              std::int32_t* sum, std::size_t size),
             (values, low, high, limit, sum, size)) {
    for (std::size_t c = 0; c < size * lanes; ++c) {
        const std::int32_t top = values[c] > high ? values[c] : high;
        const std::int32_t bottom = values[c] < low ? values[c] : low;
        const std::int32_t width = top - bottom;
        sum[c] += width < limit ? width : limit;
    }
}

}  // namespace

BlockCosts::BlockCosts(const CoverMembers& cover_members)
    : cover_members_(cover_members),
      sets_(cover_members.terms().sets.size()),
      listed_(cover_members.terms().listed.size()),
      ordered_(cover_members.terms().ordered.size()),
      numbers_(cover_members.terms().listed.size()) {
    for (std::size_t t = 0; t < numbers_.size(); ++t) {
        const std::size_t j = cover_members.terms().listed[t].attribute;
        numbers_[t].block.assign(cover_members.losses().attribute(j).code_count, 0);
        numbers_[t].number.assign(numbers_[t].block.size(), 0);
    }
}

void BlockCosts::Bits::clear(std::size_t number, std::size_t stride) {
    words.resize(number);
    seen.assign(number, 0);
    for (auto& each : words) {
        each.resize(stride);
        std::fill(each.begin(), each.end(), 0u);
    }
}

std::uint32_t BlockCosts::number_of(Numbers& numbers, std::size_t code) const {
    if (numbers.block[code] != block_) {
        numbers.block[code] = block_;
        numbers.number[code] = numbers.known++;
    }
    return numbers.number[code];
}

void BlockCosts::set_slots(std::span<const std::size_t> slots) {
    ++block_;
    slots_.assign(slots.begin(), slots.end());
    stride_ = (slots.size() + lanes - 1) / lanes * lanes;
    const CoverTerms& terms = cover_members_.terms();
    const CoverLoss& losses = cover_members_.losses();
    for (std::size_t t = 0; t < sets_.size(); ++t) {
        const std::size_t j = terms.sets[t].attribute;
        sets_[t].clear((losses.attribute(j).code_count + 31) / 32, stride_);
    }
    for (Bits& bits : listed_) bits.clear(stride_ / 32 + 1, stride_);
    for (Numbers& numbers : numbers_) numbers.known = 0;
    for (Ordered& ordered : ordered_) ordered.values.resize(stride_);
    for (std::size_t c = 0; c < stride_; ++c) {
        const auto values =
            losses.values(cover_members_.row(slots_[std::min(c, slots_.size() - 1)]));
        for (std::size_t t = 0; t < sets_.size(); ++t) {
            sets_[t].put(static_cast<std::uint32_t>(values[terms.sets[t].attribute]), c);
        }
        for (std::size_t t = 0; t < listed_.size(); ++t) {
            const auto code = static_cast<std::size_t>(values[terms.listed[t].attribute]);
            listed_[t].put(number_of(numbers_[t], code), c);
        }
        for (std::size_t t = 0; t < ordered_.size(); ++t) {
            Ordered& ordered = ordered_[t];
            const std::int32_t value = values[terms.ordered[t].attribute];
            ordered.values[c] = value;
            ordered.lowest = c == 0 ? value : std::min(ordered.lowest, value);
            ordered.highest = c == 0 ? value : std::max(ordered.highest, value);
        }
    }
}

void BlockCosts::add_bits(const Bits& bits, std::size_t word, std::uint32_t lacking,
                          std::int32_t cost, std::int32_t* costs) const {
    lacking &= bits.seen[word];
    if (lacking == 0 || cost == 0) return;
    add_lacking(bits.words[word].data(), lacking, cost, costs, stride_ / lanes);
}

void BlockCosts::add_sets(std::size_t released, std::int32_t row, std::int32_t* costs) const {
    const auto& sets = cover_members_.terms().sets;
    std::int32_t base = 0;
    for (std::size_t t = 0; t < sets.size(); ++t) {
        const CoverMembers::Held held = cover_members_.held_without(released, row, t);
        const std::int32_t now = sets[t].loss(held.count);
        const std::int32_t more = sets[t].loss(held.count + 1) - now;
        base += now;
        const std::uint64_t halves[2] = {held.first, held.second};
        for (std::size_t w = 0; w < sets_[t].words.size(); ++w) {
            const auto lacking = ~static_cast<std::uint32_t>(halves[w / 2] >> (w % 2 * 32));
            add_bits(sets_[t], w, lacking, more, costs);
        }
    }
    add_constant(base, costs, stride_ / lanes);
}

void BlockCosts::add_ordered(std::size_t released, std::int32_t row, std::int32_t* costs) const {
    const CoverLoss& losses = cover_members_.losses();
    for (std::size_t t = 0; t < ordered_.size(); ++t) {
        const CoverTerms::Ordered& term = cover_members_.terms().ordered[t];
        const auto [low, high] = cover_members_.range_without(released, row, t);
        const Ordered& ordered = ordered_[t];
        if (low <= ordered.lowest && ordered.highest <= high) {
            add_constant(losses.ordered_loss(term.attribute, low, high), costs, stride_ / lanes);
        } else if (term.way == CoverLoss::Way::interval) {
            add_width(ordered.values.data(), low, high, term.limit, costs, stride_ / lanes);
        } else {
            for (std::size_t c = 0; c < stride_; ++c) {
                costs[c] += losses.ordered_loss(term.attribute, std::min(low, ordered.values[c]),
                                                std::max(high, ordered.values[c]));
            }
        }
    }
}

void BlockCosts::add_listed(std::size_t released, std::size_t place, std::int32_t* costs) {
    const auto& terms = cover_members_.terms().listed;
    const auto members = cover_members_.members(released);
    for (std::size_t t = 0; t < terms.size(); ++t) {
        lacking_.assign(listed_[t].words.size(), ~0u);
        for (std::size_t m = 0; m < members.size(); ++m) {
            if (m == place) continue;
            const auto values = cover_members_.losses().values(members[m]);
            const auto code = static_cast<std::size_t>(values[terms[t].attribute]);
            if (numbers_[t].block[code] != block_) continue;
            const std::uint32_t number = numbers_[t].number[code];
            lacking_[number / 32] &= ~(1u << (number % 32));
        }
        const std::int32_t count = cover_members_.distinct_without(released, place, t);
        const std::int32_t now = terms[t].loss(count);
        add_constant(now, costs, stride_ / lanes);
        for (std::size_t w = 0; w < lacking_.size(); ++w) {
            add_bits(listed_[t], w, lacking_[w], terms[t].loss(count + 1) - now, costs);
        }
    }
}

void BlockCosts::line(std::size_t b, std::int32_t* costs) {
    const std::size_t released = slots_[b] / cover_members_.k();
    const std::int32_t row = cover_members_.row(slots_[b]);
    std::fill(costs, costs + stride_, 0);
    add_sets(released, row, costs);
    add_ordered(released, row, costs);
    if (!listed_.empty()) add_listed(released, slots_[b] % cover_members_.k(), costs);
}

}  // namespace shoal
