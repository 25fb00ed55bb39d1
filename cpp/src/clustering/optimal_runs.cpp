#include "shoal/clustering/optimal_runs.hpp"

#include <algorithm>
#include <limits>

#include "shoal/common/class_state.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/common/rounded_loss.hpp"

namespace shoal {

namespace {

// What consecutive rows lose as one class: all their records together, and each record of the
// first and of the last row, given the closure of all of them. Every measure is linear in these, so
// that runs which take only some records of the rows at their ends need no closure of their own.
struct RunLoss {
    double total;
    double of_first;
    double of_last;
};

// The plain loss of consecutive rows, grown row by row from the last one. Intervals and sets of up
// to 64 values, by far the most common, have their codes laid out in the order of the walk.
class PlainRun {
  public:
    PlainRun(const Objective& objective, std::span<const std::int32_t> order)
        : PlainRun(objective.records(), order) {}

    RunLoss open(std::size_t place, std::int64_t count) {
        size_ = count;
        return loss_of_run(open(place));
    }
    RunLoss add(std::size_t place, std::int64_t count) {
        size_ += count;
        return loss_of_run(add(place));
    }

  private:
    PlainRun(const Records& records, std::span<const std::int32_t> order)
        : attributes_(rounded_attributes(records)), order_(order) {
        for (std::size_t j = 0; j < attributes_.size(); ++j) {
            const Attribute& attribute = *attributes_[j].source;
            if (attribute.kind == Kind::interval) {
                intervals_.push_back({attributes_[j].weight});
                interval_attributes_.push_back(j);
            } else if (attribute.kind == Kind::set && attribute.code_count <= 64) {
                sets_.push_back({attributes_[j].step, attributes_[j].weight});
                set_attributes_.push_back(j);
            } else {
                others_.push_back({j});
            }
        }
        positions_.resize(order.size() * intervals_.size());
        codes_.resize(order.size() * sets_.size());
        for (std::size_t place = 0; place < order.size(); ++place) {
            const auto row = static_cast<std::size_t>(order[place]);
            for (std::size_t s = 0; s < intervals_.size(); ++s) {
                const RoundedAttribute& attribute = attributes_[interval_attributes_[s]];
                positions_[place * intervals_.size() + s] =
                    attribute.positions[attribute.source->code(row)];
            }
            for (std::size_t s = 0; s < sets_.size(); ++s) {
                codes_[place * sets_.size() + s] =
                    static_cast<std::uint8_t>(attributes_[set_attributes_[s]].source->code(row));
            }
        }
    }

    double open(std::size_t place) {
        for (std::size_t s = 0; s < intervals_.size(); ++s) {
            intervals_[s].low = intervals_[s].high = positions_[place * intervals_.size() + s];
        }
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            sets_[s].mask = std::uint64_t{1} << codes_[place * sets_.size() + s];
            sets_[s].loss = 0.0;
        }
        const auto row = static_cast<std::size_t>(order_[place]);
        for (Other& other : others_) {
            const Attribute& attribute = *attributes_[other.attribute].source;
            other.part.open(attribute, attribute.code(row));
            other.loss = loss_of(other);
        }
        return loss();
    }

    double add(std::size_t place) {
        const double* positions = positions_.data() + place * intervals_.size();
        for (std::size_t s = 0; s < intervals_.size(); ++s) {
            intervals_[s].low = std::min(intervals_[s].low, positions[s]);
            intervals_[s].high = std::max(intervals_[s].high, positions[s]);
        }
        const std::uint8_t* codes = codes_.data() + place * sets_.size();
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            Set& set = sets_[s];
            set.loss += (set.mask >> codes[s] & 1u) != 0 ? 0.0 : set.step;
            set.mask |= std::uint64_t{1} << codes[s];
        }
        const auto row = static_cast<std::size_t>(order_[place]);
        for (Other& other : others_) {
            const Attribute& attribute = *attributes_[other.attribute].source;
            if (other.part.add(attribute, attribute.code(row))) other.loss = loss_of(other);
        }
        return loss();
    }

    RunLoss loss_of_run(double loss) const {
        return {static_cast<double>(size_) * loss, loss, loss};
    }

    struct Interval {
        double weight;
        double low = 0.0, high = 0.0;
    };
    struct Set {
        double step, weight;
        double loss = 0.0;  // before it is capped
        std::uint64_t mask = 0;
    };
    struct Other {
        std::size_t attribute;
        Part part{};
        double loss = 0.0;
    };

    double loss_of(const Other& other) const {
        const RoundedAttribute& attribute = attributes_[other.attribute];
        switch (attribute.source->kind) {
            case Kind::set:
                return attribute.set(other.part.values.count());
            case Kind::tree:
                return attribute.node_losses[static_cast<std::size_t>(other.part.node)];
            default:
                return attribute.all_or_nothing(other.part.low, other.part.high);
        }
    }
    double loss() const {
        double sum = 0.0;
        for (const Interval& each : intervals_) sum += std::min(each.high - each.low, each.weight);
        for (const Set& each : sets_) sum += std::min(each.loss, each.weight);
        for (const Other& each : others_) sum += each.loss;
        return sum;
    }

    std::vector<RoundedAttribute> attributes_;
    std::span<const std::int32_t> order_;
    std::vector<Interval> intervals_;
    std::vector<Set> sets_;
    std::vector<Other> others_;
    std::vector<std::size_t> interval_attributes_, set_attributes_;
    std::vector<double> positions_;
    std::vector<std::uint8_t> codes_;
    std::int64_t size_ = 0;
};

// The same under any measure.
class MeasuredRun {
  public:
    MeasuredRun(const Objective& objective, std::span<const std::int32_t> order)
        : objective_(objective), order_(order) {}

    RunLoss open(std::size_t place, std::int64_t count) {
        state_.clear();
        last_ = place;
        return add(place, count);
    }
    RunLoss add(std::size_t place, std::int64_t count) {
        state_.add(objective_, row(place), static_cast<std::int32_t>(count));
        // One more record of a row that is there leaves the closure as it is.
        return {state_.total(objective_), state_.change_adding(objective_, row(place), 1),
                state_.change_adding(objective_, row(last_), 1)};
    }

  private:
    std::size_t row(std::size_t place) const { return static_cast<std::size_t>(order_[place]); }

    const Objective& objective_;
    std::span<const std::int32_t> order_;
    ClassState state_;
    std::size_t last_ = 0;
};

// Dynamic programming over the ends of runs. A run that reaches into a row takes at most 2k - 2 of
// its records, so of more than 5k at least k lie in runs of that row alone, each at the same loss
// however these are divided: whatever a row has beyond 5k goes into one of them.
template <class Run>
class RunDivider {
  public:
    RunDivider(const Objective& objective, std::span<const std::int32_t> order, std::int64_t k,
               Control& control)
        : records_(objective.records()),
          order_(order),
          k_(k),
          control_(control),
          run_(objective, order) {
        starts_.reserve(order.size() + 1);
        starts_.push_back(0);
        for (const std::int32_t row : order) {
            const std::int64_t count = records_.counts[static_cast<std::size_t>(row)];
            starts_.push_back(starts_.back() + std::min(count, 5 * k));
        }
        least_.assign(static_cast<std::size_t>(starts_.back()) + 1,
                      std::numeric_limits<double>::infinity());
        run_start_.assign(least_.size(), -1);
        least_[0] = 0.0;
    }

    Partition divide() {
        for (std::size_t place = 0; place < order_.size(); ++place) {
            if (place % 1024 == 0) {
                if (control_.cancelled()) throw Cancelled();
                control_.report(static_cast<double>(place) / static_cast<double>(order_.size()));
            }
            end_runs_in(place);
        }
        control_.report(1.0);
        return partition();
    }

  private:
    // Finds the best last run for every end within the records of one row.
    void end_runs_in(std::size_t place) {
        const std::int64_t longest = 2 * k_ - 1;
        const std::int64_t earliest = std::max<std::int64_t>(starts_[place] + 1 - longest, 0);
        losses_.clear();
        losses_.push_back(run_.open(place, kept(place)));
        for (std::size_t first = place; starts_[first] > earliest;) {
            --first;
            losses_.push_back(run_.add(first, kept(first)));
        }
        for (std::int64_t end = std::max(starts_[place] + 1, k_); end <= starts_[place + 1];
             ++end) {
            double best = std::numeric_limits<double>::infinity();
            std::int64_t best_start = -1;
            const std::int64_t lowest = std::max<std::int64_t>(end - longest, 0);
            std::int64_t start = end - k_;
            for (std::size_t back = 0; back < losses_.size() && start >= lowest; ++back) {
                const RunLoss& loss = losses_[back];
                const std::int64_t first_start = starts_[place - back];
                const std::int64_t row_start = std::max(first_start, lowest);
                const double to_end =
                    loss.total - static_cast<double>(starts_[place + 1] - end) * loss.of_last;
                for (; start >= row_start; --start) {
                    const double total =
                        least_[static_cast<std::size_t>(start)] +
                        (to_end - static_cast<double>(start - first_start) * loss.of_first);
                    if (total < best) {
                        best = total;
                        best_start = start;
                    }
                }
            }
            least_[static_cast<std::size_t>(end)] = best;
            run_start_[static_cast<std::size_t>(end)] = static_cast<std::int32_t>(best_start);
        }
    }

    std::int64_t kept(std::size_t place) const { return starts_[place + 1] - starts_[place]; }

    Partition partition() const {
        std::vector<std::int64_t> cuts;
        for (std::int64_t cut = starts_.back(); cut > 0;
             cut = run_start_[static_cast<std::size_t>(cut)]) {
            cuts.push_back(cut);
        }
        std::reverse(cuts.begin(), cuts.end());
        Partition result;
        std::size_t place = 0;
        std::int64_t start = 0;
        std::size_t served = order_.size();  // the row whose surplus was placed last
        for (std::size_t klass = 0; klass < cuts.size(); ++klass) {
            const std::int64_t end = cuts[klass];
            while (starts_[place + 1] <= start) ++place;
            for (std::size_t at = place; at < order_.size() && starts_[at] < end; ++at) {
                const std::int32_t row = order_[at];
                std::int64_t count = std::min(end, starts_[at + 1]) - std::max(start, starts_[at]);
                if (count == end - start && served != at) {
                    count += records_.counts[static_cast<std::size_t>(row)] -
                             (starts_[at + 1] - starts_[at]);
                    served = at;
                }
                result.place(row, static_cast<std::int32_t>(klass),
                             static_cast<std::int32_t>(count));
            }
            start = end;
        }
        return result;
    }

    const Records& records_;
    std::span<const std::int32_t> order_;
    std::int64_t k_;
    Control& control_;
    Run run_;
    std::vector<std::int64_t> starts_;     // of each place in the order: records before it
    std::vector<double> least_;            // total loss of the best runs up to each record
    std::vector<std::int32_t> run_start_;  // and where the last of them starts
    std::vector<RunLoss> losses_;          // of the rows from each one before to the one at hand
};

}  // namespace

Partition optimal_runs(const Objective& objective, std::span<const std::int32_t> order,
                       std::int64_t k, Control& control) {
    if (objective.plain()) return RunDivider<PlainRun>(objective, order, k, control).divide();
    return RunDivider<MeasuredRun>(objective, order, k, control).divide();
}

}  // namespace shoal
