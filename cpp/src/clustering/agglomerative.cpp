#include "shoal/clustering/agglomerative.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "clustering/cluster_scan.hpp"
#include "clustering/information_scan.hpp"
#include "shoal/common/deadline.hpp"

namespace shoal {

namespace {

// A cluster and its nearest older one, as they were when the distance was computed. The distance
// can only have grown since: older clusters vanish, none is added.
struct Pair {
    double distance;
    std::int64_t number;
    std::size_t slot;
    std::int64_t partner_number;
    std::size_t partner;

    bool operator<(const Pair& other) const {  // the greatest is the closest
        return std::tie(distance, number) > std::tie(other.distance, other.number);
    }
};

template <class Scan>
class Agglomerator {
  public:
    Agglomerator(const Objective& objective, const Agglomeration& settings, Control& control,
                 Scan& scan)
        : objective_(objective),
          records_(objective.records()),
          settings_(settings),
          control_(control),
          scan_(scan),
          deadline_(settings.seconds),
          remaining_(records_.total),
          number_(records_.rows(), gone),
          next_(records_.rows(), end),
          last_(records_.rows()) {}

    Partition run() {
        for (std::size_t row = 0; row < records_.rows(); ++row) {
            if (records_.counts[row] < settings_.k) continue;
            result_.place(static_cast<std::int32_t>(row), classes_++, records_.counts[row]);
            remaining_ -= records_.counts[row];
        }
        for (std::size_t row = 0; row < records_.rows() && !is_time_up(); ++row) {
            if (records_.counts[row] >= settings_.k) continue;
            open(row);
            ++clusters_;
            control_.report(opening_share * opened_share(row));
        }
        while (scan_.size() > 1 && !is_time_up()) unite_closest();
        if (scan_.size() == 1 && remaining_ < settings_.k) place_leftovers();
        control_.report(1.0);
        return std::move(result_);
    }

  private:
    static constexpr std::int64_t gone = -1;
    static constexpr std::size_t end = static_cast<std::size_t>(-1);
    static constexpr double opening_share = 0.3;  // of the time, about

    void check() const {
        if (control_.cancelled()) throw Cancelled();
    }

    // So few records that they make no class of their own find others in next to no time.
    bool is_time_up() const { return remaining_ >= settings_.k && deadline_.passed(); }

    double opened_share(std::size_t row) const {
        const double share = static_cast<double>(row + 1) / static_cast<double>(records_.rows());
        return share * share;
    }

    // Slots are rows: a cluster sits in the slot of one of its rows.
    void open(std::size_t row) {
        scan_.open(row, row, records_.counts[row]);
        last_[row] = row;
        next_[row] = end;
        number_[row] = numbers_++;
        find_nearest(row);
    }

    void find_nearest(std::size_t slot) {
        check();
        const Nearest nearest = scan_.nearest_older(slot);
        if (nearest.slot < 0) return;  // the oldest of all
        const auto partner = static_cast<std::size_t>(nearest.slot);
        pairs_.push({nearest.distance, number_[slot], slot, number_[partner], partner});
    }

    void unite_closest() {
        const Pair pair = pairs_.top();
        pairs_.pop();
        if (number_[pair.slot] != pair.number) return;  // it is part of another by now
        if (number_[pair.partner] != pair.partner_number) {
            find_nearest(pair.slot);
            return;
        }
        const std::size_t kept = pair.partner;
        scan_.unite(kept, pair.slot);
        next_[last_[kept]] = pair.slot;
        last_[kept] = last_[pair.slot];
        number_[pair.slot] = gone;
        number_[kept] = numbers_++;
        if (scan_.size_of(kept) >= settings_.k) {
            close(kept);
        } else {
            find_nearest(kept);
        }
        const double left = static_cast<double>(scan_.size()) / static_cast<double>(clusters_);
        control_.report(opening_share + (1.0 - opening_share) * (1.0 - left * left));
    }

    std::vector<std::size_t> members(std::size_t slot) const {
        // The list starts at the row whose slot this is: it was the cluster's first.
        std::vector<std::size_t> rows;
        for (std::size_t row = slot; row != end; row = next_[row]) rows.push_back(row);
        return rows;
    }

    void close(std::size_t slot) {
        scan_.remove(slot);
        number_[slot] = gone;
        std::vector<std::size_t> rows = members(slot);
        std::vector<std::size_t> returned;
        if (settings_.shrink) returned = give_back(rows, scan_.size_of(slot) - settings_.k);
        for (const std::size_t row : rows) {
            result_.place(static_cast<std::int32_t>(row), classes_, records_.counts[row]);
            remaining_ -= records_.counts[row];
        }
        ++classes_;
        for (const std::size_t row : returned) open(row);
    }

    // Takes out of `rows` what the class need not keep.
    std::vector<std::size_t> give_back(std::vector<std::size_t>& rows, std::int64_t excess) const {
        std::vector<std::size_t> returned;
        std::sort(rows.begin(), rows.end());
        ClassState state;
        for (const std::size_t row : rows) state.add(objective_, row, records_.counts[row]);
        for (;;) {
            std::size_t costliest = end;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t place = 0; place < rows.size(); ++place) {
                const std::int32_t count = records_.counts[rows[place]];
                if (count > excess) continue;
                const double rest =
                    state.total(objective_) + state.change_removing(objective_, rows[place], count);
                const double per_record = rest / static_cast<double>(state.size() - count);
                if (per_record < least) {
                    least = per_record;
                    costliest = place;
                }
            }
            if (costliest == end) return returned;
            const std::int32_t count = records_.counts[rows[costliest]];
            state.remove(objective_, rows[costliest], count);
            excess -= count;
            returned.push_back(rows[costliest]);
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(costliest));
        }
    }

    void place_leftovers() {
        std::size_t slot = 0;
        while (number_[slot] == gone) ++slot;
        std::vector<ClassState> states(static_cast<std::size_t>(classes_));
        for (std::size_t i = 0; i < result_.row.size(); ++i) {
            states[static_cast<std::size_t>(result_.klass[i])].add(
                objective_, static_cast<std::size_t>(result_.row[i]), result_.count[i]);
        }
        for (const std::size_t row : members(slot)) {
            check();
            const std::int32_t count = records_.counts[row];
            std::size_t best = 0;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t c = 0; c < states.size(); ++c) {
                const double grown = states[c].change_adding(objective_, row, count);
                if (grown < least) {
                    least = grown;
                    best = c;
                }
            }
            states[best].add(objective_, row, count);
            result_.place(static_cast<std::int32_t>(row), static_cast<std::int32_t>(best), count);
        }
    }

    const Objective& objective_;
    const Records& records_;
    Agglomeration settings_;
    Control& control_;
    Scan& scan_;
    Deadline deadline_;
    std::int64_t remaining_;  // records in no class yet
    std::priority_queue<Pair> pairs_;
    std::vector<std::int64_t> number_;  // by slot: of the cluster in it, by age
    std::vector<std::size_t> next_;     // by row: the next one of its cluster
    std::vector<std::size_t> last_;     // by slot: the last row of its cluster
    std::int64_t numbers_ = 0;
    std::size_t clusters_ = 0;
    std::int32_t classes_ = 0;
    Partition result_;
};

}  // namespace

Partition agglomerative(const Objective& objective, const Agglomeration& settings,
                        Control& control) {
    const Records& records = objective.records();
    if (objective.plain()) {
        ClusterScan scan(records, records.rows(), settings.path);
        return Agglomerator(objective, settings, control, scan).run();
    }
    InformationScan scan(objective, records.rows());
    return Agglomerator(objective, settings, control, scan).run();
}

}  // namespace shoal
