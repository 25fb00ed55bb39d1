// What a move of the attribute being searched changes.
#include <algorithm>
#include <cmath>

#include "common/scalars.hpp"
#include "shoal/recoding/recoding_search.hpp"

namespace shoal {

void RecodingSearch::count_everything() {
    const ValueGroups& groups = groups_[current_];
    const std::size_t slots = at(groups.slots());
    cells_.reset(contexts_, slots, labels_, entries_.size());
    group_totals_.assign(slots * labels_, 0);
    gathered_at_.assign(contexts_, 0);
    kept_.assign(slots * labels_, 0);
    group_term_.assign(slots, 0.0);
    is_touched_.assign(slots, 0);
    touched_.clear();
    terms_ = 0.0;
    elsewhere_ = wrong_ = suppressed_ = small_ = 0;
    std::fill(suppressed_labels_.begin(), suppressed_labels_.end(), 0);
    for (std::int32_t value = 0; value < groups.values(); ++value) {
        const std::int32_t group = groups.group_of(value);
        for (std::size_t y = 0; y < labels_; ++y) {
            group_totals_[at(group) * labels_ + y] +=
                value_totals_[current_][at(value) * labels_ + y];
        }
        for (std::size_t e = entry_starts_[at(value)]; e < entry_starts_[at(value) + 1]; ++e) {
            std::int32_t* cell = cells_.at(entries_[e], group);
            for (std::size_t y = 0; y < labels_; ++y) cell[y] += entry_counts_.of(e)[y];
        }
    }
    cells_.for_each([&](const std::int32_t* cell, std::size_t context, std::int32_t group) {
        count<true>(cell, context, group);
    });
    for (std::size_t group = 0; group < slots; ++group) renew(static_cast<std::int32_t>(group));
}

template <bool add>
void RecodingSearch::count(const std::int32_t* cell, std::size_t context, std::int32_t group) {
    std::int64_t size = 0;
    std::int32_t most = 0;
    for (std::size_t y = 0; y < labels_; ++y) {
        size += cell[y];
        most = std::max(most, cell[y]);
    }
    constexpr std::int64_t sign = add ? 1 : -1;
    const bool shown = size >= problem_.k;
    if (!shown && size > 0) {
        suppressed_ += sign * size;
        small_ += sign;
    }
    if (problem_.goal == Goal::cells) {
        wrong_ += sign * (shown ? size - most : size);
    } else if (problem_.goal == Goal::fields) {
        const std::int32_t label = context_label_[context];
        if (!shown || label == -1) return;
        // Without other attributes every label is right elsewhere.
        for (std::size_t y = 0; y < labels_; ++y) {
            if (label == -2 || static_cast<std::size_t>(label) == y) {
                kept_[at(group) * labels_ + y] += sign * cell[y];
            }
        }
    } else {
        for (std::size_t y = 0; y < labels_; ++y) {
            if (shown) {
                kept_[at(group) * labels_ + y] += sign * cell[y];
                elsewhere_ += sign * cell[y] * context_loss_[context * labels_ + y];
            } else {
                suppressed_labels_[y] += sign * cell[y];
            }
        }
    }
}

std::uint32_t RecodingSearch::majority(std::span<const std::int64_t> totals) const {
    return static_cast<std::uint32_t>(std::max_element(totals.begin(), totals.end()) -
                                      totals.begin());
}

RecodingSearch::Extent RecodingSearch::extent_of(std::size_t j,
                                                 std::span<const std::int32_t> members) const {
    Extent held{records_.attributes[j].code_count, 0, 0};
    for (const std::int32_t value : members) {
        const auto first = value_totals_[j].begin() + value * static_cast<std::ptrdiff_t>(labels_);
        if (std::all_of(first, first + static_cast<std::ptrdiff_t>(labels_),
                        [](std::int64_t records) { return records == 0; })) {
            continue;
        }
        held.low = std::min(held.low, static_cast<std::uint32_t>(value));
        held.high = std::max(held.high, static_cast<std::uint32_t>(value));
        ++held.distinct;
    }
    return held;
}

double RecodingSearch::group_loss(std::size_t j, const ValueGroups& groups, std::int32_t group,
                                  std::span<const std::int64_t> totals, std::uint32_t label) const {
    const Attribute& attribute = records_.attributes[j];
    const auto [low, high, distinct] = extent_of(j, groups.members(group));
    if (distinct == 0) return 0.0;
    const bool everything = (attribute.kind == Kind::all_or_nothing && distinct > 1) ||
                            (attribute.kind == Kind::interval &&
                             attribute.positions[high] - attribute.positions[low] > 1);
    if (problem_.goal == Goal::information) {
        if (everything) return attribute.weight * suppressed_loss_[label] / records_.weight_sum();
        std::int64_t all = 0;
        for (const std::int64_t held : totals) all += held;
        const double share = problem_.share;
        double lost =
            share * std::log2(static_cast<double>(all) / static_cast<double>(records_.total));
        if (labels_ > 1 && totals[label] > 0) {
            lost -= (1 - share) *
                    std::log2(static_cast<double>(totals[label]) / static_cast<double>(all));
        }
        return attribute.weight * lost;
    }
    if (problem_.goal == Goal::levels) {
        return attribute.weight * level_share(attribute, low, high);
    }
    switch (attribute.kind) {
        case Kind::interval:
            return attribute.weight * attribute.interval_loss(low, high);
        case Kind::set:
            return attribute.weight * attribute.set_loss(distinct);
        case Kind::all_or_nothing:
            return distinct > 1 ? attribute.weight : 0.0;
        case Kind::tree:
            return attribute.weight *
                   attribute.tree.node_loss[at(attribute.common_ancestor(low, high))];
    }
    return 0.0;
}

double RecodingSearch::level_share(const Attribute& attribute, std::uint32_t low,
                                   std::uint32_t high) const {
    if (attribute.kind != Kind::tree) return low == high ? 0.0 : 1.0;
    const Tree& tree = attribute.tree;
    std::uint32_t level = 0;
    while (tree.above(level, low, attribute.code_count) !=
           tree.above(level, high, attribute.code_count)) {
        ++level;
    }
    return level == 0 ? 0.0 : static_cast<double>(level) / (tree.levels - 1);
}

// What the highest group of an attribute adds to the mean over attributes.
double RecodingSearch::highest_level(std::size_t j) const {
    const ValueGroups& groups = groups_[j];
    double highest = 0.0;
    for (std::int32_t group = 0; group < groups.slots(); ++group) {
        const auto [low, high, distinct] = extent_of(j, groups.members(group));
        if (distinct > 1) {
            highest = std::max(highest, level_share(records_.attributes[j], low, high));
        }
    }
    return highest / static_cast<double>(groups_.size());
}

// The part of the loss that a group decides, after its values or its kept records changed.
void RecodingSearch::renew(std::int32_t group) {
    double term = 0.0;
    const std::span<const std::int64_t> totals(&group_totals_[at(group) * labels_], labels_);
    const std::int64_t* kept = &kept_[at(group) * labels_];
    const ValueGroups& groups = groups_[current_];
    if (groups.size(group) > 0) {
        if (problem_.goal == Goal::fields) {
            term = -static_cast<double>(kept[majority(totals)]);
        } else if (problem_.goal != Goal::cells) {
            const bool by_label = problem_.goal == Goal::information;
            double lost = 0.0;
            for (std::uint32_t y = 0; y < labels_; ++y) {
                if (y == 0 || by_label) lost = group_loss(current_, groups, group, totals, y);
                term += lost * static_cast<double>(kept[y]);
            }
        }
    }
    terms_ += term - group_term_[at(group)];
    group_term_[at(group)] = term;
}

void RecodingSearch::take(const std::vector<ValueTransfer>& transfers) {
    ValueGroups& groups = groups_[current_];
    const auto touch = [&](std::int32_t group) {
        if (is_touched_[at(group)]) return;
        is_touched_[at(group)] = 1;
        touched_.push_back(group);
    };
    for (const ValueTransfer& moved : transfers) {
        touch(moved.from);
        touch(moved.to);
        const std::size_t value = at(moved.value);
        for (std::size_t e = entry_starts_[value]; e < entry_starts_[value + 1]; ++e) {
            const std::size_t context = entries_[e];
            cells_.at(context, moved.to);  // may make room, which moves all cells
            std::int32_t* from = cells_.at(context, moved.from);
            std::int32_t* to = cells_.at(context, moved.to);
            count<false>(from, context, moved.from);
            count<false>(to, context, moved.to);
            for (std::size_t y = 0; y < labels_; ++y) {
                const std::int32_t records = entry_counts_.of(e)[y];
                from[y] -= records;
                to[y] += records;
            }
            count<true>(from, context, moved.from);
            count<true>(to, context, moved.to);
        }
        shift_totals(moved);
        groups.move(moved.value, moved.to);
    }
    for (const std::int32_t group : touched_) {
        renew(group);
        is_touched_[at(group)] = 0;
    }
    touched_.clear();
}

// Adds up what several values hold in each context.
void RecodingSearch::gather(const std::vector<ValueTransfer>& transfers) {
    gathered_.clear();
    gathered_counts_.clear();
    for (const ValueTransfer& moved : transfers) {
        const std::size_t value = at(moved.value);
        for (std::size_t e = entry_starts_[value]; e < entry_starts_[value + 1]; ++e) {
            std::uint32_t& place = gathered_at_[entries_[e]];
            if (place == 0) {
                gathered_.push_back(entries_[e]);
                gathered_counts_.append();
                place = static_cast<std::uint32_t>(gathered_.size());
            }
            std::int32_t* sum = gathered_counts_.of(place - std::size_t{1});
            const std::int32_t* counts = entry_counts_.of(e);
            for (std::size_t y = 0; y < labels_; ++y) sum[y] += counts[y];
        }
    }
    for (const std::uint32_t context : gathered_) gathered_at_[context] = 0;
}

// What transfers from one group to another would change, without taking them: most proposals are
// refused.
double RecodingSearch::pressed_after(const std::vector<ValueTransfer>& transfers, double pressure) {
    const std::int32_t source = transfers[0].from, target = transfers[0].to;
    std::span<const std::uint32_t> contexts;
    const std::int32_t* all_counts;
    if (transfers.size() == 1) {
        const std::size_t value = at(transfers[0].value);
        const std::size_t first = entry_starts_[value];
        contexts = std::span(entries_).subspan(first, entry_starts_[value + 1] - first);
        all_counts = entry_counts_.of(first);
    } else {
        gather(transfers);
        contexts = gathered_;
        all_counts = gathered_counts_.of(0);
    }
    const double terms = terms_;
    const std::int64_t elsewhere = elsewhere_, wrong = wrong_, suppressed = suppressed_,
                       small = small_;
    const std::int64_t k = problem_.k;
    const auto is_small = [k](std::int64_t size) { return size > 0 && size < k ? 1 : 0; };
    const bool closures_alone =
        labels_ == 1 && problem_.goal != Goal::cells && problem_.goal != Goal::fields;
    const std::size_t from_at = at(source) * labels_, to_at = at(target) * labels_;
    for (std::size_t y = 0; y < labels_; ++y) {
        kept_before_[y] = kept_[from_at + y];
        kept_before_[labels_ + y] = kept_[to_at + y];
        suppressed_before_[y] = suppressed_labels_[y];
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        const std::size_t context = contexts[i];
        const std::int32_t* counts = all_counts + i * labels_;
        const std::int32_t* from = cells_.find(context, source);
        const std::int32_t* to = cells_.find(context, target);
        if (closures_alone) {
            const std::int64_t a = from[0], b = to == nullptr ? 0 : to[0], moving = counts[0];
            const std::int64_t shown_from = (a - moving >= k ? a - moving : 0) - (a >= k ? a : 0);
            const std::int64_t shown_to = (b + moving >= k ? b + moving : 0) - (b >= k ? b : 0);
            kept_[from_at] += shown_from;
            kept_[to_at] += shown_to;
            elsewhere_ += (shown_from + shown_to) * context_loss_[context];
            suppressed_ -= shown_from + shown_to;
            small_ += is_small(a - moving) + is_small(b + moving) - is_small(a) - is_small(b);
            suppressed_labels_[0] -= shown_from + shown_to;
            continue;
        }
        for (std::size_t y = 0; y < labels_; ++y) {
            left_[y] = from[y] - counts[y];
            joined_[y] = (to == nullptr ? 0 : to[y]) + counts[y];
        }
        count<false>(from, context, source);
        if (to != nullptr) count<false>(to, context, target);
        count<true>(left_.data(), context, source);
        count<true>(joined_.data(), context, target);
    }
    // What groups lose by themselves is asked of the groups as they would be.
    ValueGroups& groups = groups_[current_];
    const double term_from = group_term_[at(source)], term_to = group_term_[at(target)];
    for (const ValueTransfer& moved : transfers) {
        shift_totals(moved);
        groups.move(moved.value, target);
    }
    renew(source);
    renew(target);
    const double found = pressed(pressure);
    for (const ValueTransfer& moved : transfers) {
        groups.move(moved.value, source);
        shift_totals({moved.value, target, source});
    }
    group_term_[at(source)] = term_from;
    group_term_[at(target)] = term_to;
    for (std::size_t y = 0; y < labels_; ++y) {
        kept_[from_at + y] = kept_before_[y];
        kept_[to_at + y] = kept_before_[labels_ + y];
        suppressed_labels_[y] = suppressed_before_[y];
    }
    terms_ = terms;
    elsewhere_ = elsewhere;
    wrong_ = wrong;
    suppressed_ = suppressed;
    small_ = small;
    return found;
}

void RecodingSearch::shift_totals(const ValueTransfer& moved) {
    for (std::size_t y = 0; y < labels_; ++y) {
        const std::int64_t records = value_totals_[current_][at(moved.value) * labels_ + y];
        group_totals_[at(moved.from) * labels_ + y] -= records;
        group_totals_[at(moved.to) * labels_ + y] += records;
    }
}

void RecodingSearch::undo(const std::vector<ValueTransfer>& transfers) {
    std::vector<ValueTransfer> back;
    back.reserve(transfers.size());
    for (auto moved = transfers.rbegin(); moved != transfers.rend(); ++moved) {
        back.push_back({moved->value, moved->to, moved->from});
    }
    take(back);
}

}  // namespace shoal
