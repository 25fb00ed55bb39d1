// Where a record should go, looking at no more classes than needed.
#include <algorithm>

#include "clustering/sequential_classes.hpp"
#include "common/scalars.hpp"
#include "scan/class_column_loops.hpp"

namespace shoal {

void MovingClasses::begin_pass() {
    const std::int64_t since = pass_began_;
    pass_began_ = changes_;
    ++pass_;
    admission_.resize(count());
    changed_classes_.close();
    const auto changed = std::count_if(changed_.begin(), changed_.end(),
                                       [since](std::int64_t time) { return time > since; });
    if (!remember_ || static_cast<std::size_t>(changed) * 2 > count()) return;
    changed_classes_.open(count());
    for (std::size_t c = 0; c < count(); ++c) {
        if (changed_[c] > since) changed_classes_.set(c, classes_.states[c], preference(c));
    }
}

double MovingClasses::gain(std::size_t unit) {
    const std::size_t c = class_of(unit);
    if (size(c) == 1) return infinite<double>;
    if (asked_[unit] != changed_[c]) {
        asked_[unit] = changed_[c];
        const bool kept =
            kept_.empty() || classes_.histograms[c].keeps_removing(kept_, row(unit), 1);
        gain_[unit] = kept ? -classes_.states[c].change_removing(objective_, row(unit), 1) -
                                 objective_.constant(row(unit))
                           : -infinite<double>;
    }
    return gain_[unit];
}

std::int32_t MovingClasses::choose(std::size_t unit, double gain) {
    const Look& look = look_[unit];
    if (!changed_classes_.usable() || look.pass != pass_ - 1) return choose_among_all(unit, gain);
    const std::size_t from = class_of(unit);
    const double limit = gain - least_gain;
    const std::span<float> change = changed_classes_.scan(row(unit), classes_.states);
    if (changed_classes_.contains(from))
        change[static_cast<std::size_t>(changed_classes_.place(from))] = infinite<float>;
    const Least recent = least_of(row(unit), change, changed_classes_.ids(), limit);
    const auto best = static_cast<std::size_t>(look.best);
    const bool known = look.best >= 0 && best != from && !changed_classes_.contains(best);
    const Least rest{look.bound, known ? look.best : -1};
    if (recent.change < rest.change) return take(unit, recent, gain);
    if (known && recent.change == rest.change && recent.where >= 0 && recent.where < rest.where) {
        return take(unit, recent, gain);
    }
    if (known || rest.change >= limit) return take(unit, rest, gain);
    return choose_among_all(unit, gain);
}

std::int32_t MovingClasses::choose_among_all(std::size_t unit, double gain) {
    const std::span<float> change = class_columns_.scan(row(unit), classes_.states);
    change[class_of(unit)] = infinite<float>;
    return take(unit, least_of(row(unit), change, {}, gain - least_gain), gain);
}

// `ids` are the classes that `change` is about, none: all. Classes that may not take the record
// become infinite if their change is below `limit`.
MovingClasses::Least MovingClasses::least_of(std::size_t row, std::span<float> change,
                                             std::span<const std::int32_t> ids, double limit) {
    const auto class_at = [ids](std::size_t at) {
        return ids.empty() ? static_cast<std::int32_t>(at) : ids[at];
    };
    if (change.empty()) return {infinite<float>, -1};
    if (!admission_.empty()) {
        for (std::size_t i = 0; i < change.size(); ++i) {
            if (!(change[i] < limit)) continue;
            const auto c = static_cast<std::size_t>(class_at(i));
            if (!admission_.allows(c, classes_.histograms[c], row)) change[i] = infinite<float>;
        }
    }
    const std::size_t at = least(change);
    const float found = change[at];
    // With models, only classes below the limit are known to be allowed.
    if (found == infinite<float> || (!admission_.empty() && !(found < limit))) return {found, -1};
    if (ids.empty()) return {found, static_cast<std::int32_t>(at)};
    return {found, loops::least_number(change.data(), found, ids.data(), ids.size())};
}

bool MovingClasses::better(std::size_t row, const Least& least, double gain) const {
    if (least.where < 0 || !(least.change < gain - least_gain)) return false;
    const auto c = static_cast<std::size_t>(least.where);
    const double exact =
        classes_.states[c].change_adding(objective_, row, 1) - objective_.constant(row);
    return exact < gain - least_gain;
}

std::int32_t MovingClasses::take(std::size_t unit, const Least& least, double gain) {
    const bool moves = better(row(unit), least, gain);
    // A class that it moves to is its own from now on, and so none that it could move to.
    look_[unit] = {least.change, moves ? -1 : least.where, pass_};
    return moves ? least.where : -1;
}

}  // namespace shoal
