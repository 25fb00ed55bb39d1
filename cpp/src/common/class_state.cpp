#include "shoal/common/class_state.hpp"

#include <algorithm>

namespace shoal {

double ClassState::total(const Objective& objective) const {
    return objective.plain() ? static_cast<double>(size_) * sum_ : sum_ + constant_;
}

void ClassState::clear() {
    size_ = 0;
    sum_ = constant_ = 0.0;
    parts_.clear();
    counted_.clear();
    secrets_.clear();
}

void ClassState::assign(const Objective& objective, std::span<const Piece> pieces,
                        const Poll* poll) {
    clear();
    if (pieces.empty()) return;
    const Records& records = objective.records();
    parts_.resize(records.attributes.size());
    if (!objective.plain()) counted_.resize(parts_.size());
    if (objective.reads_secret()) secrets_.resize(objective.secret_count());
    for (const Piece& piece : pieces) {
        const auto row = static_cast<std::size_t>(piece.row);
        size_ += piece.count;
        if (objective.reads_secret()) secrets_[objective.secret(row)] += piece.count;
        constant_ += piece.count * objective.constant(row);
    }
    std::vector<Held> held(pieces.size());
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        if (poll != nullptr) poll->look();
        const Attribute& attribute = records.attributes[j];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            held[i] = {attribute.code(static_cast<std::size_t>(pieces[i].row)), pieces[i].count};
        }
        Part& part = parts_[j];
        part.values.assign(held);
        if (objective.plain()) {
            part.cost = objective.loss(j, shape(j));
            continue;
        }
        if (attribute.kind == Kind::set) {
            counted_[j].joints.resize(objective.secret_count());
            for (const Held& each : part.values.held()) count_in(objective, j, each.code);
        }
        part.cost = part_cost(objective, j);
    }
    renew(objective);
}

// A set that has gained a value covers that value's records.
void ClassState::count_in(const Objective& objective, std::size_t j, std::uint32_t code) {
    Counted& counted = counted_[j];
    counted.mass += objective.mass(j, code, code);
    for (std::uint32_t y = 0; y < objective.secret_count(); ++y) {
        counted.joints[y] += objective.joint(j, code, code, y);
    }
}

void ClassState::add(const Objective& objective, std::size_t row, std::int32_t count) {
    const Records& records = objective.records();
    parts_.resize(records.attributes.size());
    if (!objective.plain()) counted_.resize(parts_.size());
    size_ += count;
    if (objective.reads_secret()) {
        secrets_.resize(objective.secret_count());
        secrets_[objective.secret(row)] += count;
    }
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        Part& part = parts_[j];
        const std::uint32_t code = records.attributes[j].code(row);
        const bool fresh = part.values.add(code, count);
        if (objective.plain()) {
            if (fresh) part.cost = objective.loss(j, shape(j));
            continue;
        }
        if (fresh && records.attributes[j].kind == Kind::set) {
            counted_[j].joints.resize(objective.secret_count());
            count_in(objective, j, code);
        }
        part.cost = part_cost(objective, j);
    }
    constant_ += count * objective.constant(row);
    renew(objective);
}

void ClassState::remove(const Objective& objective, std::size_t row, std::int32_t count) {
    if (size_ == count) {
        clear();
        return;
    }
    const Records& records = objective.records();
    size_ -= count;
    if (objective.reads_secret()) secrets_[objective.secret(row)] -= count;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        Part& part = parts_[j];
        const std::uint32_t code = records.attributes[j].code(row);
        const bool gone = part.values.remove(code, count);
        if (objective.plain()) {
            if (gone) part.cost = objective.loss(j, shape(j));
            continue;
        }
        if (gone && records.attributes[j].kind == Kind::set) {
            counted_[j].mass -= objective.mass(j, code, code);
            for (std::uint32_t y = 0; y < objective.secret_count(); ++y) {
                counted_[j].joints[y] -= objective.joint(j, code, code, y);
            }
        }
        part.cost = part_cost(objective, j);
    }
    constant_ -= count * objective.constant(row);
    renew(objective);
}

void ClassState::unite(const Objective& objective, const ClassState& other) {
    if (other.size_ == 0) return;
    if (size_ == 0) {
        *this = other;
        return;
    }
    const Records& records = objective.records();
    size_ += other.size_;
    for (std::size_t y = 0; y < secrets_.size(); ++y) secrets_[y] += other.secrets_[y];
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        Part& part = parts_[j];
        const bool set = !objective.plain() && records.attributes[j].kind == Kind::set;
        if (set) {
            for (const Held& each : other.parts_[j].values.held()) {
                if (!part.values.contains(each.code)) count_in(objective, j, each.code);
            }
        }
        part.values.unite(other.parts_[j].values);
        part.cost = objective.plain() ? objective.loss(j, shape(j)) : part_cost(objective, j);
    }
    constant_ += other.constant_;
    renew(objective);
}

double ClassState::change_adding(const Objective& objective, std::size_t row,
                                 std::int32_t count) const {
    const Records& records = objective.records();
    const std::uint32_t secret = objective.reads_secret() ? objective.secret(row) : 0;
    double sum = 0.0;
    for (std::size_t j = 0; j < records.attributes.size(); ++j) {
        const Attribute& attribute = records.attributes[j];
        const std::uint32_t code = attribute.code(row);
        if (objective.plain() && size_ > 0 && attribute.kind != Kind::set) {
            // No number of values is asked for, and what is suppressed stays so.
            const bool lost =
                attribute.kind == Kind::all_or_nothing && parts_[j].values.distinct() > 1;
            sum += attribute.weight *
                   (lost ? parts_[j].cost : objective.loss(j, shape_widened(j, code)));
            continue;
        }
        const Shape after = size_ == 0 ? Shape{code, code, 1} : shape_adding(j, code);
        sum += attribute.weight * (objective.plain()
                                       ? objective.loss(j, after)
                                       : part_cost(objective, j, after, code, secret, count));
    }
    if (objective.plain()) {
        return static_cast<double>(size_ + count) * sum - static_cast<double>(size_) * sum_;
    }
    return sum - sum_ + count * objective.constant(row);
}

double ClassState::change_adding(const Objective& objective, std::size_t j, std::size_t row,
                                 std::int32_t count) const {
    const Attribute& attribute = objective.records().attributes[j];
    const std::uint32_t code = attribute.code(row);
    const std::uint32_t secret = objective.reads_secret() ? objective.secret(row) : 0;
    const Shape after = shape_adding(j, code);
    return attribute.weight *
           (part_cost(objective, j, after, code, secret, count) - parts_[j].cost);
}

namespace {

// Whether the plain loss stays for sure if records with this code leave: most records are not at
// an end of what their class holds, and finding out more takes a search.
bool indifferent(const Attribute& attribute, const Values& values, std::uint32_t code) {
    if (attribute.kind == Kind::set) return false;
    if (attribute.kind == Kind::all_or_nothing && values.distinct() > 2) return true;
    return code != values.low() && code != values.high();
}

}  // namespace

double ClassState::change_removing(const Objective& objective, std::size_t row,
                                   std::int32_t count) const {
    if (size_ == count) return -total(objective);
    const Records& records = objective.records();
    const std::uint32_t secret = objective.reads_secret() ? objective.secret(row) : 0;
    double sum = 0.0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        const Attribute& attribute = records.attributes[j];
        const std::uint32_t code = attribute.code(row);
        double cost = parts_[j].cost;
        if (!objective.plain()) {
            const Shape after = shape_removing(j, code, count);
            cost = part_cost(objective, j, after, code, secret, -count);
        } else if (!indifferent(attribute, parts_[j].values, code)) {
            const Shape after = shape_removing(j, code, count);
            if (after.distinct != parts_[j].values.distinct()) cost = objective.loss(j, after);
        }
        sum += attribute.weight * cost;
    }
    if (objective.plain()) {
        return static_cast<double>(size_ - count) * sum - static_cast<double>(size_) * sum_;
    }
    return sum - sum_ - count * objective.constant(row);
}

double ClassState::total_united(const Objective& objective, const ClassState& other) const {
    if (size_ == 0) return other.total(objective);
    if (other.size_ == 0) return total(objective);
    const Records& records = objective.records();
    const std::int64_t size = size_ + other.size_;
    const auto histogram = [&](std::uint32_t y) -> std::int64_t {
        return std::int64_t{secrets_[y]} + other.secrets_[y];
    };
    double sum = 0.0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        const Attribute& attribute = records.attributes[j];
        const Values& mine = parts_[j].values;
        const Values& theirs = other.parts_[j].values;
        Shape shape{std::min(mine.low(), theirs.low()), std::max(mine.high(), theirs.high()), 0};
        double cost;
        if (attribute.kind != Kind::set) {
            if (objective.plain()) {
                cost = objective.loss(j, shape);
            } else {
                const auto [first, last] = objective.covered(j, shape);
                cost = objective.information(
                    objective.mass(j, first, last),
                    [&, first = first, last = last](std::uint32_t y) {
                        return objective.joint(j, first, last, y);
                    },
                    size, histogram);
            }
        } else if (objective.plain()) {
            mine.for_each_united(theirs, [&](std::uint32_t, std::int32_t) { ++shape.distinct; });
            cost = objective.loss(j, shape);
        } else {
            std::int64_t mass = counted_[j].mass;
            std::vector<std::int64_t> joints = counted_[j].joints;
            for (const Held& each : theirs.held()) {
                if (mine.contains(each.code)) continue;
                mass += objective.mass(j, each.code, each.code);
                for (std::uint32_t y = 0; y < joints.size(); ++y) {
                    joints[y] += objective.joint(j, each.code, each.code, y);
                }
            }
            cost = objective.information(
                mass, [&](std::uint32_t y) { return joints[y]; }, size, histogram);
        }
        sum += attribute.weight * cost;
    }
    return objective.plain() ? static_cast<double>(size) * sum : sum + constant_ + other.constant_;
}

Shape ClassState::shape_widened(std::size_t j, std::uint32_t code) const {
    const Values& values = parts_[j].values;
    return {std::min(values.low(), code), std::max(values.high(), code), values.distinct()};
}

Shape ClassState::shape_adding(std::size_t j, std::uint32_t code) const {
    const Values& values = parts_[j].values;
    return {std::min(values.low(), code), std::max(values.high(), code),
            values.distinct() + (values.contains(code) ? 0u : 1u)};
}

Shape ClassState::shape_removing(std::size_t j, std::uint32_t code, std::int32_t count) const {
    const Values& values = parts_[j].values;
    Shape after = shape(j);
    if (values.count(code) > count) return after;
    const auto held = values.held();
    --after.distinct;
    if (code == after.low) after.low = held[1].code;
    if (code == after.high) after.high = held[held.size() - 2].code;
    return after;
}

double ClassState::part_cost(const Objective& objective, std::size_t j) const {
    const auto histogram = [this](std::uint32_t y) -> std::int64_t { return secrets_[y]; };
    if (objective.records().attributes[j].kind == Kind::set) {
        const Counted& held = counted_[j];
        return objective.information(
            held.mass, [&held](std::uint32_t y) { return held.joints[y]; }, size_, histogram);
    }
    const auto [first, last] = objective.covered(j, shape(j));
    return objective.information(
        objective.mass(j, first, last),
        [&, first = first, last = last](std::uint32_t y) {
            return objective.joint(j, first, last, y);
        },
        size_, histogram);
}

double ClassState::part_cost(const Objective& objective, std::size_t j, const Shape& shape,
                             std::uint32_t code, std::uint32_t secret, std::int32_t change) const {
    const std::int64_t size = size_ + change;
    const auto histogram = [&](std::uint32_t y) -> std::int64_t {
        return (secrets_.empty() ? 0 : secrets_[y]) + (y == secret ? change : 0);
    };
    if (objective.records().attributes[j].kind != Kind::set) {
        const auto [first, last] = objective.covered(j, shape);
        return objective.information(
            objective.mass(j, first, last),
            [&, first = first, last = last](std::uint32_t y) {
                return objective.joint(j, first, last, y);
            },
            size, histogram);
    }
    const Counted* counted = parts_.empty() ? nullptr : &counted_[j];
    const std::uint32_t before = counted ? parts_[j].values.distinct() : 0;
    // +1 if the code enters the set, -1 if it leaves.
    const auto sign = static_cast<std::int64_t>(shape.distinct) - static_cast<std::int64_t>(before);
    const std::int64_t mass = (counted ? counted->mass : 0) + sign * objective.mass(j, code, code);
    return objective.information(
        mass,
        [&](std::uint32_t y) {
            const std::int64_t held = counted ? counted->joints[y] : 0;
            return sign == 0 ? held : held + sign * objective.joint(j, code, code, y);
        },
        size, histogram);
}

std::vector<ClassState> class_states(const Objective& objective, const Partition& partition,
                                     std::size_t classes) {
    const ClassPieces pieces(partition, classes);
    std::vector<ClassState> states(classes);
    for (std::size_t c = 0; c < classes; ++c) states[c].assign(objective, pieces.of(c));
    return states;
}

void ClassState::renew(const Objective& objective) {
    const Records& records = objective.records();
    sum_ = 0.0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        sum_ += records.attributes[j].weight * parts_[j].cost;
    }
}

}  // namespace shoal
