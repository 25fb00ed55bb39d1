// What a search for a recoding knows of the attributes that stand still.
#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>

#include "common/scalars.hpp"
#include "shoal/recoding/recoding_search.hpp"

namespace shoal {

namespace {

template <class Visit>
void for_each_code(const Attribute& attribute, Visit visit) {
    std::visit(
        [&](const auto& codes) {
            for (std::size_t row = 0; row < codes.size(); ++row) visit(row, codes[row]);
        },
        attribute.codes);
}

}  // namespace

RecodingSearch::RecodingSearch(RecodingProblem problem, std::uint64_t seed, const Control& control)
    : problem_(std::move(problem)),
      poll_(control, Poll::Heed::cancellation),
      records_(*problem_.records),
      random_(seed),
      labels_(problem_.labels.empty() ? 1 : problem_.label_count),
      keys_(records_.rows()),
      entry_counts_(labels_),
      suppressed_labels_(labels_),
      kept_before_(2 * labels_),
      suppressed_before_(labels_),
      left_(labels_),
      joined_(labels_),
      gathered_counts_(labels_) {
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
            const double rare =
                everyone[y] > 0 ? -std::log2(static_cast<double>(everyone[y]) / total) : 0.0;
            suppressed_loss_[y] = labels_ > 1 ? (1 - problem_.share) * weights * rare : 0.0;
        }
    }
    for (std::size_t j = 0; j < records_.attributes.size(); ++j) {
        poll_.look();
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
                    const auto records = static_cast<double>(held);
                    constant_ -=
                        problem_.share * attribute.weight * records * std::log2(records / total);
                }
            }
        }
        for (ContextKey& key : keys_) key = key + key_of_group(j, 0);
    }
}

// Makes the keys of all rows true again.
void RecodingSearch::leave() {
    if (current_ == nowhere) return;
    const std::size_t j = current_;
    current_ = nowhere;
    std::vector<ContextKey> change(entered_.size());
    bool changed = false;
    for (std::size_t value = 0; value < entered_.size(); ++value) {
        const std::int32_t now = groups_[j].group_of(static_cast<std::int32_t>(value));
        change[value] = key_of_group(j, now) - key_of_group(j, entered_[value]);
        changed |= change[value] != ContextKey{};
    }
    if (!changed) return;
    for_each_code(records_.attributes[j], [&](std::size_t row, std::size_t code) {
        keys_[row] = keys_[row] + change[code];
    });
}

void RecodingSearch::enter(std::size_t j) {
    if (current_ == j) return;
    leave();
    const auto groups = groups_[j].groups();
    entered_.assign(groups.begin(), groups.end());
    poll_.look();
    number_contexts(j);
    poll_.look();
    price_contexts(j);
    poll_.look();
    list_values(j);
    poll_.look();
    current_ = j;
    count_everything();
}

void RecodingSearch::number_contexts(std::size_t j) {
    // Few groups make few contexts: a table for as many as last time stays in the cache.
    std::size_t mask = std::bit_ceil(4 * contexts_ + 1024) - 1;
    std::vector<ContextKey> keys(mask + 1);
    std::vector<std::uint32_t> numbers(mask + 1, 0);  // one more than the context; 0 is free
    const auto slot_of = [&](const ContextKey& key) {
        // Keys are sums of mixed numbers, so their upper bits serve as they are.
        std::size_t slot = (key.low >> 20) & mask;
        while (numbers[slot] != 0 && !(keys[slot] == key)) slot = (slot + 1) & mask;
        return slot;
    };
    std::vector<ContextKey> own(entered_.size());
    for (std::size_t value = 0; value < own.size(); ++value)
        own[value] = key_of_group(j, entered_[value]);
    context_of_.resize(records_.rows());
    context_row_.clear();
    context_key_.clear();
    for_each_code(records_.attributes[j], [&](std::size_t row, std::size_t code) {
        poll_();
        const ContextKey key = keys_[row] - own[code];
        std::size_t slot = slot_of(key);
        if (numbers[slot] == 0) {
            context_row_.push_back(static_cast<std::uint32_t>(row));
            context_key_.push_back(key);
            if (2 * context_row_.size() > mask) {
                mask = 4 * mask + 3;
                keys.assign(mask + 1, ContextKey{});
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
void RecodingSearch::price_contexts(std::size_t j) {
    const bool fields = problem_.goal == Goal::fields;
    if (fields) context_label_.assign(contexts_, -2);
    if (problem_.goal == Goal::cells) return;
    if (!fields) context_loss_.assign(contexts_ * labels_, 0);
    levels_elsewhere_ = 0.0;
    std::vector<std::int64_t> totals;
    std::vector<double> losses;
    std::vector<std::int32_t> label;
    for (std::size_t other = 0; other < groups_.size(); ++other) {
        if (other == j) continue;
        const Attribute& attribute = records_.attributes[other];
        const ValueGroups& groups = groups_[other];
        if (problem_.goal == Goal::levels) levels_elsewhere_ += highest_level(other);
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

void RecodingSearch::list_values(std::size_t j) {
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
                entries_.push_back(context);
                entry_counts_.append();
                seen[context] = static_cast<std::uint32_t>(entries_.size());
            }
            const std::size_t label = labels_ == 1 ? 0 : problem_.labels[row];
            entry_counts_.of(seen[context] - std::size_t{1})[label] += records_.counts[row];
        }
        entry_starts_.push_back(static_cast<std::uint32_t>(entries_.size()));
    }
}

}  // namespace shoal
