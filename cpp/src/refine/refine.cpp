#include "shoal/refine/refine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "common/parallel.hpp"
#include "refine/refine_budget.hpp"
#include "refine/refine_combine.hpp"
#include "refine/refine_search.hpp"
#include "refine/refine_together.hpp"
#include "scan/cells.hpp"

namespace shoal {

namespace {

Pieces to_pieces(const Partition& partition) {
    std::size_t classes = 0;
    for (const std::int32_t c : partition.klass) {
        classes = std::max(classes, static_cast<std::size_t>(c) + 1);
    }
    const ClassPieces grouped(partition, classes);
    Pieces pieces;
    pieces.all.reserve(grouped.all.size());
    for (std::size_t c = 0; c < classes; ++c) {
        const auto members = grouped.of(c);
        if (members.empty()) continue;  // a class of no record is none
        pieces.all.insert(pieces.all.end(), members.begin(), members.end());
        pieces.close(0.0);
    }
    return pieces;
}

Partition to_partition(const Pieces& pieces) {
    Partition partition;
    for (std::size_t c = 0; c < pieces.classes(); ++c) {
        for (const Piece& piece : pieces.of(c)) {
            partition.place(piece.row, static_cast<std::int32_t>(c), piece.count);
        }
    }
    return partition;
}

template <class Classes>
class Rounds {
  public:
    Rounds(const Objective& objective, const typename Classes::Shared& shared, const Models& models,
           const Refinement& refinement, Control& control)
        : objective_(objective),
          shared_(shared),
          models_(models),
          refinement_(refinement),
          control_(control),
          random_(refinement.seed),
          budget_(refinement, objective.records().total) {}

    Refined run(const Partition& start) {
        pieces_ = to_pieces(start);
        find_losses(pieces_);
        best_ = pieces_;
        Refined refined;
        refined.start = total_ = best_total_ = sum_of(pieces_.losses);
        tell();
        // Fewer than 2k records are one class, and a plain loss of nothing is the least.
        const bool settled = objective_.records().total < 2 * refinement_.k ||
                             (objective_.plain() && refined.start == 0);
        if (!settled && find_lists()) search();
        refined.partition = to_partition(best_);
        refined.total = best_total_;
        refined.steps = steps_;
        return refined;
    }

  private:
    static constexpr double lists = 0.40;       // share of the time for lists of neighbours
    static constexpr double a_question = 6e-6;  // seconds to ask for a list, besides the pairs
    // The end is downhill: so many steps a record, if that is no more than a share of the budget.
    static constexpr double descent = 30.0, least_descent = 0.03, most_descent = 0.08;
    // Temperatures, in units of the data; see `heat_unit`.
    static constexpr double coldest = 0.05;
    static constexpr double hot = 0.35, hotter = 0.25;  // at the usual depth; and per tenfold depth
    static constexpr double usual_depth = 400.0;        // steps a record
    static constexpr double first_look = 0.02;          // share of the budget for the first round
    static constexpr std::size_t most_rises = 65'536;   // of a region
    static constexpr double least_open = 0.05;
    static constexpr std::int64_t most_together = 200'000;  // records

    // False if the run is to end before there is anything better than its start.
    bool find_lists() {
        try {
            neighbours_ = find_neighbours(objective_.records(), nearest(), random_, control_);
        } catch (const Cancelled&) {
            if (control_.abandoned()) throw;
            return false;
        }
        return true;
    }

    // With little time the lists are near neighbours, not nearest ones, from fewer and smaller
    // cells; the search begins without the lists that are not done by then.
    NeighbourSearch nearest() const {
        NeighbourSearch asked;
        asked.width = static_cast<std::size_t>(refinement_.neighbours);
        asked.threads = refinement_.threads;
        asked.path = refinement_.path;
        if (!budget_.timed()) return asked;
        const double seconds = refinement_.seconds;
        const auto rows = static_cast<double>(objective_.records().rows());
        const auto attributes = static_cast<double>(objective_.records().attributes.size());
        // Seconds to compare two rows in one attribute; see benchmarks/instruction_sets.py.
        const double a_pair = attributes * (refinement_.path == Path::avx512   ? 6e-11
                                            : refinement_.path == Path::scalar ? 6e-10
                                                                               : 1.6e-10);
        const auto fit = [&](int cuttings, double cell) {
            const double a_row = cuttings * (a_question + cell * a_pair);
            return rows * a_row / refinement_.threads <= lists * seconds;
        };
        asked.deadline = Deadline(budget_.at(1.5 * lists));
        if (rows <= static_cast<double>(asked.all_pairs) && fit(1, rows)) return asked;
        asked.all_pairs = 0;
        for (; asked.cuttings > 1 || asked.cell > 2'048; asked.cell /= 2) {
            if (fit(asked.cuttings, static_cast<double>(asked.cell))) break;
            asked.cuttings = std::max(1, asked.cuttings / 2);
        }
        return asked;
    }

    // Records that are searched together. With a budget of steps a table that is worth several
    // threads has two regions or more, whatever their number; more of them would lose at their
    // borders what they gain. Against the clock the whole table is one, if that is not too large
    // for the caches.
    std::int64_t region() const {
        const std::int64_t least = 40 * refinement_.k;
        const std::int64_t all = objective_.records().total;
        if (refinement_.region > 0) return std::max<std::int64_t>(refinement_.region, least);
        if (budget_.timed() && all <= most_together) return all;
        return std::max(std::clamp<std::int64_t>(all * 11 / 20, 8'192, 65'536), least);
    }
    // Threads search one region of all records together, if the clock ends the search.
    bool is_together() const { return budget_.timed() && objective_.records().total <= region(); }

    void search() {
        const double n = budget_.records();
        double unit = 0.0;  // no heat in the first round, which finds out how much is right
        bool falling = false;
        while (budget_.spent(steps_) < 1.0 && !control_.stopping()) {
            double spent = budget_.spent(steps_);
            // Unknown before the first timed round, which is short: it tells how fast this
            // machine is.
            const double all = budget_.all_steps(steps_, searching_);
            const double depth = all > 0 ? all / n : usual_depth;
            const double downhill = 1.0 - std::clamp(descent / depth, least_descent, most_descent);
            if (std::abs(spent - downhill) < 0.002) spent = downhill;
            falling = falling || spent >= downhill;
            if (falling && best_total_ < total_) {
                pieces_ = best_;
                total_ = best_total_;
                together_.reset();
            }
            double next = std::min(1.0, spent + first_look), wanted = 20.0 * n;
            if (all > 0) {
                const double rounds = std::clamp(all / n / 40.0, 6.0, 60.0);
                next = std::min(1.0, spent + std::max(n, all / rounds) / all);
                if (spent < downhill && next > downhill) next = downhill;
                if (steps_ == 0) next = std::min(next, first_look);
                wanted = (next - spent) * all;
            }
            Heat heat;
            const double freedom = unit * openness();
            if (!falling && freedom > 0) {
                const double hottest =
                    std::clamp(hot + hotter * std::log10(depth / usual_depth), 2 * coldest, 1.5);
                const auto at = [&](double share) {
                    return freedom * hottest * std::pow(coldest / hottest, share / downhill);
                };
                heat = {at(spent), at(next)};
            }
            const bool first = steps_ == 0;
            if (round(wanted, heat) == 0) break;  // too few steps are left for any region
            if (first) unit = refinement_.heat * heat_unit();
        }
    }

    // The share of the moves that the models left open in the last round. Where they forbid most,
    // it takes that much longer to make up for a change to the worse, so that there is less heat.
    double openness() const {
        if (models_.empty()) return 1.0;
        if (asked_ == 0) return 1.0;
        return std::max(least_open, static_cast<double>(allowed_) / static_cast<double>(asked_));
    }

    // Between what a record loses where any is lost, each weighed by its loss, and what the cheaper
    // changes to the worse cost (their lower quartile): the first alone is too much where closures
    // grow by small steps, the second where they jump. Less where all records lose much of what
    // they have in one class of all: they have little more to lose, and would be shaken into
    // disorder.
    double heat_unit() {
        double sum = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < pieces_.classes(); ++c) {
            std::int64_t size = 0;
            for (const Piece& piece : pieces_.of(c)) size += piece.count;
            const double loss = std::abs(pieces_.losses[c]);
            sum += loss;
            squares += loss * loss / static_cast<double>(size);
        }
        if (sum == 0 || rises_.empty()) return 0.0;
        const auto quartile = rises_.begin() + static_cast<std::ptrdiff_t>(rises_.size() / 4);
        std::nth_element(rises_.begin(), quartile, rises_.end());
        const double room = 1.0 - std::min(sum / most_total(), 0.9);
        return std::sqrt(squares / sum * *quartile) * room;
    }
    double most_total() const {
        const Records& records = objective_.records();
        if (objective_.plain()) return budget_.records() * records.weight_sum();
        std::vector<Piece> everyone(records.rows());
        for (std::size_t row = 0; row < everyone.size(); ++row) {
            everyone[row] = {static_cast<std::int32_t>(row), records.counts[row]};
        }
        ClassState all;
        const Poll poll(control_, Poll::Heed::cancellation);
        all.assign(objective_, everyone, &poll);
        return std::max(std::abs(all.total(objective_)), 1e-300);
    }

    // What a search found out in a round.
    struct Outcome {
        std::int64_t steps = 0, asked = 0, allowed = 0;
        ProposalTally tally;
        std::vector<double> rises;
        Pieces pieces;  // of its region

        void note(const RegionSearch<Classes>& search) {
            asked = search.asked();
            allowed = search.allowed();
            tally = search.tally();
            rises = search.rises();
        }
    };

    // Returns the steps taken.
    std::int64_t round(double wanted, const Heat& heat) {
        const std::int64_t before = steps_;
        const auto began = Clock::now();
        std::vector<Outcome> outcomes;
        try {
            outcomes = is_together() ? search_together(wanted, heat) : search_regions(wanted, heat);
        } catch (const Cancelled&) {
            if (control_.abandoned()) throw;
            return 0;
        }
        asked_ = allowed_ = 0;
        rises_.clear();
        ProposalTally tally;
        Pieces joined;
        joined.all.reserve(pieces_.all.size());
        for (Outcome& each : outcomes) {
            steps_ += each.steps;
            asked_ += each.asked;
            allowed_ += each.allowed;
            tally.add(each.tally);
            rises_.insert(rises_.end(), each.rises.begin(), each.rises.end());
            for (std::size_t c = 0; c < each.pieces.classes(); ++c) joined.append(each.pieces, c);
            each = {};
        }
        mixture_ = mix_by_gain(tally, objective_.plain());
        pieces_ = std::move(joined);
        total_ = sum_of(pieces_.losses);
        best_ = combine(best_, pieces_, objective_.records().rows(), control_);
        best_total_ = sum_of(best_.losses);
        searching_ += seconds_since(began);
        tell();
        return steps_ - before;
    }

    std::vector<Outcome> search_together(double wanted, const Heat& heat) {
        if (!together_) {
            together_ = std::make_unique<SearchTogether<Classes>>(
                objective_.records(), shared_, models_, neighbours_, pieces_, refinement_.k,
                refinement_.threads, random_.next());
        }
        auto& searches = together_->searches();
        for (auto& search : searches) search.watch_rises(steps_ == 0 ? most_rises : 0);
        std::vector<Outcome> outcomes(searches.size());
        outcomes[0].steps = together_->run(static_cast<std::int64_t>(wanted), budget_.end(), heat,
                                           mixture_, control_);
        for (std::size_t i = 0; i < searches.size(); ++i) outcomes[i].note(searches[i]);
        together_->write(outcomes[0].pieces);
        return outcomes;
    }

    std::vector<Outcome> search_regions(double wanted, const Heat& heat) {
        const std::size_t classes = pieces_.classes();
        std::vector<std::int32_t> row(classes);
        std::vector<std::int64_t> weight(classes);
        for (std::size_t c = 0; c < classes; ++c) {
            const auto members = pieces_.of(c);
            row[c] = members[static_cast<std::size_t>(random_.below(members.size()))].row;
            for (const Piece& piece : members) weight[c] += piece.count;
        }
        const Cells cells =
            divide_into_cells(objective_.records(), row, weight, region(), random_, control_);
        const std::uint64_t seed = random_.next();
        std::vector<Outcome> outcomes(cells.size());
        parallel_for(
            cells.size(), refinement_.threads,
            [&](std::size_t) { return RegionMap(objective_.records().rows()); },
            [&](RegionMap& map, std::size_t i) {
                const auto chosen = cells.of(i);
                Outcome& outcome = outcomes[i];
                if (control_.stopping() || budget_.is_over()) {
                    // The region stays as it is: even to look at it would take time.
                    for (const std::int32_t c : chosen) {
                        outcome.pieces.append(pieces_, static_cast<std::size_t>(c));
                    }
                    return;
                }
                std::int64_t records = 0;
                for (const std::int32_t c : chosen) records += weight[static_cast<std::size_t>(c)];
                const Limits limits{static_cast<std::int64_t>(
                                        wanted * static_cast<double>(records) / budget_.records()),
                                    budget_.timed(), budget_.end()};
                RegionPartition<Classes> partition(shared_, models_, neighbours_, pieces_, chosen,
                                                   map, refinement_.k);
                RegionSearch<Classes> search(partition, 0, Random(seed + i).next());
                if (steps_ == 0) search.watch_rises(most_rises);
                outcome.steps = search.run(limits, heat, mixture_, control_);
                outcome.note(search);
                partition.write(outcome.pieces);
            });
        return outcomes;
    }

    void find_losses(Pieces& pieces) const {
        const Poll poll(control_, Poll::Heed::cancellation);
        ClassState state;
        for (std::size_t c = 0; c < pieces.classes(); ++c) {
            state.assign(objective_, pieces.of(c), &poll);
            pieces.losses[c] = state.total(objective_);
        }
    }
    static double sum_of(const std::vector<double>& losses) {
        return std::accumulate(losses.begin(), losses.end(), 0.0);
    }

    void tell() {
        control_.loss.store(best_total_ / budget_.records(), std::memory_order_relaxed);
        control_.steps.store(steps_, std::memory_order_relaxed);
        control_.report(0.99 * budget_.spent(steps_));
    }

    const Objective& objective_;
    const typename Classes::Shared& shared_;
    const Models& models_;
    const Refinement& refinement_;
    Control& control_;
    Random random_;
    Budget budget_;
    Neighbours neighbours_;
    Mixture mixture_ = mix_by_gain({}, objective_.plain());
    Pieces pieces_, best_;
    std::unique_ptr<SearchTogether<Classes>> together_;  // of `pieces_`, if there is one
    double total_ = 0.0, best_total_ = 0.0;
    double searching_ = 0.0;
    std::vector<double> rises_;             // of the first round
    std::int64_t asked_ = 0, allowed_ = 0;  // moves of the last round, see RegionSearch
    std::int64_t steps_ = 0;
};

}  // namespace

Refined refine(const Objective& objective, const Models& models, const Partition& start,
               const Refinement& refinement, Control& control) {
    if (objective.plain()) {
        const PlainColumns columns(objective);
        return Rounds<PlainClasses>(objective, columns, models, refinement, control).run(start);
    }
    return Rounds<GeneralClasses>(objective, objective, models, refinement, control).run(start);
}

}  // namespace shoal
