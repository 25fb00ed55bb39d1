// A block of records leaves its class, so that the class is rid of one value or of an end.
//
// In a class of hundreds a value is shown because of a few records, and no single one of them can
// leave with a gain: all must. They go where they cost least; where the class would be too small
// without them, it takes others from the classes that they went to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "refine/refine_divisions.hpp"

namespace shoal {

template <class Classes>
class RegionEvictions : public RegionDivisions<Classes> {
  public:
    using RegionDivisions<Classes>::RegionDivisions;

  protected:
    using Region = RegionDivisions<Classes>;
    using Region::classes_;
    using Region::draw_entry;
    using Region::entries_;
    using Region::histograms_;
    using Region::k_;
    using Region::members_;
    using Region::models_;
    using Region::near;
    using Region::own_rows_;
    using Region::owns;
    using Region::random_;
    using Region::row_first_;
    using Region::rows_;
    using Region::steps_;
    using typename Region::Entry;

    static constexpr bool plain = std::is_same_v<Classes, PlainClasses>;

    struct Place {
        std::int32_t klass;
        double cost;
    };

    bool takes(std::int32_t c, std::int32_t row, std::int32_t count) const {
        return models_.empty() ||
               histograms_[at(c)].holds_adding(models_, at(rows_[at(row)]), count);
    }

    // Whether a class is as sound without an entry, or gone with it.
    bool spares(const Entry& each) const {
        const std::int64_t size = classes_.size(at(each.klass));
        if (size == each.count) return true;
        return size - each.count >= k_ &&
               (models_.empty() || histograms_[at(each.klass)].holds_removing(
                                       models_, at(rows_[at(each.row)]), each.count));
    }

    bool is_whole(std::int32_t c) const {
        return classes_.size(at(c)) >= k_ && (models_.empty() || histograms_[at(c)].holds(models_));
    }

    // Whether a class that breaks a model is nearer to it with the entry.
    bool helps(const Entry& each, std::int32_t c) {
        wish_ = histograms_[at(c)];
        wish_.add(models_, at(rows_[at(each.row)]), each.count);
        return wish_.shortfall(models_) < histograms_[at(c)].shortfall(models_);
    }

    void consider(Place& best, std::int32_t c, std::int32_t row, std::int32_t count,
                  std::int32_t other_than) {
        if (c == other_than || c == best.klass) return;
        ++steps_;
        const double cost = classes_.total_adding(at(c), at(row), count) - classes_.total(at(c));
        if (cost < best.cost && takes(c, row, count)) best = {c, cost};
    }

    // The class near a row that takes records of it at least cost.
    Place cheapest_class(std::int32_t row, std::int32_t count, std::int32_t other_than) {
        Place best{-1, std::numeric_limits<double>::infinity()};
        const auto of_row = [&](std::int32_t from) {
            if (!owns(from)) return;
            for (std::int32_t e = row_first_[at(from)]; e >= 0; e = entries_[at(e)].next) {
                consider(best, entries_[at(e)].klass, row, count, other_than);
            }
        };
        of_row(row);
        for (const std::int32_t other : near(row)) of_row(other);
        return best;
    }

    // A class is rid of a block of its entries; returns by how much that changed the total, 0 if
    // that was more than `limit` and nothing was changed. Only plain classes tell which value a
    // record holds alone.
    double evict(std::int32_t c, double limit)
        requires plain
    {
        if (!choose_block(c) || !owns_block()) return 0.0;
        double change = -classes_.total(at(c));
        receivers_.clear();
        for (const std::int32_t row : block_) {
            const std::int32_t entry = this->entry_of(row, c);
            const std::int32_t count = entries_[at(entry)].count;
            const Place best = cheapest_anywhere(row, count, c);
            if (best.klass < 0) {
                this->undo();
                return 0.0;
            }
            change += best.cost;
            this->log_transfer(entry, best.klass, count);
            if (receivers_.size() < most_receivers &&
                std::find(receivers_.begin(), receivers_.end(), best.klass) == receivers_.end()) {
                receivers_.push_back(best.klass);
            }
        }
        change += fill_up(c);
        change += classes_.total(at(c));
        if (change > limit) {  // infinite where others could not spare enough
            this->undo();
            return 0.0;
        }
        return this->commit() ? change : 0.0;
    }

  private:
    static constexpr std::size_t most_receivers = 8;
    static constexpr std::size_t most_block = 256;
    static constexpr int strangers = 6;    // classes drawn from the whole region for each record
    static constexpr int candidates = 12;  // records that a class chooses from to fill up
    static constexpr int looks = 3;        // at attributes, until one shows several values

    // Sets `block_` to rows of a class without which it would show less; false if there are none,
    // or too many.
    bool choose_block(std::int32_t c) {
        for (int look = 0; look < looks; ++look) {
            const auto column = static_cast<std::size_t>(random_.below(classes_.columns()));
            count_codes(c, column);
            if (touched_.size() < 2) continue;
            const bool span = classes_.is_span(column);
            if (span) {
                choose_end();
            } else if (classes_.is_all_or_nothing(column)) {
                keep_commonest();
            } else {
                choose_value();
            }
            block_.clear();
            for (const std::int32_t e : members_[at(c)]) {
                const std::int32_t row = entries_[at(e)].row;
                const std::uint32_t code = classes_.code(at(row), column);
                if (code >= lowest_ && code <= highest_ && code != kept_) block_.push_back(row);
            }
            for (const std::uint32_t code : touched_) counts_[code] = 0;
            return !block_.empty() && block_.size() <= most_block &&
                   2 * block_.size() <= members_[at(c)].size();
        }
        return false;
    }

    bool owns_block() const {
        return std::all_of(block_.begin(), block_.end(),
                           [this](std::int32_t row) { return owns(row); });
    }

    void count_codes(std::int32_t c, std::size_t column) {
        for (const std::uint32_t code : touched_) counts_[code] = 0;
        touched_.clear();
        for (const std::int32_t e : members_[at(c)]) {
            const std::uint32_t code = classes_.code(at(entries_[at(e)].row), column);
            if (code >= counts_.size()) counts_.resize(code + 1);
            if (counts_[code]++ == 0) touched_.push_back(code);
        }
        steps_ += static_cast<std::int64_t>(members_[at(c)].size() / 16);
        lowest_ = 0;
        highest_ = none;
        kept_ = none;
    }
    // The rarer of two values of a set.
    void choose_value() {
        const std::uint32_t a = touched_[random_.below(touched_.size())];
        const std::uint32_t b = touched_[random_.below(touched_.size())];
        lowest_ = highest_ = counts_[a] < counts_[b] ? a : b;
    }
    // The outermost values on one side, mostly few.
    void choose_end() {
        std::sort(touched_.begin(), touched_.end());
        const double even = static_cast<double>(random_.next() >> 11) * 0x1p-53;
        const auto most = static_cast<double>(touched_.size() - 1);
        const auto number = static_cast<std::size_t>(even * even * even * most);
        if (random_.next() & 1) {
            highest_ = touched_[number];
        } else {
            lowest_ = touched_[touched_.size() - 1 - number];
        }
    }
    void keep_commonest() {
        kept_ = *std::max_element(
            touched_.begin(), touched_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return counts_[a] < counts_[b]; });
    }

    // Of the classes near a row, of those that took others of the block, and of some strangers.
    Place cheapest_anywhere(std::int32_t row, std::int32_t count, std::int32_t c) {
        Place best = cheapest_class(row, count, c);
        for (const std::int32_t each : receivers_) consider(best, each, row, count, c);
        for (int drawn = 0; drawn < strangers; ++drawn) {
            consider(best, entries_[at(draw_any())].klass, row, count, c);
        }
        return best;
    }
    std::int32_t draw_any() { return draw_entry(own_rows_[random_.below(own_rows_.size())]); }

    // Gives a class records until it has k and meets every model, which may ask for more; returns
    // by how much the total of the others changed, or infinity if they cannot spare enough.
    double fill_up(std::int32_t c) {
        double change = 0.0;
        // Each brings a record or more, so that only models can take longer.
        const std::int64_t most = k_ + static_cast<std::int64_t>(most_block);
        for (std::int64_t filled = 0; !is_whole(c); ++filled) {
            if (filled == most) return std::numeric_limits<double>::infinity();
            change += fill(c);
            if (change == std::numeric_limits<double>::infinity()) return change;
        }
        return change;
    }

    // Gives a class the cheapest of some records that others can spare and that bring it no
    // further from any model; returns by how much the total of those fell, or infinity if there
    // are none.
    double fill(std::int32_t c) {
        std::int32_t best = -1;
        double least = std::numeric_limits<double>::infinity(), donated = least;
        for (int drawn = 0; drawn < candidates; ++drawn) {
            const std::int32_t entry = draw_filler(c);
            const Entry each = entries_[at(entry)];
            if (each.klass == c || !owns(each.row) || !spares(each) ||
                (!takes(c, each.row, each.count) && !helps(each, c))) {
                continue;
            }
            steps_ += 2;
            const double without =
                classes_.total_removing(at(each.klass), at(each.row), each.count, true) -
                classes_.total(at(each.klass));
            const double cost = without + classes_.total_adding(at(c), at(each.row), each.count);
            if (cost >= least) continue;
            least = cost;
            donated = without;
            best = entry;
        }
        if (best >= 0) this->log_transfer(best, c, entries_[at(best)].count);
        return donated;
    }
    std::int32_t draw_filler(std::int32_t c) {
        if (!receivers_.empty() && (random_.next() & 1)) {
            const auto& some = members_[at(receivers_[random_.below(receivers_.size())])];
            // It may have given away all that it had.
            return some.empty() ? draw_any() : some[random_.below(some.size())];
        }
        const auto& own = members_[at(c)];
        const auto others = near(entries_[at(own[random_.below(own.size())])].row);
        if (others.empty()) return draw_any();
        const std::int32_t other = others[random_.below(others.size())];
        return owns(other) ? draw_entry(other) : draw_any();
    }

    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    ClassHistogram wish_;
    std::vector<std::int32_t> block_;      // rows
    std::vector<std::int32_t> receivers_;  // classes
    std::vector<std::uint32_t> touched_;
    std::vector<std::int32_t> counts_;
    std::uint32_t lowest_ = 0, highest_ = none, kept_ = none;
};

}  // namespace shoal
