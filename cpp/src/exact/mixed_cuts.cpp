#include "shoal/exact/mixed_cuts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "exact/broken_cuts.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

namespace mixing {

namespace {

constexpr double nothing = 1e-9;
constexpr int patience = 6;
// Where moves are equal, rows that share classes with the cut go first.
constexpr double sharing = 1e-3;

struct Entry {
    std::size_t column;
    std::int32_t count;
};

using cutting::Broken;
using cutting::Key;
using cutting::Members;

// What is lost where a class has m more than a multiple of the divisor d, and all records r more:
// with the equalities, what classes count exceeds what is allowed by (r - sum of these losses) / d.
double lost(std::int64_t m, std::int64_t r, std::int64_t d) {
    return m <= r ? static_cast<double>(m)
                  : static_cast<double>(r * (d - m)) / static_cast<double>(d - r);
}

class Search {
  public:
    Search(std::span<const std::int64_t> counts, const Columns& columns,
           std::span<const double> value, Control& control)
        : counts_(counts),
          columns_(columns),
          value_(value),
          control_(control),
          entries_(counts.size()),
          held_(value.size(), 0),
          weight_(counts.size(), 0),
          banned_(counts.size(), 0),
          seen_(counts.size(), 0) {
        for (std::size_t s = 0; s < value.size(); ++s) {
            if (value[s] <= nothing || value[s] >= 1 - nothing) continue;
            fractional_.push_back(s);
            for (auto i = columns.start[s]; i < columns.start[s + 1]; ++i) {
                const auto at = static_cast<std::size_t>(i);
                entries_[static_cast<std::size_t>(columns.row[at])].push_back(
                    {s, columns.count[at]});
            }
        }
    }

    // Pairs of rows of one fractional column, rows of two such columns that overlap, and clusters
    // of rows that share columns.
    std::vector<std::vector<std::int32_t>> starts(std::size_t largest) const {
        std::set<std::vector<std::int32_t>> found;
        std::map<std::pair<std::int32_t, std::int32_t>, double> together;
        for (const std::size_t s : fractional_) {
            look();
            const auto rows = rows_of(s);
            for (std::size_t a = 0; a < rows.size(); ++a) {
                for (std::size_t b = a + 1; b < rows.size(); ++b) {
                    found.insert({rows[a], rows[b]});
                    together[{rows[a], rows[b]}] += value_[s];
                }
                for (const Entry& entry : entries_[static_cast<std::size_t>(rows[a])]) {
                    if (entry.column <= s) continue;
                    const auto others = rows_of(entry.column);
                    std::vector<std::int32_t> all(rows.begin(), rows.end());
                    all.insert(all.end(), others.begin(), others.end());
                    std::sort(all.begin(), all.end());
                    all.erase(std::unique(all.begin(), all.end()), all.end());
                    found.insert(std::move(all));
                }
            }
        }
        add_clusters(together, largest, found);
        return {found.begin(), found.end()};
    }

    void from(std::span<const std::int32_t> start, std::int32_t divisor,
              const Separation& separation, std::set<Key>& known, std::vector<Broken>& broken) {
        look();
        divisor_ = divisor;
        mass_.assign(static_cast<std::size_t>(divisor), 0.0);
        for (const std::int32_t row : start) shift(static_cast<std::size_t>(row), 1);
        step_ += patience;  // no ban of an earlier search holds
        const std::int64_t end = step_ + 3 * separation.largest;
        Broken best{separation.violation, divisor, 0, {}};
        keep_if_better(best);
        int idle = 0;
        while (step_ < end && idle < patience) {
            const Move move = best_move(separation.largest);
            if (move.by == 0) break;
            shift(move.row, move.by);
            banned_[move.row] = step_ + patience;
            idle = keep_if_better(best) ? 0 : idle + 1;
        }
        while (!rows_.empty()) {
            const auto row = static_cast<std::size_t>(rows_.back());
            shift(row, -weight_[row]);
        }
        if (best.members.empty()) return;
        std::sort(best.members.begin(), best.members.end());
        // With the equalities, weights w and d - w make the same cut.
        Members other = best.members;
        for (auto& member : other) member.second = divisor - member.second;
        if (known.emplace(divisor, std::min(best.members, other)).second) {
            broken.push_back(std::move(best));
        }
    }

  private:
    void look() const {
        if (control_.cancelled()) throw Cancelled();
    }

    struct Move {
        std::size_t row = 0;
        std::int64_t by = 0;
    };

    // Joins the rows that are most together, one pair after another, and adds every cluster on the
    // way: classes that hardly leave a cluster must divide it nearly alone.
    void add_clusters(const std::map<std::pair<std::int32_t, std::int32_t>, double>& together,
                      std::size_t largest, std::set<std::vector<std::int32_t>>& found) const {
        std::vector<std::pair<double, std::pair<std::int32_t, std::int32_t>>> pairs;
        for (const auto& [pair, share] : together) pairs.emplace_back(-share, pair);
        std::sort(pairs.begin(), pairs.end());
        std::vector<std::vector<std::int32_t>> cluster(counts_.size());
        std::vector<std::size_t> of(counts_.size());
        for (std::size_t row = 0; row < counts_.size(); ++row) {
            cluster[row] = {static_cast<std::int32_t>(row)};
            of[row] = row;
        }
        for (const auto& each : pairs) {
            std::size_t a = of[static_cast<std::size_t>(each.second.first)];
            std::size_t b = of[static_cast<std::size_t>(each.second.second)];
            if (a == b) continue;
            if (cluster[a].size() < cluster[b].size()) std::swap(a, b);
            look();
            for (const std::int32_t row : cluster[b]) of[static_cast<std::size_t>(row)] = a;
            cluster[a].insert(cluster[a].end(), cluster[b].begin(), cluster[b].end());
            cluster[b].clear();
            if (cluster[a].size() > largest) continue;
            std::vector<std::int32_t> rows = cluster[a];
            std::sort(rows.begin(), rows.end());
            found.insert(std::move(rows));
        }
    }

    std::span<const std::int32_t> rows_of(std::size_t s) const {
        return std::span(columns_.row)
            .subspan(static_cast<std::size_t>(columns_.start[s]),
                     static_cast<std::size_t>(columns_.start[s + 1] - columns_.start[s]));
    }

    double violation(std::span<const double> mass, std::int64_t total) const {
        const std::int64_t r = total % divisor_;
        double sum = static_cast<double>(r);
        for (std::int64_t m = 1; m < divisor_; ++m) {
            sum -= lost(m, r, divisor_) * mass[static_cast<std::size_t>(m)];
        }
        return sum / divisor_;
    }

    bool keep_if_better(Broken& best) const {
        const double now = violation(mass_, total_);
        if (!(now > best.violation + nothing)) return false;
        best.violation = now;
        best.remainder = static_cast<std::int32_t>(total_ % divisor_);
        best.members.clear();
        for (const std::int32_t row : rows_) {
            best.members.emplace_back(row, weight_[static_cast<std::size_t>(row)]);
        }
        return true;
    }

    // Moves the columns of a row to the remainders that they have with one weight more or less.
    void move_mass(std::size_t row, std::int64_t by, std::vector<double>& mass) const {
        for (const Entry& entry : entries_[row]) {
            const std::int64_t before = held_[entry.column];
            const std::int64_t after = before + by * entry.count;
            mass[static_cast<std::size_t>(before % divisor_)] -= value_[entry.column];
            mass[static_cast<std::size_t>(after % divisor_)] += value_[entry.column];
        }
    }

    void shift(std::size_t row, std::int64_t by) {
        move_mass(row, by, mass_);
        for (const Entry& entry : entries_[row]) held_[entry.column] += by * entry.count;
        total_ += by * counts_[row];
        if (weight_[row] == 0) rows_.push_back(static_cast<std::int32_t>(row));
        weight_[row] += static_cast<std::int32_t>(by);
        if (weight_[row] == 0) {
            rows_.erase(std::find(rows_.begin(), rows_.end(), static_cast<std::int32_t>(row)));
        }
        ++step_;
    }

    Move best_move(std::int32_t largest) {
        Move best;
        double most = 0.0;
        ++mark_;
        const auto weigh = [&](std::size_t row, std::int64_t by) {
            const std::int64_t after = total_ + by * counts_[row];
            if (after <= 0) return;
            trial_ = mass_;
            move_mass(row, by, trial_);
            double worth = violation(trial_, after);
            double shared = 0.0;
            for (const Entry& entry : entries_[row]) {
                if (held_[entry.column] > 0) shared += value_[entry.column];
            }
            worth += sharing * static_cast<double>(by) * shared;
            if (best.by == 0 || worth > most + nothing) {
                most = worth;
                best = {row, by};
            }
        };
        const auto consider = [&](std::size_t row) {
            if (seen_[row] == mark_) return;
            seen_[row] = mark_;
            if (banned_[row] > step_) return;
            if (weight_[row] > 0) weigh(row, -1);
            const bool room = static_cast<std::int32_t>(rows_.size()) < largest;
            if (weight_[row] + 1 < divisor_ && (weight_[row] > 0 || room)) weigh(row, 1);
        };
        for (const std::int32_t member : rows_) {
            const auto row = static_cast<std::size_t>(member);
            consider(row);
            for (const Entry& entry : entries_[row]) {
                for (const std::int32_t other : rows_of(entry.column)) {
                    consider(static_cast<std::size_t>(other));
                }
            }
        }
        return best;
    }

    std::span<const std::int64_t> counts_;
    const Columns& columns_;
    std::span<const double> value_;
    Control& control_;
    std::vector<std::size_t> fractional_;
    std::vector<std::vector<Entry>> entries_;
    std::vector<std::int64_t> held_;  // weight in each column: counts and weights are 32 bits each
    std::vector<std::int32_t> weight_;
    std::vector<std::int64_t> banned_;  // until this step
    std::vector<std::int64_t> seen_;
    std::vector<std::int32_t> rows_;
    std::vector<double> mass_;  // of columns with each remainder
    std::vector<double> trial_;
    std::int32_t divisor_ = 2;
    std::int64_t total_ = 0;
    std::int64_t step_ = 0;
    std::int64_t mark_ = 0;
};

}  // namespace

}  // namespace mixing

RankCuts separate_mixed(std::span<const std::int64_t> counts, const Columns& columns,
                        std::span<const double> value, const Separation& separation,
                        Control& control) {
    mixing::Search search(counts, columns, value, control);
    std::vector<cutting::Broken> broken;
    std::set<cutting::Key> known;
    const auto starts = search.starts(static_cast<std::size_t>(separation.largest));
    for (const std::int32_t divisor : separation.divisors) {
        for (const auto& start : starts) {
            search.from(start, divisor, separation, known, broken);
        }
    }
    return cutting::most_broken(std::move(broken), separation, counts.size());
}

}  // namespace shoal
