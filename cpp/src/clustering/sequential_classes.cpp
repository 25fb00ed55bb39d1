#include "clustering/sequential_classes.hpp"

#include <algorithm>
#include <utility>

namespace shoal {

namespace {

// Changes that differ by less are taken as equal.
constexpr float tie = 2e-5f;

}  // namespace

MovingClasses::MovingClasses(const Objective& objective, std::int64_t k, bool remember)
    : objective_(objective),
      k_(k),
      remember_(remember),
      class_columns_(objective),
      changed_classes_(objective) {
    const Records& records = objective.records();
    row_.reserve(static_cast<std::size_t>(records.total));
    for (std::size_t row = 0; row < records.rows(); ++row) {
        row_.insert(row_.end(), static_cast<std::size_t>(records.counts[row]),
                    static_cast<std::int32_t>(row));
    }
    class_.resize(row_.size());
    gain_.resize(row_.size());
    asked_.resize(row_.size());
    look_.resize(row_.size());
    kept_.rows = records.rows();
}

double MovingClasses::total() const {
    double total = 0.0;
    for (const ClassState& state : classes_.states) total += state.total(objective_);
    return total;
}

void MovingClasses::keep(std::vector<Model> models) {
    kept_.all = std::move(models);
    admission_.set(kept_, kept_.rows);
    admission_.resize(count());
    count_protected(kept_);
}

void MovingClasses::count_protected(const Models& models) {
    classes_.histograms.assign(count(), {});
    if (models.empty() || count() == 0) return;
    for (std::size_t unit = 0; unit < units(); ++unit) {
        classes_.histograms[class_of(unit)].add(models, row(unit), 1);
    }
}

void MovingClasses::clear(std::size_t classes) {
    classes_.states.assign(classes, {});
    classes_.histograms.assign(classes, {});
}

void MovingClasses::place(std::size_t unit, std::size_t c) {
    classes_.states[c].add(objective_, row(unit), 1);
    if (!kept_.empty()) classes_.histograms[c].add(kept_, row(unit), 1);
    class_[unit] = static_cast<std::int32_t>(c);
}

void MovingClasses::show_all() {
    class_columns_.resize(count());
    changed_.resize(count());
    for (std::size_t c = 0; c < count(); ++c) show(c);
    admission_.resize(count());
}

void MovingClasses::hide(std::size_t c) { class_columns_.set(c, {}); }

void MovingClasses::show(std::size_t c) {
    changed_[c] = ++changes_;
    const float preferred = preference(c);
    class_columns_.set(c, classes_.states[c]);
    class_columns_.prefer(c, preferred);
    changed_classes_.set(c, classes_.states[c], preferred);
    admission_.forget(c);
}

// Between classes that are equally good for a record the one nearest to k from below is taken: it
// soonest needs no uniting at the end, which is where loss is made. (First come, first served
// loses about 4 % more on the Adult table.)
float MovingClasses::preference(std::size_t c) const {
    const std::int64_t wanted = size(c) < k_ ? size(c) : 0;
    return tie * static_cast<float>(wanted) / static_cast<float>(k_);
}

void MovingClasses::move(std::size_t unit, std::size_t to) {
    const std::size_t from = class_of(unit);
    classes_.states[from].remove(objective_, row(unit), 1);
    classes_.states[to].add(objective_, row(unit), 1);
    if (!kept_.empty()) {
        classes_.histograms[from].remove(kept_, row(unit), 1);
        classes_.histograms[to].add(kept_, row(unit), 1);
    }
    show(from);
    show(to);
    class_[unit] = static_cast<std::int32_t>(to);
}

void MovingClasses::split(std::size_t c, std::span<const std::int32_t> units,
                          std::span<const std::int32_t> side) {
    if (!kept_.empty()) {
        ClassHistogram left, right;
        for (std::size_t i = 0; i < units.size(); ++i) {
            (side[i] == 0 ? left : right).add(kept_, row(static_cast<std::size_t>(units[i])), 1);
        }
        if (!left.holds(kept_) || !right.holds(kept_)) return;
    }
    const std::size_t fresh = count();
    classes_.states.emplace_back();
    classes_.histograms.emplace_back();
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (side[i] == 0) continue;
        const auto unit = static_cast<std::size_t>(units[i]);
        classes_.states[c].remove(objective_, row(unit), 1);
        if (!kept_.empty()) classes_.histograms[c].remove(kept_, row(unit), 1);
        place(unit, fresh);
    }
    class_columns_.resize(fresh + 1);
    changed_.resize(fresh + 1);
    show(c);
    show(fresh);
}

void MovingClasses::compact() {
    std::vector<std::int32_t> becomes(count(), -1);
    std::size_t left = 0;
    for (std::size_t c = 0; c < becomes.size(); ++c) {
        if (size(c) > 0) becomes[c] = static_cast<std::int32_t>(left++);
    }
    if (left * 64 > becomes.size() * 63) return;
    for (std::size_t c = 0; c < becomes.size(); ++c) {
        if (becomes[c] < 0) continue;
        const auto to = static_cast<std::size_t>(becomes[c]);
        if (to == c) continue;
        classes_.states[to] = std::move(classes_.states[c]);
        classes_.histograms[to] = std::move(classes_.histograms[c]);
        changed_[to] = changed_[c];
    }
    classes_.states.resize(left);
    classes_.histograms.resize(left);
    changed_.resize(left);
    for (std::int32_t& c : class_) c = becomes[static_cast<std::size_t>(c)];
    for (Look& look : look_) {
        if (look.best >= 0) look.best = becomes[static_cast<std::size_t>(look.best)];
    }
    class_columns_.resize(left);
    for (std::size_t c = 0; c < left; ++c) {
        class_columns_.set(c, classes_.states[c]);
        class_columns_.prefer(c, preference(c));
    }
}

void MovingClasses::unite(const Models& models, Control& control) {
    count_protected(models);
    const std::vector<std::int32_t> became = merge_small(objective_, models, k_, classes_, control);
    for (std::int32_t& c : class_) c = became[static_cast<std::size_t>(c)];
}

// Units of one row in the same class become one entry.
void MovingClasses::fill(Partition& partition) const {
    std::vector<std::int32_t> places;
    for (std::size_t unit = 0; unit < units();) {
        std::size_t end = unit;
        places.clear();
        for (; end < units() && row_[end] == row_[unit]; ++end) places.push_back(class_[end]);
        std::sort(places.begin(), places.end());
        for (std::size_t i = 0; i < places.size();) {
            std::size_t next = i;
            while (next < places.size() && places[next] == places[i]) ++next;
            partition.place(row_[unit], places[i], static_cast<std::int32_t>(next - i));
            i = next;
        }
        unit = end;
    }
}

}  // namespace shoal
