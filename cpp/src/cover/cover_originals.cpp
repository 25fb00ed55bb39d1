// Rounds of greedy matchings in which originals choose (Algorithm 1 of the freeform paper as
// printed): each in turn goes to the released record whose closure grows least by it.
#include <algorithm>
#include <mutex>

#include "common/parallel.hpp"
#include "cover/cover_candidates.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

struct Offer {
    std::int32_t growth;
    std::int32_t released;
    bool operator<(const Offer& other) const {
        return growth != other.growth ? growth < other.growth : released < other.released;
    }
};

// The released records of least growth for a row, a few more while they are collected.
class Offers {
  public:
    void add(Offer offer) {
        if (offer.growth > bound_) return;
        found_.push_back(offer);
        if (found_.size() >= 2 * candidate_list) cut();
    }
    void add(const Offers& others) {
        for (const Offer& offer : others.found_) add(offer);
    }
    std::vector<Offer> take() {
        cut();
        return std::move(found_);
    }

  private:
    void cut() {
        std::sort(found_.begin(), found_.end());
        if (found_.size() > candidate_list) found_.resize(candidate_list);
        if (found_.size() == candidate_list) bound_ = found_.back().growth;
    }
    std::vector<Offer> found_;
    std::int32_t bound_ = INT32_MAX;
};

class OriginalsRound {
  public:
    OriginalsRound(const Cover& cover, const CoverSettings& settings, Control& control)
        : cover_(cover),
          settings_(settings),
          control_(control),
          taken_(cover.size(), -1),
          left_(cover.records().counts),
          lists_(cover.records().rows()),
          next_(cover.records().rows(), 0) {
        collect();
    }

    // One original of a row finds a released record, or waits for the end of the round.
    void serve(std::int32_t row) {
        std::int32_t found = next_free(row);
        if (found < 0) found = hand_on(row);
        if (found < 0) return;
        taken_[static_cast<std::size_t>(found)] = row;
        --left_[static_cast<std::size_t>(row)];
        served_.push_back(static_cast<std::size_t>(found));
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

  private:
    // Asked before all that looks at every row.
    void stop_if_cancelled() const {
        if (control_.cancelled()) throw Cancelled();
    }

    // Growths are computed by released record, for all rows at once; rows keep their least.
    void collect() {
        const std::size_t rows = lists_.size();
        std::vector<Offers> all(rows);
        struct Part {
            std::vector<Offers> offers;
            std::vector<std::int32_t> growth;
        };
        constexpr std::size_t together = 256;
        std::mutex joining;
        parallel_for(
            (cover_.size() + together - 1) / together, settings_.threads,
            [&](std::size_t) {
                return Part{std::vector<Offers>(rows), std::vector<std::int32_t>(rows)};
            },
            [&](Part& part, std::size_t block) {
                part.offers.assign(rows, {});
                const std::size_t end = std::min(cover_.size(), (block + 1) * together);
                for (std::size_t i = block * together; i < end; ++i) {
                    stop_if_cancelled();
                    const auto members = cover_.members(i);
                    cover_.losses().growths(cover_.hull(i), members, part.growth.data());
                    for (const std::int32_t row : members) {
                        if (cover_.may_hold(i, row)) continue;
                        part.growth[static_cast<std::size_t>(row)] = barred;
                    }
                    for (std::size_t row = 0; row < rows; ++row) {
                        if (part.growth[row] == barred) continue;
                        part.offers[row].add({part.growth[row], static_cast<std::int32_t>(i)});
                    }
                }
                const std::lock_guard lock(joining);
                for (std::size_t row = 0; row < rows; ++row) {
                    all[row].add(part.offers[row]);
                }
            });
        for (std::size_t row = 0; row < rows; ++row) lists_[row] = all[row].take();
    }

    std::int32_t next_free(std::int32_t row) {
        auto& list = lists_[static_cast<std::size_t>(row)];
        auto& place = next_[static_cast<std::size_t>(row)];
        for (bool again = true; again; again = refill(row)) {
            for (; place < list.size(); ++place) {
                const std::int32_t released = list[place].released;
                if (taken_[static_cast<std::size_t>(released)] < 0) return released;
            }
        }
        return -1;
    }

    // False if no released record is free for the row.
    bool refill(std::int32_t row) {
        stop_if_cancelled();
        Offers offers;
        for (std::size_t i = 0; i < cover_.size(); ++i) {
            if (taken_[i] >= 0 || !cover_.may_hold(i, row)) continue;
            offers.add({cover_.growth(i, row), static_cast<std::int32_t>(i)});
        }
        lists_[static_cast<std::size_t>(row)] = offers.take();
        next_[static_cast<std::size_t>(row)] = 0;
        return !lists_[static_cast<std::size_t>(row)].empty();
    }

    // The last served original whose released record suits this row, and that another free record
    // suits, moves there; returns what it gave up, -1 if there is none.
    std::int32_t hand_on(std::int32_t row) {
        for (auto other = served_.rbegin(); other != served_.rend(); ++other) {
            if (!cover_.may_hold(*other, row)) continue;
            const std::int32_t moved = taken_[*other];
            const std::int32_t to = next_free(moved);
            if (to < 0) continue;
            const auto given = static_cast<std::int32_t>(*other);
            taken_[static_cast<std::size_t>(to)] = moved;
            // Its place in the order is that of the original, which now holds another record.
            *other = static_cast<std::size_t>(to);
            return given;
        }
        return -1;
    }

    static constexpr std::int32_t barred = INT32_MAX;
    const Cover& cover_;
    const CoverSettings& settings_;
    Control& control_;
    std::vector<std::int32_t> taken_;  // the row of each released record in this round
    std::vector<std::int32_t> left_;   // originals of each row without a released record
    std::vector<std::vector<Offer>> lists_;
    std::vector<std::size_t> next_;
    std::vector<std::size_t> served_;  // released records in the order of their originals
};

}  // namespace

void cover_greedily_by_originals(Cover& cover, const CoverSettings& settings, Control& control) {
    const double rounds = cover.k() - 1;
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        control.report((round - 1) / rounds);
        OriginalsRound now(cover, settings, control);
        std::size_t served = 0;
        for (const std::int32_t row : settings.order) {
            const std::int32_t copies = cover.records().counts[static_cast<std::size_t>(row)];
            for (std::int32_t copy = 0; copy < copies; ++copy) {
                if (++served % 64 == 0 && control.cancelled()) throw Cancelled();
                now.serve(row);
            }
        }
        const std::vector<std::int32_t>& taken = now.finish();
        for (std::size_t i = 0; i < cover.size(); ++i) cover.add(i, taken[i]);
    }
}

}  // namespace shoal
