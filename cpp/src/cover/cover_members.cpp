#include "cover/cover_members.hpp"

#include <bit>
#include <limits>

namespace shoal {

CoverTerms::CoverTerms(const CoverLoss& losses) {
    unsigned used = 64;  // of the last word
    for (std::size_t j = 0; j < losses.attributes(); ++j) {
        const CoverLoss::Attribute& source = losses.attribute(j);
        const Values values{j, source.limit, source.step};
        if (source.way == CoverLoss::Way::listed) {
            listed.push_back(values);
        } else if (source.way != CoverLoss::Way::bits) {
            ordered.push_back({j, source.way, source.limit});
        } else if (source.code_count > 64) {
            sets.push_back({values, words, 0, ~std::uint64_t{0}, true});
            words += 2;
            used = 64;
        } else {
            if (used + source.code_count > 64) {
                ++words;
                used = 0;
            }
            const std::uint64_t ones = ~std::uint64_t{0} >> (64 - source.code_count);
            sets.push_back({values, words - 1, used, ones << used, false});
            used += source.code_count;
        }
    }
    set_of.assign(64 * words, 0);
    step_of.assign(64 * words, 0);
    for (std::size_t t = 0; t < sets.size(); ++t) {
        const std::size_t first = 64 * sets[t].word + sets[t].shift;
        const std::size_t codes = losses.attribute(sets[t].attribute).code_count;
        for (std::size_t bit = first; bit < first + codes; ++bit) {
            set_of[bit] = static_cast<std::uint32_t>(t);
            step_of[bit] = sets[t].step;
        }
    }
}

CoverMembers::CoverMembers(const CoverLoss& losses, std::size_t k,
                           std::span<const std::int32_t> members, const Control& control)
    : losses_(losses),
      terms_(losses),
      k_(k),
      bits_(losses.rows() * terms_.words, 0),
      members_(members.begin(), members.end()),
      held_(size() * 2 * terms_.words),
      counts_(size() * terms_.sets.size()),
      ends_(size() * terms_.ordered.size()),
      distinct_(size() * terms_.listed.size()) {
    for (std::size_t row = 0; row < losses.rows(); ++row) {
        const auto values = losses.values(static_cast<std::int32_t>(row));
        for (const CoverTerms::Set& set : terms_.sets) {
            const auto place = set.shift + static_cast<unsigned>(values[set.attribute]);
            bits_[row * terms_.words + set.word + place / 64] |= std::uint64_t{1} << (place % 64);
        }
    }
    Poll poll(control);
    for (std::size_t i = 0; i < size(); ++i) {
        poll();
        refresh(i);
    }
}

void CoverMembers::refresh(std::size_t released) {
    const auto held = members(released);
    const std::size_t words = terms_.words;
    std::uint64_t* any = held_.data() + 2 * released * words;
    std::uint64_t* several = any + words;
    std::fill(any, any + 2 * words, 0);
    std::int32_t* counts = counts_.data() + released * terms_.sets.size();
    std::fill(counts, counts + terms_.sets.size(), 0);
    for (const std::int32_t row : held) {
        const std::uint64_t* bits = bits_of(row);
        for (std::size_t w = 0; w < words; ++w) {
            several[w] |= any[w] & bits[w];
            for (std::uint64_t fresh = bits[w] & ~any[w]; fresh != 0; fresh &= fresh - 1) {
                ++counts[terms_.set_of[64 * w + static_cast<std::size_t>(std::countr_zero(fresh))]];
            }
            any[w] |= bits[w];
        }
    }
    for (std::size_t o = 0; o < terms_.ordered.size(); ++o) {
        constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
        constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
        Ends made{most, most, least, least};
        for (const std::int32_t row : held) {
            const std::int32_t own = losses_.values(row)[terms_.ordered[o].attribute];
            made.next_low = std::min(made.next_low, std::max(made.low, own));
            made.low = std::min(made.low, own);
            made.next_high = std::max(made.next_high, std::min(made.high, own));
            made.high = std::max(made.high, own);
        }
        ends_[released * terms_.ordered.size() + o] = made;
    }
    for (std::size_t t = 0; t < terms_.listed.size(); ++t) {
        const std::size_t j = terms_.listed[t].attribute;
        std::vector<std::int32_t> values;
        for (const std::int32_t row : held) values.push_back(losses_.values(row)[j]);
        std::sort(values.begin(), values.end());
        const auto last = std::unique(values.begin(), values.end());
        distinct_[released * terms_.listed.size() + t] =
            static_cast<std::int32_t>(last - values.begin());
    }
}

std::int32_t CoverMembers::distinct_without(std::size_t released, std::size_t place,
                                            std::size_t term) const {
    const std::size_t j = terms_.listed[term].attribute;
    const auto held = members(released);
    const std::int32_t own = losses_.values(held[place])[j];
    const auto times = std::count_if(
        held.begin(), held.end(), [&](std::int32_t row) { return losses_.values(row)[j] == own; });
    return distinct_[released * terms_.listed.size() + term] - (times == 1);
}

std::int32_t CoverMembers::relief(std::size_t released, std::size_t place) const {
    const std::int32_t row = members(released)[place];
    const std::uint64_t* several = held_.data() + (2 * released + 1) * terms_.words;
    const std::uint64_t* bits = bits_of(row);
    std::int32_t sum = 0;
    for (std::size_t w = 0; w < terms_.words; ++w) {
        for (std::uint64_t alone = bits[w] & ~several[w]; alone != 0; alone &= alone - 1) {
            sum += terms_.step_of[64 * w + static_cast<std::size_t>(std::countr_zero(alone))];
        }
    }
    for (std::size_t o = 0; o < terms_.ordered.size(); ++o) {
        const Ends& all = ends_[released * terms_.ordered.size() + o];
        const Range left = range_without(released, row, o);
        if (left.low == all.low && left.high == all.high) continue;
        const std::size_t j = terms_.ordered[o].attribute;
        sum += losses_.ordered_loss(j, all.low, all.high) -
               losses_.ordered_loss(j, left.low, left.high);
    }
    for (std::size_t t = 0; t < terms_.listed.size(); ++t) {
        const std::int32_t distinct = distinct_[released * terms_.listed.size() + t];
        sum += terms_.listed[t].step * (distinct - distinct_without(released, place, t));
    }
    return sum;
}

std::int32_t CoverMembers::loss(std::size_t released) const {
    std::int32_t sum = 0;
    for (std::size_t t = 0; t < terms_.sets.size(); ++t) {
        sum += terms_.sets[t].loss(counts_[released * terms_.sets.size() + t]);
    }
    for (std::size_t o = 0; o < terms_.ordered.size(); ++o) {
        const Ends& all = ends_[released * terms_.ordered.size() + o];
        sum += losses_.ordered_loss(terms_.ordered[o].attribute, all.low, all.high);
    }
    for (std::size_t t = 0; t < terms_.listed.size(); ++t) {
        sum += terms_.listed[t].loss(distinct_[released * terms_.listed.size() + t]);
    }
    return sum;
}

std::int64_t CoverMembers::total(const Control& control) const {
    Poll poll(control);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        poll();
        sum += loss(i);
    }
    return sum;
}

}  // namespace shoal
