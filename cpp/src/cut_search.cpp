#include "shoal/cut_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shoal {

namespace {

// Losses of contexts are summed in whole numbers, so that taking a move back restores them.
constexpr double fixed_point = 1 << 30;
constexpr std::size_t largest_dense = std::size_t{1} << 22;

std::uint64_t mix(std::uint64_t value) { return Random(value).next(); }

// What one group of one attribute adds to the key of a record.
std::uint64_t salt(std::size_t j, std::int32_t group) {
    return mix((static_cast<std::uint64_t>(j) << 32) + static_cast<std::uint64_t>(group) + 1);
}

std::size_t at(std::int32_t value) { return static_cast<std::size_t>(value); }

template <class Visit>
void for_each_code(const Attribute& attribute, Visit visit) {
    std::visit(
        [&](const auto& codes) {
            for (std::size_t row = 0; row < codes.size(); ++row) visit(row, codes[row]);
        },
        attribute.codes);
}

}  // namespace

void CutSearch::Cells::reset(std::size_t contexts, std::size_t slots, std::size_t labels,
                             std::size_t entries) {
    contexts_ = contexts;
    slots_ = slots;
    labels_ = labels;
    dense_ = contexts * slots * labels <= largest_dense;
    used_ = 0;
    if (dense_) {
        counts_.assign(contexts * slots * labels, 0);
        return;
    }
    counts_.clear();
    keys_.assign(std::bit_ceil(4 * entries + 16), 0);
    places_.resize(keys_.size());
}

std::int32_t* CutSearch::Cells::at(std::size_t context, std::int32_t group) {
    if (dense_) return &counts_[(static_cast<std::size_t>(group) * contexts_ + context) * labels_];
    const std::uint64_t key = context * slots_ + static_cast<std::size_t>(group) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
    if (keys_[slot] == 0) {
        if (2 * used_ > keys_.size()) {
            grow();
            return at(context, group);
        }
        keys_[slot] = key;
        places_[slot] = static_cast<std::uint32_t>(used_++);
        counts_.resize(used_ * labels_);
    }
    return &counts_[places_[slot] * labels_];
}

const std::int32_t* CutSearch::Cells::find(std::size_t context, std::int32_t group) const {
    if (dense_) return &counts_[(static_cast<std::size_t>(group) * contexts_ + context) * labels_];
    const std::uint64_t key = context * slots_ + static_cast<std::size_t>(group) + 1;
    const std::size_t mask = keys_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
    return keys_[slot] == 0 ? nullptr : &counts_[places_[slot] * labels_];
}

void CutSearch::Cells::grow() {
    std::vector<std::uint64_t> keys(2 * keys_.size());
    std::vector<std::uint32_t> places(keys.size());
    const std::size_t mask = keys.size() - 1;
    for (std::size_t old = 0; old < keys_.size(); ++old) {
        if (keys_[old] == 0) continue;
        std::size_t slot = mix(keys_[old]) & mask;
        while (keys[slot] != 0) slot = (slot + 1) & mask;
        keys[slot] = keys_[old];
        places[slot] = places_[old];
    }
    keys_ = std::move(keys);
    places_ = std::move(places);
}

template <class Visit>
void CutSearch::Cells::for_each(Visit visit) {
    if (dense_) {
        for (std::size_t cell = 0; cell < contexts_ * slots_; ++cell) {
            visit(&counts_[cell * labels_], cell % contexts_,
                  static_cast<std::int32_t>(cell / contexts_));
        }
        return;
    }
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
        if (keys_[slot] == 0) continue;
        const std::uint64_t key = keys_[slot] - 1;
        visit(&counts_[places_[slot] * labels_], key / slots_,
              static_cast<std::int32_t>(key % slots_));
    }
}

CutSearch::CutSearch(CutProblem problem, std::uint64_t seed)
    : problem_(std::move(problem)),
      records_(*problem_.records),
      random_(seed),
      labels_(problem_.labels.empty() ? 1 : problem_.label_count),
      keys_(records_.rows(), 0),
      suppressed_labels_(labels_),
      kept_before_(2 * labels_),
      suppressed_before_(labels_),
      left_(labels_),
      joined_(labels_) {
    const std::size_t rows = records_.rows();
    const double total = static_cast<double>(records_.total);
    std::vector<std::int64_t> everyone(labels_);
    for (std::size_t row = 0; row < rows; ++row) {
        everyone[labels_ == 1 ? 0 : problem_.labels[row]] += records_.counts[row];
    }
    suppressed_loss_.assign(labels_, 1.0);
    if (problem_.goal == Goal::information) {
        double weights = 0.0;
        for (const Attribute& attribute : records_.attributes) weights += attribute.weight;
        for (std::size_t y = 0; y < labels_; ++y) {
            const double rare = everyone[y] > 0 ? -std::log2(everyone[y] / total) : 0.0;
            suppressed_loss_[y] = labels_ > 1 ? (1 - problem_.share) * weights * rare : 0.0;
        }
    }
    for (std::size_t j = 0; j < records_.attributes.size(); ++j) {
        const Attribute& attribute = records_.attributes[j];
        const std::size_t values = attribute.code_count;
        regroupings_.emplace_back(attribute, problem_.contiguous);
        groups_.emplace_back(attribute.code_count);
        auto& totals = value_totals_.emplace_back(values * labels_);
        auto& starts = value_starts_.emplace_back(values + 1);
        for_each_code(attribute, [&](std::size_t row, std::size_t code) {
            totals[code * labels_ + (labels_ == 1 ? 0 : problem_.labels[row])] +=
                records_.counts[row];
            ++starts[code + 1];
        });
        for (std::size_t code = 0; code < values; ++code) starts[code + 1] += starts[code];
        auto& order = rows_by_value_.emplace_back(rows);
        std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
        for_each_code(attribute, [&](std::size_t row, std::size_t code) {
            order[next[code]++] = static_cast<std::uint32_t>(row);
        });
        if (problem_.goal == Goal::information) {
            for (std::size_t code = 0; code < values; ++code) {
                std::int64_t held = 0;
                for (std::size_t y = 0; y < labels_; ++y) held += totals[code * labels_ + y];
                if (held > 0) {
                    constant_ -= problem_.share * attribute.weight * held * std::log2(held / total);
                }
            }
        }
        for (std::uint64_t& key : keys_) key += salt(j, 0);
    }
}

bool CutSearch::allows(std::size_t j, std::span<const std::int32_t> group_of) const {
    return regroupings_[j].allows(group_of);
}

void CutSearch::set_groups(std::size_t j, std::span<const std::int32_t> group_of) {
    leave();
    const auto groups = groups_[j].groups();
    entered_.assign(groups.begin(), groups.end());
    for (std::size_t value = 0; value < group_of.size(); ++value) {
        groups_[j].move(static_cast<std::int32_t>(value), group_of[value]);
    }
    current_ = j;  // nothing is counted before a search enters
    leave();
}

double CutSearch::loss() {
    if (current_ == nowhere) enter(0);
    return loss_here();
}

std::int64_t CutSearch::suppressed() {
    if (current_ == nowhere) enter(0);
    return suppressed_;
}

// Makes the keys of all rows true again.
void CutSearch::leave() {
    if (current_ == nowhere) return;
    const std::size_t j = current_;
    current_ = nowhere;
    std::vector<std::uint64_t> change(entered_.size());
    bool changed = false;
    for (std::size_t value = 0; value < entered_.size(); ++value) {
        const std::int32_t now = groups_[j].group_of(static_cast<std::int32_t>(value));
        change[value] = salt(j, now) - salt(j, entered_[value]);
        changed |= change[value] != 0;
    }
    if (!changed) return;
    for_each_code(records_.attributes[j],
                  [&](std::size_t row, std::size_t code) { keys_[row] += change[code]; });
}

void CutSearch::enter(std::size_t j) {
    if (current_ == j) return;
    leave();
    const auto groups = groups_[j].groups();
    entered_.assign(groups.begin(), groups.end());
    number_contexts(j);
    price_contexts(j);
    list_values(j);
    current_ = j;
    count_everything();
}

void CutSearch::number_contexts(std::size_t j) {
    // Few groups make few contexts: a table for as many as last time stays in the cache.
    std::size_t mask = std::bit_ceil(4 * contexts_ + 1024) - 1;
    std::vector<std::uint64_t> keys(mask + 1);
    std::vector<std::uint32_t> numbers(mask + 1, 0);  // one more than the context; 0 is free
    const auto slot_of = [&](std::uint64_t key) {
        // Keys are sums of mixed numbers, so their upper bits serve as they are.
        std::size_t slot = (key >> 20) & mask;
        while (numbers[slot] != 0 && keys[slot] != key) slot = (slot + 1) & mask;
        return slot;
    };
    std::vector<std::uint64_t> own(entered_.size());
    for (std::size_t value = 0; value < own.size(); ++value) own[value] = salt(j, entered_[value]);
    context_of_.resize(records_.rows());
    context_row_.clear();
    context_key_.clear();
    for_each_code(records_.attributes[j], [&](std::size_t row, std::size_t code) {
        const std::uint64_t key = keys_[row] - own[code];
        std::size_t slot = slot_of(key);
        if (numbers[slot] == 0) {
            context_row_.push_back(static_cast<std::uint32_t>(row));
            context_key_.push_back(key);
            if (2 * context_row_.size() > mask) {
                mask = 4 * mask + 3;
                keys.assign(mask + 1, 0);
                numbers.assign(mask + 1, 0);
                for (std::size_t context = 0; context < context_key_.size(); ++context) {
                    slot = slot_of(context_key_[context]);
                    keys[slot] = context_key_[context];
                    numbers[slot] = static_cast<std::uint32_t>(context + 1);
                }
            } else {
                keys[slot] = key;
                numbers[slot] = static_cast<std::uint32_t>(context_row_.size());
            }
        }
        context_of_[row] = numbers[slot] - 1;
    });
    contexts_ = context_row_.size();
}

// What the other attributes lose, or which label they all point to, in each context.
void CutSearch::price_contexts(std::size_t j) {
    const bool fields = problem_.goal == Goal::fields;
    if (fields) context_label_.assign(contexts_, -2);
    if (problem_.goal == Goal::cells) return;
    if (!fields) context_loss_.assign(contexts_ * labels_, 0);
    std::vector<std::int64_t> totals;
    std::vector<double> losses;
    std::vector<std::int32_t> label;
    for (std::size_t other = 0; other < groups_.size(); ++other) {
        if (other == j) continue;
        const Attribute& attribute = records_.attributes[other];
        const ValueGroups& groups = groups_[other];
        const std::size_t slots = at(groups.slots());
        totals.assign(slots * labels_, 0);
        for (std::size_t value = 0; value < attribute.code_count; ++value) {
            const std::size_t group = at(groups.group_of(static_cast<std::int32_t>(value)));
            for (std::size_t y = 0; y < labels_; ++y) {
                totals[group * labels_ + y] += value_totals_[other][value * labels_ + y];
            }
        }
        losses.assign(slots * labels_, 0.0);
        label.assign(slots, -1);
        for (std::size_t group = 0; group < slots; ++group) {
            const auto id = static_cast<std::int32_t>(group);
            if (groups.size(id) == 0) continue;
            const std::span<const std::int64_t> own(&totals[group * labels_], labels_);
            if (fields) {
                label[group] = static_cast<std::int32_t>(majority(own));
                continue;
            }
            for (std::uint32_t y = 0; y < labels_; ++y) {
                losses[group * labels_ + y] = group_loss(other, groups, id, own, y);
            }
        }
        for (std::size_t context = 0; context < contexts_; ++context) {
            const std::uint32_t code = attribute.code(context_row_[context]);
            const std::size_t group = at(groups.group_of(static_cast<std::int32_t>(code)));
            if (fields) {
                std::int32_t& common = context_label_[context];
                if (common == -2) {
                    common = label[group];
                } else if (common != label[group]) {
                    common = -1;
                }
                continue;
            }
            for (std::size_t y = 0; y < labels_; ++y) {
                context_loss_[context * labels_ + y] += static_cast<std::int64_t>(
                    std::llround(losses[group * labels_ + y] * fixed_point));
            }
        }
    }
}

void CutSearch::list_values(std::size_t j) {
    entries_.clear();
    entry_counts_.clear();
    entry_starts_.assign(1, 0);
    std::vector<std::uint32_t> seen(contexts_, 0);  // one more than the entry, of this value
    for (std::size_t value = 0; value < entered_.size(); ++value) {
        const std::size_t begin = entries_.size();
        for (std::uint32_t i = value_starts_[j][value]; i < value_starts_[j][value + 1]; ++i) {
            const std::uint32_t row = rows_by_value_[j][i];
            const std::uint32_t context = context_of_[row];
            if (seen[context] <= begin) {
                entries_.push_back({context, static_cast<std::uint32_t>(entry_counts_.size())});
                entry_counts_.resize(entry_counts_.size() + labels_);
                seen[context] = static_cast<std::uint32_t>(entries_.size());
            }
            const std::size_t label = labels_ == 1 ? 0 : problem_.labels[row];
            entry_counts_[entries_[seen[context] - 1].counts + label] += records_.counts[row];
        }
        entry_starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
    }
}

void CutSearch::count_everything() {
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
    elsewhere_ = wrong_ = suppressed_ = 0;
    std::fill(suppressed_labels_.begin(), suppressed_labels_.end(), 0);
    for (std::int32_t value = 0; value < groups.values(); ++value) {
        const std::int32_t group = groups.group_of(value);
        for (std::size_t y = 0; y < labels_; ++y) {
            group_totals_[at(group) * labels_ + y] +=
                value_totals_[current_][at(value) * labels_ + y];
        }
        for (std::uint32_t e = entry_starts_[at(value)]; e < entry_starts_[at(value) + 1]; ++e) {
            std::int32_t* cell = cells_.at(entries_[e].context, group);
            for (std::size_t y = 0; y < labels_; ++y) {
                cell[y] += entry_counts_[entries_[e].counts + y];
            }
        }
    }
    cells_.for_each([&](const std::int32_t* cell, std::size_t context, std::int32_t group) {
        count<true>(cell, context, group);
    });
    for (std::size_t group = 0; group < slots; ++group) renew(static_cast<std::int32_t>(group));
}

template <bool add>
void CutSearch::count(const std::int32_t* cell, std::size_t context, std::int32_t group) {
    std::int64_t size = 0;
    std::int32_t most = 0;
    for (std::size_t y = 0; y < labels_; ++y) {
        size += cell[y];
        most = std::max(most, cell[y]);
    }
    constexpr std::int64_t sign = add ? 1 : -1;
    const bool shown = size >= problem_.k;
    if (!shown) suppressed_ += sign * size;
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

std::uint32_t CutSearch::majority(std::span<const std::int64_t> totals) const {
    return static_cast<std::uint32_t>(std::max_element(totals.begin(), totals.end()) -
                                      totals.begin());
}

double CutSearch::group_loss(std::size_t j, const ValueGroups& groups, std::int32_t group,
                             std::span<const std::int64_t> totals, std::uint32_t label) const {
    const Attribute& attribute = records_.attributes[j];
    const auto members = groups.members(group);
    // The closure of a group: that of its values which some record has.
    std::uint32_t low = attribute.code_count, high = 0, distinct = 0;
    for (const std::int32_t value : members) {
        const auto first = value_totals_[j].begin() + value * static_cast<std::ptrdiff_t>(labels_);
        if (std::all_of(first, first + static_cast<std::ptrdiff_t>(labels_),
                        [](std::int64_t held) { return held == 0; })) {
            continue;
        }
        low = std::min(low, static_cast<std::uint32_t>(value));
        high = std::max(high, static_cast<std::uint32_t>(value));
        ++distinct;
    }
    if (distinct == 0) return 0.0;
    const bool everything = (attribute.kind == Kind::all_or_nothing && distinct > 1) ||
                            (attribute.kind == Kind::interval &&
                             attribute.positions[high] - attribute.positions[low] > 1);
    if (problem_.goal == Goal::information) {
        if (everything) return attribute.weight * suppressed_loss_[label] / records_.weight_sum();
        std::int64_t all = 0;
        for (const std::int64_t held : totals) all += held;
        const double share = problem_.share;
        double lost = share * std::log2(static_cast<double>(all) / records_.total);
        if (labels_ > 1 && totals[label] > 0) {
            lost -= (1 - share) * std::log2(static_cast<double>(totals[label]) / all);
        }
        return attribute.weight * lost;
    }
    if (problem_.goal == Goal::levels) {
        std::uint32_t level = 0;
        const Tree& tree = attribute.tree;
        while (tree.above(level, low, attribute.code_count) !=
               tree.above(level, high, attribute.code_count)) {
            ++level;
        }
        return attribute.weight * level / (tree.levels - 1);
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

// The part of the loss that a group decides, after its values or its kept records changed.
void CutSearch::renew(std::int32_t group) {
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

void CutSearch::take(const std::vector<Transfer>& transfers) {
    ValueGroups& groups = groups_[current_];
    const auto touch = [&](std::int32_t group) {
        if (is_touched_[at(group)]) return;
        is_touched_[at(group)] = 1;
        touched_.push_back(group);
    };
    for (const Transfer& moved : transfers) {
        touch(moved.from);
        touch(moved.to);
        const std::size_t value = at(moved.value);
        for (std::uint32_t e = entry_starts_[value]; e < entry_starts_[value + 1]; ++e) {
            const std::size_t context = entries_[e].context;
            cells_.at(context, moved.to);  // may make room, which moves all cells
            std::int32_t* from = cells_.at(context, moved.from);
            std::int32_t* to = cells_.at(context, moved.to);
            count<false>(from, context, moved.from);
            count<false>(to, context, moved.to);
            for (std::size_t y = 0; y < labels_; ++y) {
                const std::int32_t records = entry_counts_[entries_[e].counts + y];
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
void CutSearch::gather(const std::vector<Transfer>& transfers) {
    gathered_.clear();
    gathered_counts_.clear();
    for (const Transfer& moved : transfers) {
        const std::size_t value = at(moved.value);
        for (std::uint32_t e = entry_starts_[value]; e < entry_starts_[value + 1]; ++e) {
            std::uint32_t& place = gathered_at_[entries_[e].context];
            if (place == 0) {
                gathered_.push_back(
                    {entries_[e].context, static_cast<std::uint32_t>(gathered_counts_.size())});
                gathered_counts_.resize(gathered_counts_.size() + labels_);
                place = static_cast<std::uint32_t>(gathered_.size());
            }
            std::int32_t* sum = &gathered_counts_[gathered_[place - 1].counts];
            const std::int32_t* counts = &entry_counts_[entries_[e].counts];
            for (std::size_t y = 0; y < labels_; ++y) sum[y] += counts[y];
        }
    }
    for (const Entry& entry : gathered_) gathered_at_[entry.context] = 0;
}

// What transfers from one group to another would change, without taking them: most proposals are
// refused.
double CutSearch::pressed_after(const std::vector<Transfer>& transfers, double pressure) {
    const std::int32_t source = transfers[0].from, target = transfers[0].to;
    std::span<const Entry> entries;
    const std::int32_t* all_counts;
    if (transfers.size() == 1) {
        const std::size_t value = at(transfers[0].value);
        entries = std::span(entries_).subspan(entry_starts_[value],
                                              entry_starts_[value + 1] - entry_starts_[value]);
        all_counts = entry_counts_.data();
    } else {
        gather(transfers);
        entries = gathered_;
        all_counts = gathered_counts_.data();
    }
    const double terms = terms_;
    const std::int64_t elsewhere = elsewhere_, wrong = wrong_, suppressed = suppressed_;
    const std::int64_t k = problem_.k;
    const bool closures_alone =
        labels_ == 1 && problem_.goal != Goal::cells && problem_.goal != Goal::fields;
    const std::size_t from_at = at(source) * labels_, to_at = at(target) * labels_;
    for (std::size_t y = 0; y < labels_; ++y) {
        kept_before_[y] = kept_[from_at + y];
        kept_before_[labels_ + y] = kept_[to_at + y];
        suppressed_before_[y] = suppressed_labels_[y];
    }
    for (const Entry& entry : entries) {
        const std::size_t context = entry.context;
        const std::int32_t* counts = all_counts + entry.counts;
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
    for (const Transfer& moved : transfers) {
        shift_totals(moved);
        groups.move(moved.value, target);
    }
    renew(source);
    renew(target);
    const double found = pressed(pressure);
    for (const Transfer& moved : transfers) {
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
    return found;
}

void CutSearch::shift_totals(const Transfer& moved) {
    for (std::size_t y = 0; y < labels_; ++y) {
        const std::int64_t records = value_totals_[current_][at(moved.value) * labels_ + y];
        group_totals_[at(moved.from) * labels_ + y] -= records;
        group_totals_[at(moved.to) * labels_ + y] += records;
    }
}

void CutSearch::undo(const std::vector<Transfer>& transfers) {
    std::vector<Transfer> back;
    back.reserve(transfers.size());
    for (auto moved = transfers.rbegin(); moved != transfers.rend(); ++moved) {
        back.push_back({moved->value, moved->to, moved->from});
    }
    take(back);
}

double CutSearch::loss_here() const {
    const double total = static_cast<double>(records_.total);
    switch (problem_.goal) {
        case Goal::cells:
            return static_cast<double>(wrong_) / total;
        case Goal::fields:
            return (total + terms_) / total;
        default:
            break;
    }
    double sum = constant_ + terms_ + static_cast<double>(elsewhere_) / fixed_point;
    for (std::size_t y = 0; y < labels_; ++y) {
        sum += suppressed_loss_[y] * static_cast<double>(suppressed_labels_[y]);
    }
    return sum / total;
}

double CutSearch::pressed(double pressure) const {
    const std::int64_t beyond = std::max<std::int64_t>(0, suppressed_ - problem_.limit);
    return loss_here() +
           pressure * static_cast<double>(beyond) / static_cast<double>(records_.total);
}

void CutSearch::remember() {
    if (suppressed_ > problem_.limit) return;
    const double loss = loss_here();
    if (found() && loss >= best_loss_ - 1e-12) return;
    best_loss_ = std::max(loss, 0.0);
    best_.resize(groups_.size());
    for (std::size_t j = 0; j < groups_.size(); ++j) {
        const auto groups = groups_[j].groups();
        best_[j].assign(groups.begin(), groups.end());
    }
}

std::int64_t CutSearch::walk(std::size_t j, const Walk& walk) {
    enter(j);
    remember();
    std::int64_t accepted = 0;
    Move move;
    double now = pressed(walk.pressure);
    for (std::int64_t i = 0; i < walk.proposals; ++i) {
        if (!regroupings_[j].propose(groups_[j], random_, walk.uncollapse, move)) continue;
        const double terms = terms_;
        // A node of a tree parts into several groups at once; that is tried by doing it.
        const bool ahead =
            std::all_of(move.transfers.begin(), move.transfers.end(), [&](const Transfer& moved) {
                return moved.from == move.transfers[0].from && moved.to == move.transfers[0].to;
            });
        if (!ahead) take(move.transfers);
        const double then =
            ahead ? pressed_after(move.transfers, walk.pressure) : pressed(walk.pressure);
        double rise = then - now;
        if (walk.hastings) rise -= walk.temperature * move.log_ratio;
        const double luck = static_cast<double>((random_.next() >> 11) + 1) * 0x1p-53;
        const bool accept =
            rise <= 0 || (walk.temperature > 0 && std::log(luck) * walk.temperature <= -rise);
        if (accept) {
            if (ahead) take(move.transfers);
            now = then;
            ++accepted;
            remember();
        } else if (!ahead) {
            undo(move.transfers);
            terms_ = terms;  // as it was, without the rounding of the way there and back
        }
    }
    return accepted;
}

std::vector<double> CutSearch::sample(std::size_t j, const Walk& walk) {
    enter(j);
    remember();
    std::vector<double> changes;
    Move move;
    const double now = pressed(walk.pressure);
    for (std::int64_t i = 0; i < walk.proposals; ++i) {
        if (!regroupings_[j].propose(groups_[j], random_, walk.uncollapse, move)) continue;
        const double terms = terms_;
        take(move.transfers);
        changes.push_back(pressed(walk.pressure) - now);
        undo(move.transfers);
        terms_ = terms;
    }
    return changes;
}

}  // namespace shoal
