#include "shoal/clustering/information_growth.hpp"

#include <algorithm>
#include <vector>

#include "common/scalars.hpp"
#include "shoal/common/class_state.hpp"
#include "shoal/common/deadline.hpp"

namespace shoal {

namespace {

// Costs in bits that differ by less are equal: logarithms round.
constexpr double margin = 1e-9;

// What a record adds to a class depends, attribute by attribute, on its code and private value
// alone: each such part is computed once for a state of the class.
class Parts {
  public:
    explicit Parts(const Objective& objective)
        : objective_(objective), attributes_(objective.records().attributes.size()) {
        const Records& records = objective.records();
        const std::uint32_t width = objective.reads_secret() ? objective.secret_count() : 1;
        cells_.resize(records.rows() * attributes_);
        std::uint32_t begin = 0;
        for (std::size_t j = 0; j < attributes_; ++j) {
            const Attribute& attribute = records.attributes[j];
            // Only pairs that occur get a cell.
            std::vector<std::uint32_t> cell(attribute.code_count * std::size_t{width});
            for (std::size_t row = 0; row < records.rows(); ++row) {
                const std::uint32_t secret = objective.reads_secret() ? objective.secret(row) : 0;
                std::uint32_t& at = cell[attribute.code(row) * std::size_t{width} + secret];
                if (at == 0) at = ++begin;
                cells_[row * attributes_ + j] = at - 1;
            }
        }
        known_.assign(begin, {0.0, 0});
    }

    void renew() { ++age_; }

    double adding(const ClassState& state, std::size_t row) {
        double sum = 0.0;
        const std::uint32_t* cells = cells_.data() + row * attributes_;
        for (std::size_t j = 0; j < attributes_; ++j) {
            Known& known = known_[cells[j]];
            if (known.age != age_) known = {state.change_adding(objective_, j, row, 1), age_};
            sum += known.cost;
        }
        return sum;
    }

    bool equal(std::size_t row, std::size_t other) const {
        for (const Attribute& attribute : objective_.records().attributes) {
            if (attribute.code(row) != attribute.code(other)) return false;
        }
        return true;
    }

  private:
    struct Known {
        double cost;
        std::uint64_t age;
    };

    const Objective& objective_;
    std::size_t attributes_;
    std::vector<std::uint32_t> cells_;  // [row][attribute]
    std::vector<Known> known_;
    std::uint64_t age_ = 0;
};

class MeasuredGrower {
  public:
    MeasuredGrower(const Objective& objective, std::span<const std::int32_t> order,
                   const Growth& growth, Control& control)
        : objective_(objective),
          records_(objective.records()),
          growth_(growth),
          control_(control),
          parts_(objective),
          deadline_(growth.seconds),
          alone_(records_.rows()),
          left_(records_.counts) {
        for (const std::int32_t row : order) {
            const auto at = static_cast<std::size_t>(row);
            if (growth.settle && left_[at] >= growth.k) {
                result_.place(row, classes_++, left_[at]);
                left_[at] = 0;
                continue;
            }
            alive_.push_back(row);
            remaining_ += left_[at];
            ClassState single;
            single.add(objective, at, 1);
            // What is the same whatever class takes the record.
            alone_[at] = single.total(objective) - objective.constant(at);
        }
        rows_ = alive_;
        costs_.resize(alive_.size());
    }

    bool can_open() const { return remaining_ >= growth_.k && !deadline_.passed(); }
    std::int32_t first() const { return alive_.front(); }
    bool is_left(std::int32_t row) const { return left_[static_cast<std::size_t>(row)] > 0; }

    // The row furthest from another; the earliest of several.
    std::int32_t furthest(std::int32_t row) {
        ClassState single;
        single.add(objective_, static_cast<std::size_t>(row), 1);
        price(single);
        std::size_t best = 0;
        for (std::size_t i = 1; i < alive_.size(); ++i) {
            if (costs_[i] > costs_[best] + margin) best = i;
        }
        return alive_[best];
    }

    // Grows one class from a row; returns the row taken last. Once time is up, there is no such
    // class.
    std::int32_t grow(std::int32_t row, bool centre) {
        ClassState state;
        std::int64_t size = 0;
        std::int32_t last = row;
        for (;;) {
            const std::int32_t taken = take(last, growth_.k - size);
            size += taken;
            if (size == taken) {
                state.add(objective_, static_cast<std::size_t>(last), centre ? 1 : taken);
            } else if (!centre) {
                state.add(objective_, static_cast<std::size_t>(last), taken);
            }
            if (size >= growth_.k) break;
            if (deadline_.passed()) {
                give_up();
                return last;
            }
            last = nearest(state, last);
        }
        ++classes_;
        control_.report(1.0 -
                        static_cast<double>(remaining_) / static_cast<double>(records_.total));
        return last;
    }

    // Where fewer than k records are left, each goes to the class whose total cost it raises least.
    Partition finish() {
        if (remaining_ > 0 && remaining_ < growth_.k) place_leftovers();
        control_.report(1.0);
        return std::move(result_);
    }

  private:
    void check() const {
        if (control_.cancelled()) throw Cancelled();
    }

    void price(const ClassState& state) {
        check();
        parts_.renew();
        for (std::size_t i = 0; i < alive_.size(); ++i) {
            const auto row = static_cast<std::size_t>(alive_[i]);
            costs_[i] = parts_.adding(state, row) - alone_[row];
        }
    }

    std::int32_t nearest(const ClassState& state, std::int32_t last) {
        price(state);
        double least = infinite<double>;
        for (std::size_t i = 0; i < alive_.size(); ++i) least = std::min(least, costs_[i]);
        std::int32_t earliest = -1;
        for (std::size_t i = 0; i < alive_.size(); ++i) {
            if (costs_[i] > least + margin) continue;
            if (parts_.equal(static_cast<std::size_t>(alive_[i]), static_cast<std::size_t>(last))) {
                return alive_[i];
            }
            if (earliest < 0) earliest = alive_[i];
        }
        return earliest;
    }

    std::int32_t take(std::int32_t row, std::int64_t needed) {
        std::int32_t& left = left_[static_cast<std::size_t>(row)];
        const auto taken = static_cast<std::int32_t>(std::min<std::int64_t>(left, needed));
        result_.place(row, classes_, taken);
        left -= taken;
        remaining_ -= taken;
        if (left == 0) alive_.erase(std::find(alive_.begin(), alive_.end(), row));
        return taken;
    }

    // Takes the class that is being grown back out of the result. Its rows do not grow again.
    void give_up() { remaining_ += result_.take_back(classes_); }

    void place_leftovers() {
        std::vector<ClassState> states(static_cast<std::size_t>(classes_));
        for (std::size_t i = 0; i < result_.row.size(); ++i) {
            states[static_cast<std::size_t>(result_.klass[i])].add(
                objective_, static_cast<std::size_t>(result_.row[i]), result_.count[i]);
        }
        for (const std::int32_t row : rows_) {
            const auto at = static_cast<std::size_t>(row);
            for (; left_[at] > 0; --left_[at]) {
                check();
                std::size_t best = 0;
                double least = infinite<double>;
                for (std::size_t c = 0; c < states.size(); ++c) {
                    const double grown = states[c].change_adding(objective_, at, 1);
                    if (grown < least - margin) {
                        least = grown;
                        best = c;
                    }
                }
                states[best].add(objective_, at, 1);
                result_.place(row, static_cast<std::int32_t>(best), 1);
            }
        }
    }

    const Objective& objective_;
    const Records& records_;
    Growth growth_;
    Control& control_;
    Parts parts_;
    Deadline deadline_;
    std::vector<double> alone_;        // by row
    std::vector<std::int32_t> left_;   // records of each row not yet placed
    std::vector<std::int32_t> rows_;   // that grow, in the order that breaks ties
    std::vector<std::int32_t> alive_;  // those of them with records left
    std::vector<double> costs_;        // of the rows alive
    std::int64_t remaining_ = 0;
    std::int32_t classes_ = 0;
    Partition result_;
};

}  // namespace

Partition greedy(const Objective& objective, std::span<const std::int32_t> order,
                 const Growth& growth, Control& control) {
    MeasuredGrower grower(objective, order, growth, control);
    while (grower.can_open()) grower.grow(grower.first(), false);
    return grower.finish();
}

Partition k_member(const Objective& objective, std::span<const std::int32_t> order,
                   std::int32_t start, bool centre, const Growth& growth, Control& control) {
    MeasuredGrower grower(objective, order, growth, control);
    std::int32_t last = start;
    bool opened = false;
    while (grower.can_open()) {
        const bool at_start = !opened && grower.is_left(start);
        last = grower.grow(at_start ? start : grower.furthest(last), centre);
        opened = true;
    }
    return grower.finish();
}

}  // namespace shoal
