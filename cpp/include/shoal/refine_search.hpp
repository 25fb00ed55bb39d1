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

#include "shoal/control.hpp"
#include "shoal/partition.hpp"
#include "shoal/refine_state.hpp"

namespace shoal {

// Temperatures, in units of the total loss, as they fall over the steps of a round.
struct Heat {
    double from = 0.0;
    double to = 0.0;
};

// Which part of the steps each kind of proposal gets; moves and exchanges get the rest. Parts of
// the work, not of the number of proposals: dissolving a class of 100 costs a thousand moves.
struct Mixture {
    double dissolve = 0.20;
    double open = 0.05;
    double recut = 0.30;
};

struct Limits {
    std::int64_t steps;
    bool timed = false;
    std::chrono::steady_clock::time_point end{};
};

template <class Classes>
class RegionSearch : public RegionState<Classes> {
  public:
    using RegionState<Classes>::RegionState;

    // Takes about `limits.steps` evaluations; returns how many.
    std::int64_t run(const Limits& limits, const Heat& heat, const Mixture& mixture,
                     const Control& control) {
        steps_ = 0;
        const std::array<double, kinds> part{1.0 - mixture.dissolve - mixture.open - mixture.recut,
                                             mixture.dissolve, mixture.open, mixture.recut};
        std::array<std::uint64_t, kinds> below{};
        std::int64_t next_look = 0;
        const double ratio = heat.from > 0 ? std::log(heat.to / heat.from) : 0.0;
        while (steps_ < limits.steps) {
            if (steps_ >= next_look) {
                if (control.abandoned()) throw Cancelled();
                if (control.stopping()) break;
                if (limits.timed && std::chrono::steady_clock::now() >= limits.end) break;
                next_look = steps_ + 2048;
                const double done = static_cast<double>(steps_) / static_cast<double>(limits.steps);
                temperature_ = heat.from > 0 ? heat.from * std::exp(ratio * done) : 0.0;
                balance(part, below);
            }
            const std::int64_t before = steps_++;
            const std::uint64_t drawn = random_.next();
            const std::int32_t row =
                static_cast<std::int32_t>(((drawn >> 32) * rows_.size()) >> 32);
            const std::int32_t entry = draw_entry(row);
            const std::uint64_t kind_drawn = drawn & 0xFFFFFFFFu;
            std::size_t kind = 0;
            while (kind + 1 < kinds && kind_drawn >= below[kind]) ++kind;
            if (kind == 0) {
                // Several for one row, whose list is at hand then.
                relocate(entry);
                for (int again = 1; again < relocations; ++again) {
                    ++steps_;
                    relocate(draw_entry(row));
                }
            } else if (kind == 1) {
                dissolve(entries_[at(entry)].klass);
            } else if (kind == 2) {
                open(entry);
            } else {
                recut(entry);
            }
            ++proposals_[kind];
            cost_[kind] += steps_ - before;
        }
        return steps_;
    }

  private:
    using State = RegionState<Classes>;
    using State::at;
    using State::classes_;
    using State::commit;
    using State::draw_entry;
    using State::empty_class;
    using State::entries_;
    using State::entry_of;
    using State::free_classes_;
    using State::histograms_;
    using State::k_;
    using State::log_transfer;
    using State::members_;
    using State::models_;
    using State::near;
    using State::note_empty;
    using State::place;
    using State::random_;
    using State::row_first_;
    using State::rows_;
    using State::scratch_;
    using State::transfer;
    using State::undo;
    using typename State::Entry;

    static constexpr std::size_t kinds = 4;
    static constexpr int relocations = 4;

    // Sets how often each kind is proposed, so that each gets its part of the steps.
    void balance(const std::array<double, kinds>& part, std::array<std::uint64_t, kinds>& below) {
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

    // ---- proposals

    // A class that holds a neighbour of the row, or another class that holds the row; or -1.
    std::int32_t draw_class_near(std::int32_t row, std::int32_t other_than) {
        const auto near_rows = near(row);
        const std::uint64_t drawn = random_.next();
        const std::uint64_t choices = near_rows.size() + 1;
        // The square of an even draw: near ones more often than far ones.
        const double even = static_cast<double>(drawn >> 11) * 0x1p-53;
        const auto chosen = static_cast<std::size_t>(even * even * static_cast<double>(choices));
        const std::int32_t from = chosen == 0 ? row : near_rows[chosen - 1];
        const std::int32_t c = entries_[at(draw_entry(from))].klass;
        return c == other_than ? -1 : c;
    }

    void relocate(std::int32_t entry) {
        const Entry each = entries_[at(entry)];
        const std::int32_t from = each.klass;
        const std::int32_t to = draw_class_near(each.row, from);
        if (to < 0) return;
        const std::int64_t size = classes_.size(at(from));
        if (size - each.count >= k_ || size == each.count) {
            move(entry, each, to, each.count);
        } else if (size > k_ && each.count > 1 && (random_.next() & 1)) {
            move(entry, each, to, static_cast<std::int32_t>(size - k_));
        } else {
            exchange(entry, each, to);
        }
    }

    void move(std::int32_t entry, const Entry& each, std::int32_t to, std::int32_t count) {
        steps_ += 1;
        const std::size_t from = at(each.klass);
        const bool whole = count == each.count;
        const double before = classes_.total(from) + classes_.total(at(to));
        const double after = classes_.total_removing(from, at(each.row), count, whole) +
                             classes_.total_adding(at(to), at(each.row), count);
        if (after - before > threshold()) return;
        if (!models_.empty()) {
            const std::size_t row = at(rows_[at(each.row)]);
            const bool empties = classes_.size(from) == count;
            if (!histograms_[at(to)].holds_adding(models_, row, count)) return;
            if (!empties && !histograms_[from].holds_removing(models_, row, count)) return;
        }
        transfer(entry, to, count);
        note_empty(each.klass);
    }

    void exchange(std::int32_t entry, const Entry& each, std::int32_t to) {
        const auto& members = members_[at(to)];
        const std::int32_t other = members[static_cast<std::size_t>(random_.below(members.size()))];
        const Entry back = entries_[at(other)];
        const std::size_t from = at(each.klass);
        if (back.row == each.row) return;
        if (classes_.size(from) - each.count + back.count < k_ ||
            classes_.size(at(to)) - back.count + each.count < k_) {
            return;
        }
        if (entry_of(each.row, to) >= 0 || entry_of(back.row, each.klass) >= 0) return;
        steps_ += 1;
        const double before = classes_.total(from) + classes_.total(at(to));
        const double after =
            classes_.total_exchanging(from, at(each.row), each.count, at(back.row), back.count) +
            classes_.total_exchanging(at(to), at(back.row), back.count, at(each.row), each.count);
        if (after - before > threshold()) return;
        if (!models_.empty()) {
            log_transfer(entry, to, each.count);
            log_transfer(entry_of(back.row, to), each.klass, back.count);
            commit();
            return;
        }
        transfer(entry, to, each.count);
        transfer(entry_of(back.row, to), each.klass, back.count);
    }

    // Every entry of a class goes where it costs least.
    void dissolve(std::int32_t c) {
        const double limit = threshold();
        double change = -classes_.total(at(c));
        while (!members_[at(c)].empty()) {
            const std::int32_t entry = members_[at(c)].back();
            const Entry each = entries_[at(entry)];
            const auto [to, cost] = cheapest_class(each.row, each.count, c);
            change += cost;
            if (to < 0 || (plain && change > limit)) {
                undo();
                return;
            }
            log_transfer(entry, to, each.count);
        }
        if (change > limit) {
            undo();
        } else {
            commit();
        }
    }

    struct Place {
        std::int32_t klass;
        double cost;
    };
    // The class near a row that takes records of it at least cost.
    Place cheapest_class(std::int32_t row, std::int32_t count, std::int32_t other_than) {
        Place best{-1, std::numeric_limits<double>::infinity()};
        const auto consider = [&](std::int32_t from) {
            for (std::int32_t e = row_first_[at(from)]; e >= 0; e = entries_[at(e)].next) {
                const std::int32_t c = entries_[at(e)].klass;
                if (c == other_than || c == best.klass) continue;
                ++steps_;
                const double cost =
                    classes_.total_adding(at(c), at(row), count) - classes_.total(at(c));
                if (cost < best.cost) best = {c, cost};
            }
        };
        consider(row);
        for (const std::int32_t other : near(row)) consider(other);
        return best;
    }

    // A row and its nearest neighbours, taken from classes that can spare them, become a class.
    void open(std::int32_t entry) {
        const double limit = threshold();
        const std::int32_t row = entries_[at(entry)].row;
        const std::int32_t fresh = empty_class();
        double change = 0.0;
        const auto gather = [&](std::int32_t from) {
            for (std::int32_t e = row_first_[at(from)]; e >= 0;) {
                const Entry each = entries_[at(e)];
                const std::int64_t size = classes_.size(at(each.klass));
                if (each.klass != fresh && (size - each.count >= k_ || size == each.count)) {
                    steps_ += 2;
                    change += classes_.total_removing(at(each.klass), at(from), each.count, true) -
                              classes_.total(at(each.klass));
                    log_transfer(e, fresh, each.count);
                }
                e = each.next;
                if (classes_.size(at(fresh)) >= k_) return;
            }
        };
        gather(row);
        for (const std::int32_t other : near(row)) {
            if (classes_.size(at(fresh)) >= k_) break;
            gather(other);
        }
        change += classes_.total(at(fresh));
        if (classes_.size(at(fresh)) < k_ || change > limit) {
            undo();
            free_classes_.push_back(fresh);
        } else if (!commit()) {
            free_classes_.push_back(fresh);
        }
    }

    // A class (of 2k records or more), or one and a neighbour, is cut into two anew: between the
    // entries nearer to one of two far entries and those nearer to the other.
    void recut(std::int32_t entry) {
        const std::int32_t first = entries_[at(entry)].klass;
        std::int32_t second = -1;
        if (classes_.size(at(first)) < 2 * k_) {
            second = draw_class_near(entries_[at(entry)].row, first);
            if (second < 0) return;
        }
        pool_.clear();
        for (const std::int32_t e : members_[at(first)]) pool_.push_back(piece_of(e));
        double before = classes_.total(at(first));
        if (second >= 0) {
            for (const std::int32_t e : members_[at(second)]) pool_.push_back(piece_of(e));
            before += classes_.total(at(second));
        }
        if (pool_.size() < 2) return;
        order_pool();
        const std::size_t cut = best_cut();
        if (cut == 0 || cut_total_ - before > threshold()) return;
        const std::int32_t other = second >= 0 ? second : empty_class();
        // Pieces stay where they are if they can: all to `first` that lie before the cut.
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            const std::int32_t to = i < cut ? first : other;
            const std::int32_t from = i < cut ? other : first;
            const std::int32_t held = entry_of(pool_[i].row, from);
            if (held < 0 || pool_[i].from != from) continue;
            log_transfer(held, to, pool_[i].count);
        }
        if (!commit() && second < 0) free_classes_.push_back(other);
    }

    struct Pooled {
        std::int32_t row, count, from;
        double side;
    };
    Pooled piece_of(std::int32_t entry) const {
        const Entry& each = entries_[at(entry)];
        return {each.row, each.count, each.klass, 0.0};
    }
    void open_scratch(std::size_t piece) {
        classes_.clear(at(scratch_));
        classes_.add(at(scratch_), at(pool_[piece].row), 1, true);
    }
    // Of a class of the piece in scratch and this one, a record each.
    double pair_total(std::size_t piece) {
        ++steps_;
        return classes_.total_adding(at(scratch_), at(pool_[piece].row), 1);
    }
    void order_pool() {
        const std::size_t seed = static_cast<std::size_t>(random_.below(pool_.size()));
        std::size_t far = seed;
        double most = -std::numeric_limits<double>::infinity();
        open_scratch(seed);
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            pool_[i].side = pair_total(i);
            if (i != seed && pool_[i].side > most) {
                most = pool_[i].side;
                far = i;
            }
        }
        open_scratch(far);
        for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i].side -= pair_total(i);
        pool_[seed].side = -std::numeric_limits<double>::infinity();
        pool_[far].side = std::numeric_limits<double>::infinity();
        std::stable_sort(pool_.begin(), pool_.end(),
                         [](const Pooled& a, const Pooled& b) { return a.side < b.side; });
    }
    // The number of pieces before the best cut, 0 if none leaves k on both sides.
    std::size_t best_cut() {
        const std::size_t size = pool_.size();
        head_total_.assign(size + 1, 0.0);
        std::int64_t all = 0;
        for (const Pooled& each : pool_) all += each.count;
        classes_.clear(at(scratch_));
        for (std::size_t i = 0; i < size; ++i) {
            add_to_scratch(pool_[i]);
            head_total_[i + 1] = classes_.total(at(scratch_));
        }
        classes_.clear(at(scratch_));
        std::size_t best = 0;
        std::int64_t tail = 0;
        for (std::size_t i = size; i-- > 1;) {
            add_to_scratch(pool_[i]);
            tail += pool_[i].count;
            if (tail < k_ || all - tail < k_) continue;
            const double total = head_total_[i] + classes_.total(at(scratch_));
            if (best == 0 || total < cut_total_) {
                best = i;
                cut_total_ = total;
            }
        }
        steps_ += static_cast<std::int64_t>(size);
        classes_.clear(at(scratch_));
        return best;
    }
    // A row that both classes held comes twice; the second time it is not fresh, but the closure
    // takes no harm from being told so.
    void add_to_scratch(const Pooled& piece) {
        classes_.add(at(scratch_), at(piece.row), piece.count, true);
    }

    static constexpr bool plain = std::is_same_v<Classes, PlainClasses>;

    std::vector<Pooled> pool_;
    std::vector<double> head_total_;
    double cut_total_ = 0.0;
    double temperature_ = 0.0;
    std::int64_t steps_ = 0;
    // Of each kind so far, with a first guess of its cost.
    std::array<std::int64_t, kinds> proposals_{1, 1, 1, 1};
    std::array<std::int64_t, kinds> cost_{8, 100, 20, 50};
};

}  // namespace shoal
