#include "shoal/common/models.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/compiler.hpp"

namespace shoal {

namespace {

// Goals met up to rounding count as met.
constexpr double slack = 1e-9;
using Wide = Int128;

double entropy(std::span<const Held> held, double size) {
    double sum = 0.0;
    for (const Held& each : held) {
        const double share = each.count / size;
        sum -= share * std::log(share);
    }
    return sum;
}

struct Sorted {
    std::int64_t most, tail;  // records of the most frequent value, and from the l-th on
};

Sorted sorted_counts(const Model& model, std::span<const Held> held) {
    thread_local std::vector<std::int64_t> counts;
    counts.clear();
    for (const Held& each : held) counts.push_back(each.count);
    std::sort(counts.begin(), counts.end(), std::greater<>());
    const auto from = static_cast<std::size_t>(model.number - 1);
    std::int64_t tail = 0;
    for (std::size_t i = from; i < counts.size(); ++i) tail += counts[i];
    return {counts[0], tail};
}

bool recursive(const Model& model, std::span<const Held> held) {
    const auto [most, tail] = sorted_counts(model, held);
    return Wide{most} * model.ratio.denominator < Wide{tail} * model.ratio.numerator;
}

double equal_distance(const Model& model, std::span<const Held> held, double size) {
    double sum = 0.0;
    for (const Held& each : held) {
        const double excess = each.count / size - model.share[each.code];
        if (excess > 0) sum += excess;
    }
    return sum;
}

double ordered_distance(const Model& model, std::span<const Held> held, double size) {
    if (model.code_count < 2) return 0.0;
    double sum = 0.0, carried = 0.0;
    std::size_t next = 0;
    for (std::uint32_t code = 0; code + 1 < model.code_count; ++code) {
        carried -= model.share[code];
        if (next < held.size() && held[next].code == code) carried += held[next++].count / size;
        sum += std::abs(carried);
    }
    return sum / static_cast<double>(model.code_count - 1);
}

double tree_distance(const Model& model, std::span<const Held> held, double size) {
    thread_local std::vector<double> surplus;
    surplus.assign(model.tree.parent.size(), 0.0);
    for (std::uint32_t code = 0; code < model.code_count; ++code) {
        surplus[code] = -model.share[code];
    }
    for (const Held& each : held) surplus[each.code] += each.count / size;
    double sum = 0.0;
    for (std::size_t node = 0; node < surplus.size(); ++node) {
        const std::int32_t parent = model.tree.parent[node];
        if (parent < 0) continue;
        sum += model.tree.toll[node] * std::abs(surplus[node]);
        surplus[static_cast<std::size_t>(parent)] += surplus[node];
    }
    return sum;
}

// By how much shares lie outside their limits, all values together.
double out_of_bounds(const Model& model, std::span<const Held> held, double size) {
    double sum = 0.0;
    std::uint32_t next = 0;  // the first code not looked at yet
    const auto pass_absent = [&](std::uint32_t end) {
        for (; next < end; ++next) sum += model.lowest[next];
    };
    for (const Held& each : held) {
        pass_absent(each.code);
        const double share = each.count / size;
        sum += std::max(share - model.highest[each.code], 0.0);
        sum += std::max(model.lowest[each.code] - share, 0.0);
        next = each.code + 1;
    }
    pass_absent(model.code_count);
    return sum;
}

// The largest size that a value of the class asks for.
double size_asked(const Model& model, std::span<const Held> held) {
    double most = 0.0;
    for (const Held& each : held) most = std::max(most, model.lowest[each.code]);
    return most;
}

}  // namespace

bool holds(const Model& model, std::span<const Held> held, std::int64_t size) {
    if (size == 0) return true;
    const auto all = static_cast<double>(size);
    switch (model.condition) {
        case Condition::distinct:
            return static_cast<std::int64_t>(held.size()) >= model.number;
        case Condition::frequency: {
            std::int32_t most = 0;
            for (const Held& each : held) most = std::max(most, each.count);
            return Wide{most} * model.ratio.numerator <= Wide{size} * model.ratio.denominator;
        }
        case Condition::entropy:
            return entropy(held, all) >= std::log(model.level) - slack;
        case Condition::recursive:
            return recursive(model, held);
        case Condition::equal_closeness:
            return equal_distance(model, held, all) <= model.level + slack;
        case Condition::ordered_closeness:
            return ordered_distance(model, held, all) <= model.level + slack;
        case Condition::bounded_shares:
            return out_of_bounds(model, held, all) <= 0.0;
        case Condition::least_sizes:
            return all >= size_asked(model, held);
        case Condition::tree_closeness:
            break;
    }
    return tree_distance(model, held, all) <= model.level + slack;
}

double shortfall(const Model& model, std::span<const Held> held, std::int64_t size) {
    if (holds(model, held, size)) return 0.0;
    // Not even where rounding says otherwise is a broken model met.
    constexpr double least = 1e-6;
    const auto all = static_cast<double>(size);
    const double ratio =
        static_cast<double>(model.ratio.numerator) / static_cast<double>(model.ratio.denominator);
    double most = 0.0;
    for (const Held& each : held) most = std::max(most, static_cast<double>(each.count));
    double short_by = 0.0;
    switch (model.condition) {
        case Condition::distinct:
            short_by = static_cast<double>(model.number) - static_cast<double>(held.size());
            break;
        case Condition::frequency:
            short_by = most * ratio - all;
            break;
        case Condition::entropy:
            short_by = all * (std::log(model.level) - entropy(held, all));
            break;
        case Condition::recursive:
            short_by = most - ratio * static_cast<double>(sorted_counts(model, held).tail);
            break;
        case Condition::equal_closeness:
            short_by = all * (equal_distance(model, held, all) - model.level);
            break;
        case Condition::ordered_closeness:
            short_by = all * (ordered_distance(model, held, all) - model.level);
            break;
        case Condition::tree_closeness:
            short_by = all * (tree_distance(model, held, all) - model.level);
            break;
        case Condition::bounded_shares:
            short_by = all * out_of_bounds(model, held, all);
            break;
        case Condition::least_sizes:
            short_by = size_asked(model, held) - all;
            break;
    }
    return least + std::max(short_by, 0.0);
}

void ClassHistogram::assign(const Models& models, std::span<const Piece> pieces) {
    clear();
    if (pieces.empty()) return;
    values_.resize(models.all.size());
    for (const Piece& piece : pieces) size_ += piece.count;
    std::vector<Held> held(pieces.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            held[p] = {models.all[i].codes[static_cast<std::size_t>(pieces[p].row)],
                       pieces[p].count};
        }
        values_[i].assign(held);
    }
}

void ClassHistogram::add(const Models& models, std::size_t row, std::int32_t count) {
    values_.resize(models.all.size());
    size_ += count;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i].add(models.all[i].codes[row], count);
    }
}

void ClassHistogram::remove(const Models& models, std::size_t row, std::int32_t count) {
    size_ -= count;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i].remove(models.all[i].codes[row], count);
    }
}

void ClassHistogram::unite(const ClassHistogram& other) {
    values_.resize(std::max(values_.size(), other.values_.size()));
    size_ += other.size_;
    for (std::size_t i = 0; i < other.values_.size(); ++i) values_[i].unite(other.values_[i]);
}

void ClassHistogram::clear() {
    size_ = 0;
    values_.clear();
}

bool ClassHistogram::holds(const Models& models, std::size_t model) const {
    return size_ == 0 || shoal::holds(models.all[model], values_[model].held(), size_);
}

bool ClassHistogram::holds(const Models& models) const {
    for (std::size_t i = 0; i < models.all.size(); ++i) {
        if (!holds(models, i)) return false;
    }
    return true;
}

double ClassHistogram::shortfall(const Models& models) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < models.all.size() && size_ > 0; ++i) {
        sum += shoal::shortfall(models.all[i], values_[i].held(), size_);
    }
    return sum;
}

bool ClassHistogram::holds_changed(const Models& models, std::size_t model, std::size_t row,
                                   std::int32_t change) const {
    thread_local Values changed;
    if (values_.empty()) {
        changed.clear();
    } else {
        changed = values_[model];
    }
    const std::uint32_t code = models.all[model].codes[row];
    if (change > 0) {
        changed.add(code, change);
    } else {
        changed.remove(code, -change);
    }
    return shoal::holds(models.all[model], changed.held(), size_ + change);
}

bool ClassHistogram::holds_adding(const Models& models, std::size_t row, std::int32_t count) const {
    for (std::size_t i = 0; i < models.all.size(); ++i) {
        if (!holds_changed(models, i, row, count)) return false;
    }
    return true;
}

bool ClassHistogram::holds_removing(const Models& models, std::size_t row,
                                    std::int32_t count) const {
    return holds_adding(models, row, -count);
}

bool ClassHistogram::keeps_adding(const Models& models, std::size_t row, std::int32_t count) const {
    for (std::size_t i = 0; i < models.all.size(); ++i) {
        if (holds(models, i) && !holds_changed(models, i, row, count)) return false;
    }
    return true;
}

bool ClassHistogram::keeps_removing(const Models& models, std::size_t row,
                                    std::int32_t count) const {
    return keeps_adding(models, row, -count);
}

bool ClassHistogram::holds_united(const Models& models, const ClassHistogram& other) const {
    ClassHistogram both = *this;
    both.unite(other);
    return both.holds(models);
}

}  // namespace shoal
