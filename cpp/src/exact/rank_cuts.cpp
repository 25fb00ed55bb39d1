#include "shoal/exact/rank_cuts.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "exact/broken_cuts.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

namespace {

constexpr double nothing = 1e-9;
constexpr int patience = 8;

struct Entry {
    std::size_t column;
    std::int32_t count;
};

using cutting::Broken;
using cutting::Key;
using cutting::Members;

// With the equalities, sum floor(c_S / d)·x_S - floor(c / d) is ((c mod d) - sum (c_S mod d)·x_S) /
// d, where c_S and c are the weights of S and of all records.
class Search {
  public:
    Search(std::span<const std::int64_t> counts, const Columns& columns,
           std::span<const double> value)
        : counts_(counts),
          columns_(columns),
          value_(value),
          entries_(counts.size()),
          held_(value.size(), 0),
          weight_(counts.size(), 0),
          banned_(counts.size(), 0),
          seen_(counts.size(), 0) {
        for (std::size_t s = 0; s < value.size(); ++s) {
            if (value[s] <= nothing || value[s] >= 1 - nothing) continue;
            for (auto i = columns.start[s]; i < columns.start[s + 1]; ++i) {
                const auto at = static_cast<std::size_t>(i);
                entries_[static_cast<std::size_t>(columns.row[at])].push_back(
                    {s, columns.count[at]});
            }
        }
    }

    void from(std::size_t start, std::int32_t divisor, const Separation& separation,
              std::set<Key>& known, std::vector<Broken>& broken) {
        if (entries_[start].empty()) return;
        divisor_ = divisor;
        step_ = 0;
        std::fill(banned_.begin(), banned_.end(), 0);
        shift(start, 1);
        double best = separation.violation;
        Members found;
        int idle = 0;
        while (step_ < 3 * separation.largest && idle < patience) {
            const Move move = best_move(separation.largest);
            if (move.by == 0) break;
            shift(move.row, move.by);
            banned_[move.row] = step_ + patience;
            ++idle;
            const double violation = (static_cast<double>(total_ % divisor_) - lost_) / divisor_;
            if (violation > best + nothing) {
                best = violation;
                found.clear();
                for (const std::int32_t row : rows_) {
                    found.emplace_back(row, weight_[static_cast<std::size_t>(row)]);
                }
                idle = 0;
            }
        }
        while (!rows_.empty()) {
            const auto row = static_cast<std::size_t>(rows_.back());
            shift(row, -weight_[row]);
        }
        lost_ = 0.0;
        if (found.empty()) return;
        std::sort(found.begin(), found.end());
        if (known.emplace(divisor, found).second)
            broken.push_back({best, divisor, divisor - 1, found});
    }

  private:
    struct Move {
        std::size_t row = 0;
        std::int64_t by = 0;
    };

    // How much sum (c_S mod d)·x_S changes if the weight of a row does.
    double change(std::size_t row, std::int64_t by) const {
        double sum = 0.0;
        for (const Entry& entry : entries_[row]) {
            const std::int64_t before = held_[entry.column];
            const std::int64_t after = before + by * entry.count;
            sum += value_[entry.column] * static_cast<double>(after % divisor_ - before % divisor_);
        }
        return sum;
    }

    void shift(std::size_t row, std::int64_t by) {
        lost_ += change(row, by);
        for (const Entry& entry : entries_[row]) held_[entry.column] += by * entry.count;
        total_ += by * counts_[row];
        if (weight_[row] == 0) rows_.push_back(static_cast<std::int32_t>(row));
        weight_[row] += static_cast<std::int32_t>(by);
        if (weight_[row] == 0) {
            rows_.erase(std::find(rows_.begin(), rows_.end(), static_cast<std::int32_t>(row)));
        }
        ++step_;
    }

    // The allowed change that costs least. Sizes differ in what they could give at best, c mod d:
    // half of that counts.
    Move best_move(std::int32_t largest) {
        Move best;
        double least = 0.0;
        ++mark_;
        const auto weigh = [&](std::size_t row, std::int64_t by) {
            const std::int64_t after = total_ + by * counts_[row];
            if (after <= 0) return;
            const double cost =
                change(row, by) - 0.5 * static_cast<double>(after % divisor_ - total_ % divisor_);
            if (best.by == 0 || cost < least - nothing) {
                least = cost;
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
                const std::size_t s = entry.column;
                for (auto i = columns_.start[s]; i < columns_.start[s + 1]; ++i) {
                    consider(static_cast<std::size_t>(columns_.row[static_cast<std::size_t>(i)]));
                }
            }
        }
        return best;
    }

    std::span<const std::int64_t> counts_;
    const Columns& columns_;
    std::span<const double> value_;
    std::vector<std::vector<Entry>> entries_;
    std::vector<std::int64_t> held_;  // weight in each column: counts and weights are 32 bits each
    std::vector<std::int32_t> weight_;
    std::vector<std::int32_t> banned_;
    std::vector<std::int64_t> seen_;
    std::vector<std::int32_t> rows_;
    std::int32_t divisor_ = 2;
    std::int64_t total_ = 0;
    double lost_ = 0.0;
    std::int32_t step_ = 0;
    std::int64_t mark_ = 0;
};

}  // namespace

RankCuts separate(std::span<const std::int64_t> counts, const Columns& columns,
                  std::span<const double> value, const Separation& separation, Control& control) {
    Search search(counts, columns, value);
    std::vector<Broken> broken;
    std::set<Key> known;
    for (const std::int32_t divisor : separation.divisors) {
        for (std::size_t row = 0; row < counts.size(); ++row) {
            if (control.cancelled()) throw Cancelled();
            search.from(row, divisor, separation, known, broken);
        }
    }
    return cutting::most_broken(std::move(broken), separation, counts.size());
}

}  // namespace shoal
