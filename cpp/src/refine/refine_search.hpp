// The search within one region: proposals, each taken or refused by its change of the total loss.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "refine/refine_evictions.hpp"
#include "refine/refine_joint_progress.hpp"
#include "refine/refine_mixture.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

// Temperatures, in units of the total loss, as they fall over the steps of a round.
struct Heat {
    double from = 0.0;
    double to = 0.0;
};

struct Limits {
    std::int64_t steps;  // of all searches, if there are several
    bool timed = false;
    Clock::time_point end{};
    JointProgress* joint = nullptr;
};

template <class Classes>
class RegionSearch : public RegionEvictions<Classes> {
  public:
    using RegionEvictions<Classes>::RegionEvictions;

    // Takes about `limits.steps` evaluations; returns how many.
    std::int64_t run(const Limits& limits, const Heat& heat, const Mixture& mixture,
                     const Control& control) {
        steps_ = 0;
        OwnProgress progress(limits.joint);
        if (own_rows_.empty()) return 0;
        std::array<std::uint64_t, kinds> below{};
        std::int64_t next_look = 0;
        const double ratio = heat.from > 0 ? std::log(heat.to / heat.from) : 0.0;
        while (steps_ < limits.steps) {
            if (steps_ >= next_look) {
                if (control.abandoned()) throw Cancelled();
                if (control.stopping()) break;
                if (limits.timed && Clock::now() >= limits.end) break;
                if (!this->has_entries(0)) break;
                const std::int64_t taken = progress.count(steps_);
                if (taken >= limits.steps || progress.is_over()) break;
                next_look = steps_ + this->steps_between_looks;
                const double done = static_cast<double>(taken) / static_cast<double>(limits.steps);
                temperature_ = heat.from > 0 ? heat.from * std::exp(ratio * done) : 0.0;
                balance(mixture, below);
            }
            const std::int64_t before = steps_++;
            const std::uint64_t drawn = random_.next();
            const std::int32_t row = own_rows_[((drawn >> 32) * own_rows_.size()) >> 32];
            const std::int32_t entry = draw_entry(row);
            const std::uint64_t kind_drawn = drawn & 0xFFFFFFFFu;
            std::size_t kind = 0;
            while (kind + 1 < kinds && kind_drawn >= below[kind]) ++kind;
            if (kind == 0) {
                // Several for one row, whose list is at hand then.
                note(0, relocate(entry));
                for (int again = 1; again < relocations; ++again) {
                    ++steps_;
                    note(0, relocate(draw_entry(row)));
                }
            } else if (kind == 1) {
                note(1, dissolve(entries_[at(entry)].klass));
            } else if (kind == 2) {
                note(2, open(entry));
            } else if (kind == 3) {
                note(3, redivide(entry));
            } else if constexpr (plain) {
                note(4, this->evict(entries_[at(entry)].klass, threshold()));
            }
            ++proposals_[kind];
            cost_[kind] += steps_ - before;
            tally_.steps[kind] += static_cast<double>(steps_ - before);
        }
        progress.count(steps_);
        return steps_;
    }

    const ProposalTally& tally() const { return tally_; }

    // Counts proposals, gains and moves from nothing again.
    void begin_round() {
        tally_ = {};
        rises_.clear();
        asked_ = allowed_ = 0;
    }

    // Has the search keep what its first moves and exchanges to the worse would have cost.
    void watch_rises(std::size_t most) { most_rises_ = most; }
    const std::vector<double>& rises() const { return rises_; }

    // Moves to a class near by that the sizes of classes allow, and those of them that the models
    // allow too.
    std::int64_t asked() const { return asked_; }
    std::int64_t allowed() const { return allowed_; }

  private:
    using State = RegionEvictions<Classes>;
    using State::cheapest_class;
    using State::classes_;
    using State::commit;
    using State::draw_entry;
    using State::empty_class;
    using State::entries_;
    using State::entry_of;
    using State::free_classes_;
    using State::helps;
    using State::histograms_;
    using State::is_whole;
    using State::k_;
    using State::log_transfer;
    using State::members_;
    using State::models_;
    using State::near;
    using State::note_empty;
    using State::own_rows_;
    using State::owns;
    using State::plain;
    using State::random_;
    using State::row_first_;
    using State::rows_;
    using State::spares;
    using State::steps_;
    using State::takes;
    using State::transfer;
    using State::undo;
    using typename State::Entry;
    using typename State::Place;

    static constexpr int relocations = 4;

    // Sets how often each kind is proposed, so that each gets its part of the steps.
    void balance(const Mixture& part, std::array<std::uint64_t, kinds>& below) {
        std::array<double, kinds> often;
        double sum = 0.0;
        for (std::size_t i = 0; i < kinds; ++i) {
            often[i] = part[i] * static_cast<double>(proposals_[i]) / static_cast<double>(cost_[i]);
            sum += often[i];
        }
        double reached = 0.0;
        for (std::size_t i = 0; i < kinds; ++i) {
            reached += often[i];
            below[i] = static_cast<std::uint64_t>(reached / sum * 0x1p32);
        }
    }

    // Whether a move or an exchange that changes the total by so much is not taken.
    bool refuses(double change) {
        if (change > 0 && rises_.size() < most_rises_) rises_.push_back(change);
        return change > threshold();
    }

    // The greatest change that is taken now: an exponential variate times the temperature.
    double threshold() {
        return temperature_ > 0 ? temperature_ * exponential(random_.next()) : 0.0;
    }
    static double exponential(std::uint64_t drawn) {
        static const std::array<double, 4096> table = [] {
            std::array<double, 4096> made;
            for (std::size_t i = 0; i < made.size(); ++i) {
                made[i] = -std::log((static_cast<double>(i) + 0.5) / 4096.0);
            }
            return made;
        }();
        return table[drawn >> 52];
    }

    void note(std::size_t kind, double change) {
        if (change < 0) tally_.gained[kind] -= change;
    }

    // ---- proposals: each returns by how much it changed the total, 0 if it was not taken

    // A class that holds a neighbour of the row, or another class that holds the row; or -1.
    std::int32_t draw_class_near(std::int32_t row, std::int32_t other_than) {
        const auto near_rows = near(row);
        const std::uint64_t drawn = random_.next();
        const std::uint64_t choices = near_rows.size() + 1;
        // The cube of an even draw: near ones more often than far ones.
        const double even = static_cast<double>(drawn >> 11) * 0x1p-53;
        const auto chosen =
            static_cast<std::size_t>(even * even * even * static_cast<double>(choices));
        const std::int32_t from = chosen == 0 ? row : near_rows[chosen - 1];
        if (!owns(from)) return -1;
        const std::int32_t c = entries_[at(draw_entry(from))].klass;
        return c == other_than ? -1 : c;
    }

    double relocate(std::int32_t entry) {
        const Entry each = entries_[at(entry)];
        const std::int32_t from = each.klass;
        const std::int32_t to = draw_class_near(each.row, from);
        if (to < 0) return 0.0;
        const std::int64_t size = classes_.size(at(from));
        const bool free = size - each.count >= k_ || size == each.count;
        bool open = free;
        if (free && !models_.empty()) {
            const bool spared = spares(each);
            open = spared && takes(to, each.row, each.count);
            ++asked_;
            allowed_ += open;
            if (spared && !open && (random_.next() & 1)) {
                return pass_on(entry, each, to);
            }
        }
        if (open) return move(entry, each, to, each.count);
        if (!models_.empty() && each.count > 1 && (random_.next() & 1)) {
            // Some of the records, where a model forbids to move them all.
            const auto others = static_cast<std::uint64_t>(each.count - 1);
            const auto some = 1 + static_cast<std::int32_t>(random_.below(others));
            return size - some >= k_ ? move(entry, each, to, some) : 0.0;
        }
        if (!free && size > k_ && each.count > 1 && (random_.next() & 1)) {
            return move(entry, each, to, static_cast<std::int32_t>(size - k_));
        }
        return exchange(entry, each, to);
    }

    double move(std::int32_t entry, const Entry& each, std::int32_t to, std::int32_t count) {
        steps_ += 1;
        const std::size_t from = at(each.klass);
        const bool whole = count == each.count;
        const double before = classes_.total(from) + classes_.total(at(to));
        const double after = classes_.total_removing(from, at(each.row), count, whole) +
                             classes_.total_adding(at(to), at(each.row), count);
        if (refuses(after - before)) return 0.0;
        if (!models_.empty() && !whole) {
            const std::size_t row = at(rows_[at(each.row)]);
            if (!histograms_[at(to)].holds_adding(models_, row, count)) return 0.0;
            if (!histograms_[from].holds_removing(models_, row, count)) return 0.0;
        }
        transfer(entry, to, count);
        note_empty(each.klass);
        return after - before;
    }

    // Records go to a class that has no room for them under the models, and as many that are alike
    // go on from there to a third that has.
    double pass_on(std::int32_t entry, const Entry& each, std::int32_t to) {
        const std::int32_t other = draw_partner(each, to);
        const Entry next = entries_[at(other)];
        const std::int32_t count = each.count;
        if (next.row == each.row || !owns(next.row) || next.count < count ||
            !this->is_alike(each.row, next.row)) {
            return 0.0;
        }
        const std::int32_t last = draw_class_near(next.row, to);
        if (last < 0 || last == each.klass || !takes(last, next.row, count)) return 0.0;
        if (entry_of(each.row, to) >= 0) return 0.0;
        steps_ += 2;
        const std::size_t from = at(each.klass);
        const double before =
            classes_.total(from) + classes_.total(at(to)) + classes_.total(at(last));
        const double after = classes_.total_removing(from, at(each.row), count, true) +
                             classes_.total_exchanging(at(to), at(next.row), count,
                                                       count == next.count, at(each.row), count) +
                             classes_.total_adding(at(last), at(next.row), count);
        if (refuses(after - before)) return 0.0;
        transfer(entry, to, count);
        transfer(entry_of(next.row, to), last, count);
        note_empty(each.klass);
        return after - before;
    }

    // A member of a class; with models rather one that they take for the same as the entry, since
    // an exchange of two others would mostly break one.
    std::int32_t draw_partner(const Entry& each, std::int32_t c) {
        const auto& members = members_[at(c)];
        std::int32_t other = -1;
        for (int drawn = 0; drawn < 4; ++drawn) {
            other = members[static_cast<std::size_t>(random_.below(members.size()))];
            if (this->is_alike(each.row, entries_[at(other)].row)) break;
        }
        return other;
    }

    double exchange(std::int32_t entry, const Entry& each, std::int32_t to) {
        const std::int32_t other = draw_partner(each, to);
        const Entry back = entries_[at(other)];
        const std::size_t from = at(each.klass);
        if (back.row == each.row || !owns(back.row)) return 0.0;
        std::int32_t away = each.count, home = back.count;
        // As many for as many of what is alike: no model is touched.
        if (!models_.empty() && this->is_alike(each.row, back.row)) {
            away = home = std::min(away, home);
        }
        if (classes_.size(from) - away + home < k_ || classes_.size(at(to)) - home + away < k_) {
            return 0.0;
        }
        if (entry_of(each.row, to) >= 0 || entry_of(back.row, each.klass) >= 0) return 0.0;
        steps_ += 1;
        const double before = classes_.total(from) + classes_.total(at(to));
        const double after = classes_.total_exchanging(from, at(each.row), away, away == each.count,
                                                       at(back.row), home) +
                             classes_.total_exchanging(at(to), at(back.row), home,
                                                       home == back.count, at(each.row), away);
        if (refuses(after - before)) return 0.0;
        if (!models_.empty()) {
            log_transfer(entry, to, away);
            log_transfer(entry_of(back.row, to), each.klass, home);
            return commit() ? after - before : 0.0;
        }
        transfer(entry, to, each.count);
        transfer(entry_of(back.row, to), each.klass, back.count);
        return after - before;
    }

    // Every entry of a class goes where it costs least.
    double dissolve(std::int32_t c) {
        const double limit = threshold();
        double change = -classes_.total(at(c));
        while (!members_[at(c)].empty()) {
            const std::int32_t entry = members_[at(c)].back();
            const Entry each = entries_[at(entry)];
            const auto [to, cost] =
                owns(each.row) ? cheapest_class(each.row, each.count, c) : Place{-1, 0.0};
            change += cost;
            if (to < 0 || (plain && change > limit)) {
                undo();
                return 0.0;
            }
            log_transfer(entry, to, each.count);
        }
        if (change > limit) {
            undo();
            return 0.0;
        }
        return commit() ? change : 0.0;
    }

    // A row and its nearest neighbours, taken from classes that can spare them, become a class.
    double open(std::int32_t entry) {
        const double limit = threshold();
        const std::int32_t row = entries_[at(entry)].row;
        const std::int32_t fresh = empty_class();
        if (fresh < 0) return 0.0;
        double change = 0.0;
        const auto gather = [&](std::int32_t from) {
            if (!owns(from)) return;
            for (std::int32_t e = row_first_[at(from)]; e >= 0;) {
                const Entry each = entries_[at(e)];
                if (each.klass != fresh && spares(each) &&
                    (classes_.size(at(fresh)) < k_ || helps(each, fresh))) {
                    steps_ += 2;
                    change += classes_.total_removing(at(each.klass), at(from), each.count, true) -
                              classes_.total(at(each.klass));
                    log_transfer(e, fresh, each.count);
                }
                e = each.next;
                if (is_whole(fresh)) return;
            }
        };
        // A class that gave away some records can spare others: a second look may find them.
        for (int look = 0; look < (models_.empty() ? 1 : 2) && !is_whole(fresh); ++look) {
            gather(row);
            for (const std::int32_t other : near(row)) {
                if (is_whole(fresh)) break;
                gather(other);
            }
        }
        change += classes_.total(at(fresh));
        if (is_whole(fresh) && change <= limit) {
            if (commit()) return change;
        } else {
            undo();
        }
        free_classes_.push_back(fresh);
        return 0.0;
    }

    // A class (of 2k records or more), or one and a neighbour, is cut into two anew.
    double redivide(std::int32_t entry) {
        const std::int32_t first = entries_[at(entry)].klass;
        std::int32_t second = -1;
        if (classes_.size(at(first)) < 2 * k_) {
            second = draw_class_near(entries_[at(entry)].row, first);
            if (second < 0) return 0.0;
        }
        return this->divide_anew(first, second, threshold());
    }

    double temperature_ = 0.0;
    ProposalTally tally_;
    std::size_t most_rises_ = 0;
    std::vector<double> rises_;
    std::int64_t asked_ = 0, allowed_ = 0;
    // Of each kind so far, with a first guess of its cost.
    std::array<std::int64_t, kinds> proposals_{1, 1, 1, 1, 1};
    std::array<std::int64_t, kinds> cost_{8, 100, 20, 50, 200};
};

}  // namespace shoal
