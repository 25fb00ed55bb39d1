#include "shoal/exact/bound.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/parallel.hpp"
#include "exact/bound_master.hpp"
#include "exact/bound_pricing.hpp"
#include "exact/bound_start.hpp"
#include "exact/bound_steps.hpp"
#include "exact/bound_value.hpp"
#include "exact/box_pricing.hpp"
#include "exact/least_box.hpp"
#include "shoal/common/clock.hpp"

namespace shoal {

using namespace bounding;  // the exact search has prices and classes of its own

namespace {

constexpr std::size_t chunk = 16;    // leaders that a thread takes at once
constexpr double nearly_all = 0.02;  // of the bound: so much may be left when lowering prices ends
// After a round that proves a bound, so many looks for classes to add, each leader with this part
// of the effort.
constexpr int looks = 4;
constexpr std::int64_t effort_of_a_round = 10;
// Leaders that are searched before the prices are lowered that turned out too high.
constexpr std::size_t leaders_at_once = 64;
constexpr std::size_t small_table = 1'000;  // rows: here leaders are searched one after another
constexpr double enough = 2e-4;  // of the bound: less than this is left to gain, or was gained
constexpr double enough_for_cuts = 1e-3;  // the same where further cuts will gain more
constexpr std::int64_t patience = 8;      // rounds that may together gain less than enough
constexpr std::size_t steps_after_cuts = 1'000;
constexpr double room = 0x1p60;  // of a sum of prices
// Rows looked at for the least loss of a record. More would raise it, but prices gain more in the
// same time.
constexpr std::int64_t box_effort = 1 << 14;
constexpr double boxes_share = 0.5;  // of the time

class Bounding {
  public:
    Bounding(const Records& records, const BoundTask& task, Control& control)
        : task_(task),
          control_(control),
          required_{task.values, task.different},
          grid_(records, required_.any() ? records.total : 2 * task.k),
          near_(records, grid_, control),
          cuts_(grid_.rows()),
          master_(grid_, cuts_, grid_.total / task.k),
          prices_(grid_.rows()),
          centre_(grid_.rows()),
          ceilings_(grid_.rows(), std::numeric_limits<Units>::max()),
          least_(grid_.rows()) {}

    LowerBound run(const Partition& known) {
        LowerBound found;
        if (!over() && start_from_neighbours()) {
            const KnownDivision division = known_division(grid_, task_.k, required_, known);
            known_loss_ = division.loss;
            control_.loss.store(known_loss_, std::memory_order_relaxed);
            price_boxes(division.classes);
            start_from(division);
            master_.start_from(prices_);
            master_.add(division.classes);
            move();
            found.converged = optimal();
            while (!found.converged && !over() && found.rounds != task_.rounds) {
                const double before = best_;
                const Round round = price_all();
                if (!round.whole) break;
                count(found);
                found.converged = optimal() || stagnant(found.rounds) || !go_on(round, before);
                for (int i = 0; i < looks && lowering_ && !found.converged && !over(); ++i) {
                    look_again(round.violated);
                }
            }
        }
        // Rounded towards zero: the quotient may be too large by the last bit otherwise.
        found.loss = best_ > 0 ? std::nextafter(best_, 0.0) : 0.0;
        return found;
    }

  private:
    struct Round {
        bool whole = false;  // every leader was priced
        std::int64_t effort = 0;
        std::vector<std::size_t> violated;  // leaders of classes that cost less than their prices
        std::int64_t paying = 0;            // records whose price was lowered
        double lost_by_limits = 0.0;        // at most, where searches were cut short
        PricedClasses found;
    };

    void count(LowerBound& found) {
        control_.steps.store(++found.rounds, std::memory_order_relaxed);
    }

    // Whether many rounds together gained next to nothing, and longer searches are no way out.
    bool stagnant(std::int64_t rounds) {
        if (lowering_ || rounds % patience != 0) return false;
        const bool idle = best_ <= best_then_ + enough * best_;
        best_then_ = best_;
        return idle && (!held_down_ || steps_.is_greatest_effort());
    }

    // Chooses the next prices after a round, before which the bound was `before`; false if there
    // is nothing left to gain.
    bool go_on(const Round& round, double before) {
        const double pool = propose(round);
        const bool slow = best_ <= before + enough * best_;
        const bool nearly = steps_.is_least() || pool <= best_ + nearly_all * best_;
        const bool idle = slow && (!held_down_ || steps_.is_greatest_effort());
        if (lowering_ && nearly && (idle || round.paying > grid_.total / task_.k)) {
            lowering_ = false;
            steps_.end_lowering();
            move();
            return true;
        }
        const double left = cuts_.size() == 0 ? enough : enough_for_cuts;
        if (slow && !held_down_ && pool <= best_ + left * best_) {
            if (required_.any() || !add_cuts()) return false;
            master_.run(steps_after_cuts, [this] { return over(); });
            steps_.restart();
            move();
            return true;
        }
        // Long searches only where they decide.
        const bool cut_short = round.lost_by_limits > 0.3 * (pool - best_);
        if (held_down_ && (slow || cut_short) && !steps_.is_greatest_effort()) {
            steps_.search_longer();
            ceilings_.assign(ceilings_.size(), std::numeric_limits<Units>::max());
            held_down_ = false;
        }
        const double step = steps_.reach() * std::max(pool - before, 1e-12);
        steps_.choose_reach((best_ - before) / step, round.effort);
        move();
        return true;
    }

    // The next prices lie between those that proved most and those of the pool.
    void move() {
        const double top = highest_price(), fee = highest_fee();
        for (std::size_t i = 0; i < prices_.size(); ++i) {
            const double target = master_.prices()[i] * master_.scale();
            const double from = static_cast<double>(centre_[i]);
            const double next = from + steps_.reach() * (target - from);
            const bool of_row = i < grid_.rows();
            prices_[i] = std::min(static_cast<Units>(of_row ? std::clamp(next, -top, top)
                                                            : std::clamp(next, -fee, 0.0)),
                                  ceilings_[i]);
        }
    }

    // No price need be higher than what a class costs at most. Prices and fees of a class must fit
    // a `Units` when they are added up: so much for either.
    double highest_price() const {
        const double most =
            4.0 * static_cast<double>(task_.k) * static_cast<double>(grid_.whole + 1);
        const std::int64_t largest = required_.any() ? grid_.total : 2 * task_.k;
        return std::min(most, room / static_cast<double>(largest));
    }
    double highest_fee() const {
        const double counted =
            static_cast<double>(cuts_.most_of_row() * 2) * static_cast<double>(task_.k);
        return std::min(highest_price(), room / (counted + 1));
    }

    // Whether the known classes are proved to be the best.
    bool optimal() const { return best_ >= (1 - 1e-6) * known_loss_; }

    // Cancelled work ends like work out of time; the caller tells them apart.
    bool over() const {
        return control_.cancelled() || (task_.seconds >= 0 && elapsed() >= task_.seconds);
    }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    void tell_time() {
        const double spent = task_.seconds > 0 ? elapsed() / task_.seconds : 0.0;
        control_.report(std::min(spent, 0.99));
    }
    void tell() {
        tell_time();
        control_.bound.store(best_, std::memory_order_relaxed);
    }

    // Calls work(state, i, chunk) for every i below `count`, shared among threads, each with a
    // state of its own from make(worker); false if `is_over` said so before the end.
    template <class Make, class Over, class Work>
    bool for_each(std::size_t count, Make make, Over is_over, Work work) {
        std::atomic<bool> stop{false};
        parallel_for((count + chunk - 1) / chunk, task_.threads, make,
                     [&](auto& state, std::size_t c) {
                         tell_time();
                         const std::size_t end = std::min(count, (c + 1) * chunk);
                         for (std::size_t i = c * chunk; i < end; ++i) {
                             if (stop.load(std::memory_order_relaxed)) return;
                             if (is_over()) {
                                 stop.store(true);
                                 return;
                             }
                             work(state, i, c);
                             // This search may have been cut short by it.
                             if (is_over()) stop.store(true);
                         }
                     });
        return !stop.load();
    }

    // Prices that need no search.
    bool start_from_neighbours() {
        const bool whole = for_each(
            grid_.rows(), [](std::size_t) { return 0; }, [this] { return over(); },
            [&](int, std::size_t row, std::size_t) {
                centre_[row] = loss_with_kth(grid_, near_, task_.k, row);
            });
        if (whole) best_ = value(centre_, least_);
        tell();
        return whole;
    }

    // Raises the prices that need no further search to what each record loses at least, whatever
    // class it is in.
    void price_boxes(const PricedClasses& known) {
        const std::vector<Units> ceilings = loss_ceilings(grid_, known);
        for_each(
            grid_.rows(), [&](std::size_t) { return LeastBox(grid_, near_, task_.k, required_); },
            [this] {
                return over() || (task_.seconds >= 0 && elapsed() > boxes_share * task_.seconds);
            },
            [&](LeastBox& boxes, std::size_t row, std::size_t) {
                // What lies far beyond the bound so far is not looked at.
                const Units near = 2 * centre_[row] + grid_.whole / 256 + 1;
                const Units found =
                    boxes.search(row, std::min(ceilings[row], near), box_effort).loss;
                centre_[row] = std::max(centre_[row], found);
            });
        best_ = std::max(best_, value(centre_, least_));
        tell();
    }

    // Prices start from what each record costs in the known classes.
    void start_from(const KnownDivision& division) {
        const std::vector<double> costs = shared_costs(division, centre_);
        for (std::size_t row = 0; row < grid_.rows(); ++row) {
            prices_[row] = static_cast<Units>(0.9 * costs[row] / grid_.counts[row]);
            prices_[row] = std::max(prices_[row], centre_[row]);
        }
    }

    Round price_all() {
        Round round;
        std::vector<Units> proved = prices_;
        std::vector<std::int64_t> efforts(grid_.rows());
        round.whole = lowering_ || required_.any() ? price_by_boxes(round.found, efforts, proved)
                                                   : price_with_fees(round.found, efforts);
        if (!round.whole) return round;
        std::vector<Counted> cut;
        for (std::size_t row = 0; row < grid_.rows(); ++row) {
            round.effort += efforts[row];
            if (efforts[row] < steps_.effort() || least_[row] >= 0) continue;
            held_down_ = true;
            cut.emplace_back(least_[row], grid_.counts[row]);
            // A lower price makes the next search shorter.
            ceilings_[row] = prices_[row] + least_[row] / 2;
        }
        round.lost_by_limits = -per_record(grid_, lowest(cut, grid_.total / task_.k));
        // What was taken off a leader's price need not be paid by its classes.
        for (std::size_t row = 0; row < grid_.rows(); ++row) {
            if (least_[row] < 0) round.violated.push_back(row);
            least_[row] += prices_[row] - proved[row];
            if (proved[row] < prices_[row]) round.paying += grid_.counts[row];
        }
        const double reached = value(proved, least_);
        if (reached > best_) {
            best_ = reached;
            centre_ = std::move(proved);
        }
        tell();
        return round;
    }

    // Adds classes of the leaders that had some to the pool, at the next prices, and chooses those
    // anew. Nothing is proved here: that takes all leaders, and far longer.
    void look_again(const std::vector<std::size_t>& leaders) {
        const auto is_over = [this] { return over(); };
        const PricingLimits limits{.k = task_.k,
                                   .effort = steps_.effort() / effort_of_a_round,
                                   .over = is_over,
                                   .required = required_};
        std::vector<PricedClasses> found((leaders.size() + chunk - 1) / chunk);
        std::vector<std::int64_t> efforts(leaders.size());
        for_each(
            leaders.size(), [&](std::size_t) { return BoxPricing(grid_, near_, limits); }, is_over,
            [&](BoxPricing& pricing, std::size_t i, std::size_t c) {
                const std::int64_t before = pricing.effort();
                pricing.price(leaders[i], prices_, prices_, found[c]);
                efforts[i] = pricing.effort() - before;
            });
        Round round;
        for (const PricedClasses& each : found) round.found.add(each);
        round.effort = std::accumulate(efforts.begin(), efforts.end(), std::int64_t{0});
        propose(round);
        move();
    }

    bool price_with_fees(PricedClasses& all, std::vector<std::int64_t>& efforts) {
        const Fees fees = charged_fees();
        const auto is_over = [this] { return over(); };
        const PricingLimits limits{.k = task_.k, .effort = steps_.effort(), .over = is_over};
        std::vector<PricedClasses> found((grid_.rows() + chunk - 1) / chunk);
        const bool whole = for_each(
            grid_.rows(), [&](std::size_t) { return LeaderPricing(grid_, near_, limits); }, is_over,
            [&](LeaderPricing& pricing, std::size_t row, std::size_t c) {
                const std::int64_t before = pricing.effort();
                least_[row] = pricing.price(row, prices_, fees, found[c]);
                efforts[row] = pricing.effort() - before;
            });
        for (const PricedClasses& each : found) all.add(each);
        return whole;
    }

    // From the lowest price to the highest, so that all other members of a class come before its
    // leader. What the best class of a leader costs less than its prices, and the fee for a class,
    // is taken off the leader's price: that helps all classes of later leaders that hold it.
    bool price_by_boxes(PricedClasses& all, std::vector<std::int64_t>& efforts,
                        std::vector<Units>& lowered) {
        const std::size_t rows = grid_.rows();
        std::vector<std::size_t> order(rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return prices_[a] != prices_[b] ? prices_[a] < prices_[b] : a > b;
        });
        const double top = highest_price();
        const auto fee = static_cast<Units>(std::min(master_.fee() * master_.scale(), top));
        const auto lowest_price = static_cast<Units>(-top);
        const auto is_over = [this] { return over(); };
        const PricingLimits limits{
            .k = task_.k, .effort = steps_.effort(), .over = is_over, .required = required_};
        const std::size_t at_once = rows < small_table ? 1 : leaders_at_once;
        for (std::size_t first = 0; first < rows; first += at_once) {
            const std::size_t count = std::min(at_once, rows - first);
            std::vector<PricedClasses> found(leaders_at_once / chunk);
            const bool whole = for_each(
                count, [&](std::size_t) { return BoxPricing(grid_, near_, limits); }, is_over,
                [&](BoxPricing& pricing, std::size_t i, std::size_t c) {
                    const std::size_t row = order[first + i];
                    const std::int64_t before = pricing.effort();
                    least_[row] = pricing.price(row, prices_, lowered, found[c]);
                    efforts[row] = pricing.effort() - before;
                });
            if (!whole) return false;
            for (const PricedClasses& each : found) all.add(each);
            for (std::size_t i = first; lowering_ && i < first + count; ++i) {
                Units& price = lowered[order[i]];
                price = std::max(price + std::min<Units>(0, least_[order[i]] + fee), lowest_price);
            }
        }
        return true;
    }

    Fees charged_fees() const {
        std::vector<Units> fees(cuts_.size());
        for (std::size_t cut = 0; cut < fees.size(); ++cut) {
            fees[cut] = -prices_[grid_.rows() + cut];
        }
        return Fees(cuts_, fees, grid_.rows());
    }

    // Adds cuts that the shares of classes in the pool break; false if there are none.
    bool add_cuts() {
        if (master_.cut(task_.k, grid_.rows() / 4 + 20, cuts_, control_) == 0) return false;
        const std::size_t size = grid_.rows() + cuts_.size();
        prices_.resize(size);
        centre_.resize(size);
        ceilings_.resize(size, std::numeric_limits<Units>::max());
        return true;
    }

    double value(const std::vector<Units>& prices, const std::vector<Units>& least) const {
        return proved_loss(grid_, cuts_, {task_.k, task_.suppression_limit}, prices, least);
    }

    // Renews the prices of the pool; returns the bound they would prove if the pool were complete.
    double propose(const Round& round) {
        if (++proposals_ % 2 == 0) master_.drop_idle(0.3);
        master_.add(round.found);
        // About as long as the search for classes took.
        const auto steps = static_cast<std::size_t>(round.effort) * 25 / (master_.entries() + 1);
        master_.run(std::clamp<std::size_t>(steps, 300, 3'000), [this] { return over(); });
        return master_.value(master_.prices()) * master_.scale() * grid_.unit /
               static_cast<double>(grid_.total);
    }

    const BoundTask& task_;
    Control& control_;
    const Clock::time_point began_ = Clock::now();
    RequiredValues required_;
    Grid grid_;
    NearRows near_;
    KnownCuts cuts_;
    Master master_;
    std::vector<Units> prices_;    // of each row, then of each cut: a fee with a minus
    std::vector<Units> centre_;    // the prices that proved the best bound
    std::vector<Units> ceilings_;  // prices above which the search is too long
    std::vector<Units> least_;
    bool held_down_ = false;  // whether there is a ceiling
    // Whether leaders pay for their classes at once, before there are cuts. Near the best prices
    // nearly every leader has a class that costs a little less, but a division holds few of these
    // classes: then it is better that only so many are paid for.
    bool lowering_ = true;
    PriceSteps steps_{task_.k};
    double best_ = 0.0;
    double best_then_ = 0.0;  // some rounds ago
    double known_loss_ = 0.0;
    std::int64_t proposals_ = 0;
};

}  // namespace

LowerBound lower_bound(const Records& records, const Partition& known, const BoundTask& task,
                       Control& control) {
    const LowerBound found = Bounding(records, task, control).run(known);
    if (control.cancelled()) throw Cancelled();
    control.bound.store(found.loss, std::memory_order_relaxed);
    control.report(1.0);
    return found;
}

}  // namespace shoal
