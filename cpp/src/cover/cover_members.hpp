// What released records hold, kept so that the closure without any one member is known at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/cover/cover_loss.hpp"

namespace shoal {

// Attributes by what a closure of them needs: bits of the values held, the lowest and the highest
// value, or, where a set has too many values for bits, the values themselves.
struct CoverTerms {
    struct Values {
        std::size_t attribute;
        std::int32_t limit, step;

        std::int32_t loss(std::int32_t count) const { return std::min(limit, (count - 1) * step); }
    };
    struct Set : Values {
        std::size_t word;  // where its bits begin; a wide one has the next word, too
        unsigned shift;    // within the word
        std::uint64_t field;
        bool wide;
    };
    struct Ordered {
        std::size_t attribute;
        CoverLoss::Way way;
        std::int32_t limit;
    };

    explicit CoverTerms(const CoverLoss& losses);

    std::size_t words = 0;
    std::vector<Set> sets;
    std::vector<Ordered> ordered;
    std::vector<Values> listed;
    std::vector<std::uint32_t> set_of;  // of each bit
    std::vector<std::int32_t> step_of;  // of each bit
};

class CoverMembers {
  public:
    CoverMembers(const CoverLoss& losses, std::size_t k, std::span<const std::int32_t> members,
                 const Control& control);

    const CoverLoss& losses() const { return losses_; }
    const CoverTerms& terms() const { return terms_; }
    std::size_t size() const { return members_.size() / k_; }
    std::size_t k() const { return k_; }
    std::span<const std::int32_t> all() const { return members_; }
    std::int32_t row(std::size_t slot) const { return members_[slot]; }
    std::span<const std::int32_t> members(std::size_t released) const {
        return {members_.data() + released * k_, k_};
    }
    void replace(std::size_t slot, std::int32_t row) {
        members_[slot] = row;
        refresh(slot / k_);
    }

    // What a record holds of a set without one of its rows: bits, and how many.
    struct Held {
        std::uint64_t first, second;
        std::int32_t count;
    };
    Held held_without(std::size_t released, std::int32_t row, std::size_t term) const {
        const CoverTerms::Set& set = terms_.sets[term];
        const std::uint64_t* any = held_.data() + 2 * released * terms_.words + set.word;
        const std::uint64_t* bits = bits_of(row) + set.word;
        const std::uint64_t alone = bits[0] & ~any[terms_.words] & set.field;
        Held left{(any[0] & ~alone & set.field) >> set.shift, 0,
                  counts_[released * terms_.sets.size() + term] - (alone != 0)};
        if (set.wide) {
            const std::uint64_t second = bits[1] & ~any[terms_.words + 1];
            left.second = any[1] & ~second;
            left.count -= second != 0;
        }
        return left;
    }
    struct Range {
        std::int32_t low, high;
    };
    Range range_without(std::size_t released, std::int32_t row, std::size_t term) const {
        const Ends& all = ends_[released * terms_.ordered.size() + term];
        const std::int32_t own = losses_.values(row)[terms_.ordered[term].attribute];
        return {own == all.low ? all.next_low : all.low,
                own == all.high ? all.next_high : all.high};
    }
    std::int32_t distinct_without(std::size_t released, std::size_t place, std::size_t term) const;
    // About how much less a record would lose without a member: sets are taken as if no limit
    // were near.
    std::int32_t relief(std::size_t released, std::size_t place) const;
    std::int64_t total(const Control& control) const;  // of all losses

  private:
    struct Ends {
        std::int32_t low, next_low, high, next_high;
    };

    void refresh(std::size_t released);
    std::int32_t loss(std::size_t released) const;
    const std::uint64_t* bits_of(std::int32_t row) const {
        return bits_.data() + static_cast<std::size_t>(row) * terms_.words;
    }

    const CoverLoss& losses_;
    CoverTerms terms_;
    std::size_t k_;
    std::vector<std::uint64_t> bits_;  // [row][word]
    std::vector<std::int32_t> members_;
    std::vector<std::uint64_t> held_;     // [released][by any, by several][word]
    std::vector<std::int32_t> counts_;    // [released][set]: values held
    std::vector<Ends> ends_;              // [released][ordered term]
    std::vector<std::int32_t> distinct_;  // [released][listed term]
};

}  // namespace shoal
