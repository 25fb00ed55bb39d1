#include "shoal/sequential.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "shoal/board.hpp"
#include "shoal/random.hpp"
#include "shoal/unite.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;

constexpr float infinite = std::numeric_limits<float>::infinity();
// A move must lower the total loss by this share of one record's: what single precision can tell.
constexpr double least_gain = 1e-4;
// Changes that differ by less are taken as equal.
constexpr float tie = 2e-5f;
// So many passes in a row may fail to lower the total loss by this share.
constexpr int patience = 3;
constexpr double least_progress = 1e-6;

struct Deadline {
    bool limited;
    Clock::time_point end;

    explicit Deadline(double seconds)
        : limited(seconds >= 0),
          end(Clock::now() +
              std::chrono::duration_cast<Clock::duration>(
                  std::chrono::duration<double>(limited ? std::min(seconds, 1e8) : 0.0))) {}
    bool passed() const { return limited && Clock::now() >= end; }
};

// One start and what the passes make of it.
class Passes {
  public:
    Passes(const Objective& objective, const Models& models, const Sequence& sequence,
           std::uint64_t seed, const Deadline& deadline, Control& control)
        : objective_(objective),
          models_(models),
          sequence_(sequence),
          deadline_(deadline),
          control_(control),
          random_(seed),
          board_(objective),
          monotone_(objective.plain() || !objective.reads_secret()) {
        const Records& records = objective.records();
        row_.reserve(static_cast<std::size_t>(records.total));
        for (std::size_t row = 0; row < records.rows(); ++row) {
            row_.insert(row_.end(), static_cast<std::size_t>(records.counts[row]),
                        static_cast<std::int32_t>(row));
        }
        class_.resize(row_.size());
        gain_.resize(row_.size());
        asked_.resize(row_.size());
        kept_.rows = later_.rows = models.rows;
        for (const Model& model : models.all) {
            if (model.condition != Condition::distinct) {
                kept_.all.push_back(model);
            } else if (model.number < sequence.k) {
                later_.all.push_back(model);
            }
        }
        find_signatures();
    }

    Sequenced run(bool tell) {
        start();
        pass_until_idle(tell);
        if (!spent_ && (sequence_.polish || !later_.empty())) settle();
        return finish();
    }

  private:
    void pass_until_idle(bool tell) {
        // Splits make room for moves and dissolving classes undo them: without an end to patience
        // the two may take turns for ever.
        double lowest = std::numeric_limits<double>::infinity();
        for (int idle = 0; idle < patience && !spent_;) {
            const std::int64_t moves = pass();
            const double total = total_loss();
            idle = total < lowest * (1 - least_progress) ? 0 : idle + 1;
            lowest = std::min(lowest, total);
            if (moves == 0) break;
            split_large();
            compact();
            if (tell) tell_progress(moves);
        }
    }

    // Classes are brought to size, those that break a model left for later give their records to
    // the others, and passes go on with every model and size kept.
    void settle() {
        join_small();
        kept_.all.insert(kept_.all.end(), later_.all.begin(), later_.all.end());
        later_.all.clear();
        find_signatures();
        count_protected(kept_);
        std::vector<char> sound(classes_.states.size());
        for (std::size_t c = 0; c < sound.size(); ++c) {
            sound[c] = classes_.histograms[c].holds(kept_);
        }
        if (std::find(sound.begin(), sound.end(), char{1}) == sound.end()) return;
        for (std::size_t c = 0; c < sound.size(); ++c) {
            if (!sound[c]) board_.set(c, {});
        }
        for (std::size_t unit = 0; unit < class_.size(); ++unit) {
            if (unit % 64 == 0) check();
            if (spent_) break;
            const auto from = static_cast<std::size_t>(class_[unit]);
            if (sound[from]) continue;
            const auto row = static_cast<std::size_t>(row_[unit]);
            const std::span<float> change = board_.scan(row, classes_.states);
            const std::size_t to = choose(row, change, std::numeric_limits<double>::infinity());
            if (to == change.size()) continue;
            move(unit, from, to);
            board_.set(from, {});
        }
        for (std::size_t c = 0; c < sound.size(); ++c) show(c);
        compact();
        keeps_size_ = true;
        pass_until_idle(false);
    }

    void join_small() {
        const Models none{{}, models_.rows};
        classes_.histograms.assign(classes_.states.size(), {});
        const std::vector<std::int32_t> became =
            unite_small(objective_, none, sequence_.k, classes_, control_);
        for (std::int32_t& c : class_) c = became[static_cast<std::size_t>(c)];
        for (std::size_t c = 0; c < classes_.states.size(); ++c) show(c);
        compact();
    }

    void count_protected(const Models& models) {
        classes_.histograms.assign(classes_.states.size(), {});
        for (std::size_t unit = 0; unit < row_.size() && !models.empty(); ++unit) {
            classes_.histograms[static_cast<std::size_t>(class_[unit])].add(
                models, row_of(static_cast<std::int32_t>(unit)), 1);
        }
    }

    double total_loss() const {
        double total = 0.0;
        for (const ClassState& state : classes_.states) total += state.total(objective_);
        return total;
    }

    void tell_progress(std::int64_t moves) {
        const double settled = 1.0 - static_cast<double>(moves) / static_cast<double>(row_.size());
        const double told = control_.progress.load(std::memory_order_relaxed);
        control_.report(std::max(told, 0.9 * settled));
    }

    // Records with equal protected values get the same signature.
    void find_signatures() {
        if (kept_.empty()) return;
        const std::size_t rows = objective_.records().rows();
        std::vector<std::int32_t> order(rows);
        std::iota(order.begin(), order.end(), 0);
        const auto before = [this](std::int32_t a, std::int32_t b) {
            for (const Model& model : kept_.all) {
                const std::uint32_t left = model.codes[static_cast<std::size_t>(a)];
                const std::uint32_t right = model.codes[static_cast<std::size_t>(b)];
                if (left != right) return left < right;
            }
            return false;
        };
        std::sort(order.begin(), order.end(), before);
        signature_.resize(rows);
        std::int32_t number = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            if (i > 0 && before(order[i - 1], order[i])) ++number;
            signature_[static_cast<std::size_t>(order[i])] = number;
        }
    }

    // Algorithm 3: deals records in random order, those with equal protected values one after
    // another, so that every class gets its share of each value and classes are equally large.
    std::vector<std::int32_t> deal(std::vector<std::int32_t> units, std::size_t classes) {
        random_.shuffle(units);
        if (!signature_.empty()) {
            std::stable_sort(units.begin(), units.end(), [this](std::int32_t a, std::int32_t b) {
                return signature_[row_of(a)] < signature_[row_of(b)];
            });
        }
        std::vector<std::int32_t> dealt(units.size());
        for (std::size_t i = 0; i < units.size(); ++i) {
            dealt[i] = static_cast<std::int32_t>(i % classes);
        }
        units_ = std::move(units);
        return dealt;
    }

    void start() {
        const auto all = static_cast<std::int64_t>(row_.size());
        start_size_ = std::clamp<std::int64_t>(sequence_.start_size, 1, all);
        while (true) {
            const auto number = static_cast<std::size_t>(all / start_size_);
            std::vector<std::int32_t> units(row_.size());
            std::iota(units.begin(), units.end(), 0);
            const std::vector<std::int32_t> dealt = deal(std::move(units), number);
            classes_.states.assign(number, {});
            classes_.histograms.assign(number, {});
            for (std::size_t i = 0; i < units_.size(); ++i) place(units_[i], dealt[i]);
            if (number == 1 || all_hold()) break;
            check();
            start_size_ = std::max(start_size_ + 1, start_size_ * 6 / 5);
            start_size_ = std::min(start_size_, all);
        }
        board_.resize(classes_.states.size());
        for (std::size_t c = 0; c < classes_.states.size(); ++c) show(c);
    }

    // Between classes that are equally good for a record the one nearest to k from below is
    // taken: it soonest needs no uniting at the end, which is where loss is made. (First come,
    // first served loses about 4 % more on the Adult table.)
    void show(std::size_t c) {
        const ClassState& state = classes_.states[c];
        changed_.resize(classes_.states.size());
        changed_[c] = ++changes_;
        const std::int64_t wanted = state.size() < sequence_.k ? state.size() : 0;
        board_.set(c, state);
        board_.prefer(c, tie * static_cast<float>(wanted) / static_cast<float>(sequence_.k));
    }

    bool all_hold() const {
        return kept_.empty() ||
               std::all_of(classes_.histograms.begin(), classes_.histograms.end(),
                           [this](const ClassHistogram& each) { return each.holds(kept_); });
    }

    void place(std::int32_t unit, std::int32_t c) {
        const auto at = static_cast<std::size_t>(c);
        classes_.states[at].add(objective_, row_of(unit), 1);
        if (!kept_.empty()) classes_.histograms[at].add(kept_, row_of(unit), 1);
        class_[static_cast<std::size_t>(unit)] = c;
    }

    std::int64_t pass() {
        std::int64_t moves = 0;
        for (std::size_t unit = 0; unit < row_.size(); ++unit) {
            if (unit % 64 == 0) check();
            if (sequence_.steps >= 0 && steps_ >= sequence_.steps) spent_ = true;
            if (spent_) break;
            ++steps_;
            moves += visit(unit);
        }
        return moves;
    }

    bool visit(std::size_t unit) {
        const auto row = static_cast<std::size_t>(row_[unit]);
        const auto from = static_cast<std::size_t>(class_[unit]);
        ClassState& source = classes_.states[from];
        const bool alone = source.size() == 1;
        if (keeps_size_ && source.size() <= sequence_.k) return false;
        if (!alone && !kept_.empty() && !classes_.histograms[from].keeps_removing(kept_, row, 1)) {
            return false;
        }
        const double gain = alone ? std::numeric_limits<double>::infinity() : leaving(unit);
        if (monotone_ && gain + objective_.constant(row) <= least_gain) return false;
        const std::span<float> change = board_.scan(row, classes_.states);
        change[from] = infinite;
        const std::size_t to = choose(row, change, gain);
        if (to == change.size()) return false;
        move(unit, from, to);
        return true;
    }

    // What the record's class gains by its leaving, less the record's constant. Most classes have
    // not changed since the last pass.
    double leaving(std::size_t unit) {
        const auto c = static_cast<std::size_t>(class_[unit]);
        if (asked_[unit] != changed_[c]) {
            const auto row = static_cast<std::size_t>(row_[unit]);
            gain_[unit] =
                -classes_.states[c].change_removing(objective_, row, 1) - objective_.constant(row);
            asked_[unit] = changed_[c];
        }
        return gain_[unit];
    }

    // The class of least change below `gain` that may take the record; none: the number of classes.
    std::size_t choose(std::size_t row, std::span<const float> change, double gain) {
        const std::size_t first = least(change);
        if (!better(row, first, change[first], gain)) return change.size();
        if (kept_.empty() || classes_.histograms[first].keeps_adding(kept_, row, 1)) return first;
        candidates_.clear();
        for (std::size_t c = 0; c < change.size(); ++c) {
            if (c != first && change[c] < gain - least_gain && change[c] < infinite) {
                candidates_.push_back(static_cast<std::int32_t>(c));
            }
        }
        std::sort(candidates_.begin(), candidates_.end(), [&](std::int32_t a, std::int32_t b) {
            const float left = change[static_cast<std::size_t>(a)];
            const float right = change[static_cast<std::size_t>(b)];
            return left < right || (left == right && a < b);
        });
        for (const std::int32_t each : candidates_) {
            const auto c = static_cast<std::size_t>(each);
            if (!better(row, c, change[c], gain)) break;
            if (classes_.histograms[c].keeps_adding(kept_, row, 1)) return c;
        }
        return change.size();
    }

    bool better(std::size_t row, std::size_t c, float change, double gain) const {
        if (!(change < gain - least_gain) || change == infinite) return false;
        const double exact =
            classes_.states[c].change_adding(objective_, row, 1) - objective_.constant(row);
        return exact < gain - least_gain;
    }

    void move(std::size_t unit, std::size_t from, std::size_t to) {
        const auto row = static_cast<std::size_t>(row_[unit]);
        classes_.states[from].remove(objective_, row, 1);
        classes_.states[to].add(objective_, row, 1);
        if (!kept_.empty()) {
            classes_.histograms[from].remove(kept_, row, 1);
            classes_.histograms[to].add(kept_, row, 1);
        }
        show(from);
        show(to);
        class_[unit] = static_cast<std::int32_t>(to);
    }

    void split_large() {
        std::vector<std::vector<std::int32_t>> members;
        std::vector<std::int32_t> place_of(classes_.states.size(), -1);
        std::vector<std::size_t> large;
        for (std::size_t c = 0; c < classes_.states.size(); ++c) {
            const std::int64_t most =
                keeps_size_ ? std::max(sequence_.most, 2 * sequence_.k - 1) : sequence_.most;
            if (classes_.states[c].size() <= most) continue;
            place_of[c] = static_cast<std::int32_t>(large.size());
            large.push_back(c);
        }
        if (large.empty()) return;
        members.resize(large.size());
        for (std::size_t unit = 0; unit < class_.size(); ++unit) {
            const std::int32_t place = place_of[static_cast<std::size_t>(class_[unit])];
            if (place >= 0) {
                members[static_cast<std::size_t>(place)].push_back(static_cast<std::int32_t>(unit));
            }
        }
        for (std::size_t i = 0; i < large.size(); ++i) split(large[i], std::move(members[i]));
    }

    void split(std::size_t c, std::vector<std::int32_t> members) {
        const std::vector<std::int32_t> side = deal(std::move(members), 2);
        if (!kept_.empty()) {
            ClassHistogram left, right;
            for (std::size_t i = 0; i < units_.size(); ++i) {
                (side[i] == 0 ? left : right).add(kept_, row_of(units_[i]), 1);
            }
            if (!left.holds(kept_) || !right.holds(kept_)) return;
        }
        const std::size_t fresh = classes_.states.size();
        classes_.states.emplace_back();
        classes_.histograms.emplace_back();
        for (std::size_t i = 0; i < units_.size(); ++i) {
            if (side[i] == 0) continue;
            classes_.states[c].remove(objective_, row_of(units_[i]), 1);
            if (!kept_.empty()) classes_.histograms[c].remove(kept_, row_of(units_[i]), 1);
            place(units_[i], static_cast<std::int32_t>(fresh));
        }
        board_.resize(fresh + 1);
        show(c);
        show(fresh);
    }

    // Drops empty classes once they are many, so that scans do not pass over them.
    void compact() {
        std::vector<std::int32_t> becomes(classes_.states.size(), -1);
        std::size_t left = 0;
        for (std::size_t c = 0; c < becomes.size(); ++c) {
            if (classes_.states[c].size() > 0) becomes[c] = static_cast<std::int32_t>(left++);
        }
        if (left * 64 > becomes.size() * 63) return;
        for (std::size_t c = 0; c < becomes.size(); ++c) {
            if (becomes[c] < 0) continue;
            const auto to = static_cast<std::size_t>(becomes[c]);
            if (to == c) continue;
            classes_.states[to] = std::move(classes_.states[c]);
            classes_.histograms[to] = std::move(classes_.histograms[c]);
        }
        classes_.states.resize(left);
        classes_.histograms.resize(left);
        for (std::int32_t& c : class_) c = becomes[static_cast<std::size_t>(c)];
        board_.resize(left);
        for (std::size_t c = 0; c < left; ++c) show(c);
    }

    Sequenced finish() {
        count_protected(models_);
        const std::vector<std::int32_t> became =
            unite_small(objective_, models_, sequence_.k, classes_, control_);
        Sequenced result;
        result.total = total_loss();
        result.steps = steps_;
        result.start_size = start_size_;
        fill(result.partition, became);
        return result;
    }

    // Units of one row are neighbours; those in the same class become one entry.
    void fill(Partition& partition, const std::vector<std::int32_t>& became) const {
        std::vector<std::int32_t> places;
        for (std::size_t unit = 0; unit < row_.size();) {
            std::size_t end = unit;
            places.clear();
            for (; end < row_.size() && row_[end] == row_[unit]; ++end) {
                places.push_back(became[static_cast<std::size_t>(class_[end])]);
            }
            std::sort(places.begin(), places.end());
            for (std::size_t i = 0; i < places.size();) {
                std::size_t next = i;
                while (next < places.size() && places[next] == places[i]) ++next;
                partition.place(row_[unit], places[i], static_cast<std::int32_t>(next - i));
                i = next;
            }
            unit = end;
        }
    }

    void check() {
        if (control_.cancelled()) throw Cancelled();
        if (deadline_.passed()) spent_ = true;
    }
    std::size_t row_of(std::int32_t unit) const {
        return static_cast<std::size_t>(row_[static_cast<std::size_t>(unit)]);
    }

    const Objective& objective_;
    const Models& models_;
    Models kept_;   // by every move and split
    Models later_;  // made to hold after the first passes
    bool keeps_size_ = false;
    const Sequence& sequence_;
    const Deadline& deadline_;
    Control& control_;
    Random random_;
    Board board_;
    bool monotone_;
    std::vector<std::int32_t> row_;      // of each unit: one record
    std::vector<std::int32_t> class_;    // of each unit
    std::vector<double> gain_;           // of each unit: what its class gains by its leaving
    std::vector<std::int64_t> asked_;    // of each unit: the change of its class known to gain_
    std::vector<std::int64_t> changed_;  // of each class: its last change
    std::int64_t changes_ = 0;
    std::vector<std::int32_t> signature_;  // of each row
    std::vector<std::int32_t> units_;      // in the order dealt
    std::vector<std::int32_t> candidates_;
    Classes classes_;
    std::int64_t start_size_ = 1;
    std::int64_t steps_ = 0;
    bool spent_ = false;
};

}  // namespace

Sequenced sequential(const Objective& objective, const Models& models, const Sequence& sequence,
                     Control& control) {
    const Deadline deadline(sequence.seconds);
    std::vector<Sequenced> results(static_cast<std::size_t>(sequence.restarts));
    std::vector<char> done(results.size());
    std::atomic<std::int32_t> next{0};
    std::mutex told;
    std::exception_ptr failed;
    double least = std::numeric_limits<double>::infinity();
    std::size_t finished = 0;
    const auto work = [&] {
        try {
            for (std::int32_t mine; (mine = next.fetch_add(1)) < sequence.restarts;) {
                // The first start always runs; later ones only while there is time.
                if (mine > 0 && deadline.passed()) return;
                const auto at = static_cast<std::size_t>(mine);
                const std::uint64_t seed =
                    Random(sequence.seed + 0x632be59bd9b4e019ULL * at).next();
                Passes passes(objective, models, sequence, seed, deadline, control);
                results[at] = passes.run(results.size() == 1);
                const std::lock_guard lock(told);
                done[at] = 1;
                ++finished;
                least = std::min(least, results[at].total);
                control.loss.store(least / static_cast<double>(objective.records().total));
                if (results.size() > 1) {
                    control.report(0.9 * static_cast<double>(finished) /
                                   static_cast<double>(results.size()));
                }
            }
        } catch (...) {
            const std::lock_guard lock(told);
            if (!failed) failed = std::current_exception();
            next.store(sequence.restarts);
        }
    };
    const int helpers = std::min(sequence.threads, sequence.restarts) - 1;
    std::vector<std::thread> threads;
    for (int i = 0; i < helpers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& each : threads) each.join();
    if (failed) std::rethrow_exception(failed);
    std::size_t best = 0;
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (done[i] && results[i].total < results[best].total) best = i;
    }
    control.steps.store(results[best].steps);
    return std::move(results[best]);
}

}  // namespace shoal
