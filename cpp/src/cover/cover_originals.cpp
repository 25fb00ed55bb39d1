// Rounds of greedy matchings in which originals choose (Algorithm 1 of the freeform paper as
// printed): each in turn goes to the released record whose closure grows least by it.
#include <algorithm>
#include <span>

#include "common/parallel.hpp"
#include "cover/released_scan.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

class OriginalsRound {
  public:
    OriginalsRound(const Cover& cover, const CoverSettings& settings, Control& control)
        : cover_(cover),
          settings_(settings),
          control_(control),
          scan_(cover),
          taken_(cover.size(), -1),
          left_(cover.records().counts) {}

    // Originals of these rows, in order, find a released record each, or wait for the end of the
    // round. All lists are made at once: each holds as many records as those before may take.
    void serve(std::span<const std::int32_t> rows) {
        std::size_t most = 0;
        for (const std::int32_t row : rows) most += copies(row);
        std::vector<std::vector<Offer>> lists(rows.size());
        parallel_for(
            (rows.size() + together - 1) / together, settings_.threads, [&](std::size_t group) {
                stop_if_cancelled();
                const std::size_t begin = group * together;
                const auto some = rows.subspan(begin, std::min(together, rows.size() - begin));
                auto found = scan_.least(some, most);
                std::move(found.begin(), found.end(),
                          lists.begin() + static_cast<std::ptrdiff_t>(begin));
            });
        for (std::size_t place = 0; place < rows.size(); ++place) {
            auto offer = lists[place].begin();
            for (std::size_t copy = 0; copy < copies(rows[place]); ++copy) {
                while (offer != lists[place].end() && !open(offer->released)) ++offer;
                take(rows[place],
                     offer != lists[place].end() ? offer->released : hand_on(rows[place]));
            }
        }
    }

    // Chains of exchanges for those whom a single one did not help: k of (n + 3) / 2 or more.
    const std::vector<std::int32_t>& finish() {
        for (std::size_t i = 0; i < taken_.size(); ++i) {
            if (taken_[i] >= 0) continue;
            stop_if_cancelled();
            serve_by_exchange(cover_, i, served_, taken_, left_);
            served_.push_back(i);
        }
        return taken_;
    }

    static constexpr std::size_t together = 16;  // rows that one scan of all records serves

  private:
    // Asked before all that looks at every record.
    void stop_if_cancelled() const {
        if (control_.cancelled()) throw Cancelled();
    }

    std::size_t copies(std::int32_t row) const {
        return static_cast<std::size_t>(cover_.records().counts[static_cast<std::size_t>(row)]);
    }
    bool open(std::int32_t released) const {
        return taken_[static_cast<std::size_t>(released)] < 0;
    }

    void take(std::int32_t row, std::int32_t released) {
        if (released < 0) return;
        if (open(released)) scan_.remove(released);
        taken_[static_cast<std::size_t>(released)] = row;
        --left_[static_cast<std::size_t>(row)];
        served_.push_back(static_cast<std::size_t>(released));
    }

    // The last served original whose released record suits this row, and that another free record
    // suits, moves there; returns what it gave up, -1 if there is none.
    std::int32_t hand_on(std::int32_t row) {
        for (auto other = served_.rbegin(); other != served_.rend(); ++other) {
            if (!cover_.may_hold(*other, row)) continue;
            const std::int32_t moved = taken_[*other];
            stop_if_cancelled();
            const auto offers = scan_.least({&moved, 1}, 1);
            if (offers[0].empty()) continue;
            const auto given = static_cast<std::int32_t>(*other);
            const std::int32_t to = offers[0][0].released;
            scan_.remove(to);
            taken_[static_cast<std::size_t>(to)] = moved;
            // Its place in the order is that of the original, which now holds another record.
            *other = static_cast<std::size_t>(to);
            return given;
        }
        return -1;
    }

    const Cover& cover_;
    const CoverSettings& settings_;
    Control& control_;
    ReleasedScan scan_;
    std::vector<std::int32_t> taken_;  // the row of each released record in this round
    std::vector<std::int32_t> left_;   // originals of each row without a released record
    std::vector<std::size_t> served_;  // released records in the order of their originals
};

}  // namespace

void cover_greedily_by_originals(Cover& cover, const CoverSettings& settings, Control& control) {
    const double rounds = cover.k() - 1;
    const std::size_t size =
        OriginalsRound::together * static_cast<std::size_t>(std::max(settings.threads, 1));
    const std::span<const std::int32_t> order = settings.order;
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        OriginalsRound now(cover, settings, control);
        for (std::size_t begin = 0; begin < order.size(); begin += size) {
            control.report(
                (round - 1 + static_cast<double>(begin) / static_cast<double>(order.size())) /
                rounds);
            now.serve(order.subspan(begin, std::min(size, order.size() - begin)));
        }
        const std::vector<std::int32_t>& taken = now.finish();
        for (std::size_t i = 0; i < cover.size(); ++i) cover.add(i, taken[i]);
    }
}

}  // namespace shoal
