#include "shoal/cover_refine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "shoal/dense_assignment.hpp"
#include "shoal/partition.hpp"
#include "shoal/random.hpp"
#include "shoal/refine_neighbours.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;

// Beyond this share of the budget the search goes downhill only.
constexpr double noisy_part = 0.6;

class BlockSearch {
  public:
    BlockSearch(Cover& cover, const CoverRefinement& refinement, const Neighbours& neighbours,
                Random& random)
        : cover_(cover),
          losses_(cover.losses()),
          neighbours_(neighbours),
          random_(random),
          most_(static_cast<std::size_t>(refinement.block)),
          k_(static_cast<std::size_t>(cover.k())),
          holders_(cover.records().rows()),
          place_(cover.size() * k_),
          stamp_(cover.size(), 0),
          hulls_(most_ * losses_.attributes()),
          cost_(most_ * most_),
          noisy_(most_ * most_) {
        for (std::size_t i = 0; i < cover.size(); ++i) {
            const auto members = cover.members(i);
            for (std::size_t m = 0; m < k_; ++m) hold(members[m], i * k_ + m);
        }
    }

    // One block around a row; returns by how much the loss fell.
    std::int64_t step(std::int32_t row, double noise) {
        choose(row);
        const std::size_t size = slots_.size();
        if (size < 2) return 0;
        std::int64_t now = 0, bound = 0;
        for (std::size_t b = 0; b < size; ++b) {
            const std::size_t released = slots_[b] / k_;
            const auto members = cover_.members(released);
            rest_.assign(members.begin(), members.end());
            rest_[slots_[b] % k_] = rest_.back();
            rest_.pop_back();
            HullPart* hull = hulls_.data();
            losses_.close(hull, rest_);
            std::int32_t* line = cost_.data() + b * most_;
            losses_.losses_adding(hull, rest_, rows_, line);
            for (std::size_t c = 0; c < size; ++c) {
                if (c != b && !may_hold(rows_[c])) line[c] = DenseAssignment::barred;
            }
            now += line[b];
            bound += *std::min_element(line, line + size);
        }
        if (noise == 0.0 && bound == now) return 0;
        const std::int32_t* costs = cost_.data();
        if (noise > 0.0) {
            blur(size, noise);
            costs = noisy_.data();
        }
        const auto& taken = assignment_.solve(costs, size, most_);
        std::int64_t after = 0;
        for (std::size_t b = 0; b < size; ++b) {
            const std::int32_t cost = cost_[b * most_ + static_cast<std::size_t>(taken[b])];
            if (cost == DenseAssignment::barred) return 0;
            after += cost;
        }
        if (noise == 0.0 && after >= now) return 0;
        for (std::size_t b = 0; b < size; ++b) {
            if (static_cast<std::size_t>(taken[b]) != b) release(rows_[b], slots_[b]);
        }
        for (std::size_t b = 0; b < size; ++b) {
            const auto to = static_cast<std::size_t>(taken[b]);
            if (to == b) continue;
            cover_.replace(slots_[b] / k_, slots_[b] % k_, rows_[to]);
            hold(rows_[to], slots_[b]);
        }
        return now - after;
    }

  private:
    void hold(std::int32_t row, std::size_t slot) {
        auto& holders = holders_[static_cast<std::size_t>(row)];
        place_[slot] = static_cast<std::uint32_t>(holders.size());
        holders.push_back(static_cast<std::uint32_t>(slot));
    }

    void release(std::int32_t row, std::size_t slot) {
        auto& holders = holders_[static_cast<std::size_t>(row)];
        const std::uint32_t last = holders.back();
        holders[place_[slot]] = last;
        place_[last] = place_[slot];
        holders.pop_back();
    }

    bool may_hold(std::int32_t row) const {
        std::int32_t held = 0;
        for (const std::int32_t member : rest_) held += member == row;
        return held < cover_.records().counts[static_cast<std::size_t>(row)];
    }

    // A holder, drawn at random, of the row and of each of its neighbours; every released record
    // takes part once.
    void choose(std::int32_t row) {
        ++now_;
        slots_.clear();
        rows_.clear();
        static const int V = getenv("FV") ? atoi(getenv("FV")) : 0;
        const auto near = neighbours_.of(static_cast<std::size_t>(row));
        const bool loose = V == 1 || (V == 2 && random_.below(2)) || (V == 4 && random_.below(2));
        const std::size_t width = V >= 3 ? near.size() : most_ * 3 / 2;
        add_holder(row, loose);
        const std::size_t first = random_.below(width);
        const std::size_t stride = V >= 3 ? 2 * random_.below(width / 2) + 1 : 1;
        for (std::size_t i = 0; i < width && slots_.size() < most_; ++i) {
            const std::int32_t other = near[V >= 3 ? (first + i * stride) % width : i];
            if (other >= 0) add_holder(other, loose);
        }
    }

    void add_holder(std::int32_t row, bool loose) {
        const auto& holders = holders_[static_cast<std::size_t>(row)];
        std::size_t slot = holders[random_.below(holders.size())];
        auto& seen = stamp_[slot / k_];
        if (seen == now_) return;
        seen = now_;
        if (loose) {
            slot = slot / k_ * k_ + random_.below(k_);
            row = cover_.members(slot / k_)[slot % k_];
        }
        slots_.push_back(slot);
        rows_.push_back(row);
    }

    // Gumbel noise; the assignment is then drawn near the best ones.
    void blur(std::size_t size, double noise) {
        for (std::size_t b = 0; b < size; ++b) {
            for (std::size_t c = 0; c < size; ++c) {
                const std::int32_t cost = cost_[b * most_ + c];
                std::int32_t& made = noisy_[b * most_ + c];
                if (cost == DenseAssignment::barred) {
                    made = cost;
                    continue;
                }
                const double unit = (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53;
                made = cost + static_cast<std::int32_t>(noise * std::log(-std::log(unit)));
            }
        }
    }

    Cover& cover_;
    const CoverLoss& losses_;
    const Neighbours& neighbours_;
    Random& random_;
    std::size_t most_, k_;
    std::vector<std::vector<std::uint32_t>> holders_;  // of each row: slots that hold it
    std::vector<std::uint32_t> place_;                 // of each slot among them
    std::vector<std::uint32_t> stamp_;
    std::uint32_t now_ = 0;
    std::vector<std::size_t> slots_;
    std::vector<std::int32_t> rows_;
    std::vector<std::int32_t> rest_;
    std::vector<HullPart> hulls_;
    std::vector<std::int32_t> cost_, noisy_;
    DenseAssignment assignment_;
};

}  // namespace

void refine_cover(Cover& cover, const CoverRefinement& refinement, Control& control) {
    const auto start = Clock::now();
    Random random(refinement.seed);
    Nearest nearest;
    nearest.width = static_cast<std::size_t>(refinement.block) * 4;
    nearest.threads = refinement.threads;
    nearest.path = refinement.path;
    const Neighbours neighbours = find_neighbours(cover.records(), nearest, random, control);
    BlockSearch search(cover, refinement, neighbours, random);
    const bool timed = refinement.steps < 0;
    std::int64_t total = cover.total();
    const double mean = static_cast<double>(total) / static_cast<double>(cover.size()) / cover.k();
    std::int64_t best = total;
    std::vector<std::int32_t> kept;
    double spent = 0.0;
    const auto rows = cover.records().rows();
    for (std::int64_t step = 0;; ++step) {
        if (step % 16 == 0) {
            if (control.cancelled()) throw Cancelled();
            if (timed) {
                spent = std::chrono::duration<double>(Clock::now() - start).count() /
                        std::max(refinement.seconds, 1e-9);
            }
            control.report(std::min(spent, 1.0));
            control.steps.store(step, std::memory_order_relaxed);
            control.loss.store(static_cast<double>(std::min(total, best)) * cover.losses().unit() /
                                   static_cast<double>(cover.size()),
                               std::memory_order_relaxed);
        }
        if (!timed) {
            spent = refinement.steps > 0
                        ? static_cast<double>(step) / static_cast<double>(refinement.steps)
                        : 1.0;
        }
        if (spent >= 1.0) {
            control.steps.store(step, std::memory_order_relaxed);
            break;
        }
        const double noise =
            spent < noisy_part ? refinement.heat * mean * (1.0 - spent / noisy_part) : 0.0;
        if (kept.empty() && noise > 0.0) {
            for (std::size_t i = 0; i < cover.size(); ++i) {
                const auto members = cover.members(i);
                kept.insert(kept.end(), members.begin(), members.end());
            }
        }
        total -= search.step(static_cast<std::int32_t>(random.below(rows)), noise);
    }
    control.report(1.0);
    if (total > best) cover.set(kept);
}

}  // namespace shoal
