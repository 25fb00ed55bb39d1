#include "shoal/cover_refine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "shoal/dense_assignment.hpp"
#include "shoal/partition.hpp"
#include "shoal/random.hpp"
#include "shoal/refine_neighbours.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;

// Beyond this share of the budget the search goes downhill only.
constexpr double noisy_part = 0.6;
constexpr std::size_t trials = 4;
// Noise at the start, in shares of what a member of a released record costs on average.
constexpr double noise_share = 0.15;

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
          marks_(cover.records().rows(), 0),
          hull_(losses_.attributes()),
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
        losses_.gather(rows_, gathered_);
        std::int64_t now = 0, bound = 0;
        for (std::size_t b = 0; b < size; ++b) {
            const std::size_t released = slots_[b] / k_;
            leave_out(released, slots_[b] % k_);
            HullPart* hull = hull_.data();
            losses_.close(hull, rest_);
            std::int32_t* line = cost_.data() + b * most_;
            losses_.losses_adding(hull, rest_, gathered_, line);
            bar(b, line);
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

    // Bars the rows of the block that the rest of a record's members already use up.
    void bar(std::size_t own, std::int32_t* line) const {
        for (const std::int32_t member : rest_) {
            if (marks_[static_cast<std::size_t>(member)] != now_) continue;
            const auto copies = cover_.records().counts[static_cast<std::size_t>(member)];
            if (copies > 1 && std::count(rest_.begin(), rest_.end(), member) < copies) continue;
            for (std::size_t c = 0; c < rows_.size(); ++c) {
                if (rows_[c] == member && c != own) line[c] = DenseAssignment::barred;
            }
        }
    }

    // A holder, drawn at random, of the row and of each of its neighbours gives up one of its
    // rows; every released record takes part once.
    void choose(std::int32_t row) {
        ++now_;
        slots_.clear();
        rows_.clear();
        add_holder(row);
        for (const std::int32_t near : neighbours_.of(static_cast<std::size_t>(row))) {
            if (slots_.size() >= most_) break;
            if (near >= 0) add_holder(near);
        }
    }

    void add_holder(std::int32_t row) {
        const auto& holders = holders_[static_cast<std::size_t>(row)];
        const std::size_t released = holders[random_.below(holders.size())] / k_;
        if (stamp_[released] == now_) return;
        stamp_[released] = now_;
        const std::size_t place = costliest(released);
        slots_.push_back(released * k_ + place);
        rows_.push_back(cover_.members(released)[place]);
        marks_[static_cast<std::size_t>(rows_.back())] = now_;
    }

    // Of a few members drawn at random, the one without which the record loses least: exchanges
    // of members that fit well rarely help.
    std::size_t costliest(std::size_t released) {
        std::size_t chosen = 0;
        std::int32_t least = INT32_MAX;
        const std::size_t most = std::min(k_, trials);
        for (std::size_t trial = 0; trial < most; ++trial) {
            const std::size_t place = k_ == most ? trial : random_.below(k_);
            leave_out(released, place);
            losses_.close(hull_.data(), rest_);
            const std::int32_t loss = losses_.loss(hull_.data());
            if (loss < least) {
                least = loss;
                chosen = place;
            }
        }
        return chosen;
    }

    void leave_out(std::size_t released, std::size_t place) {
        const auto members = cover_.members(released);
        rest_.assign(members.begin(), members.end());
        rest_[place] = rest_.back();
        rest_.pop_back();
    }

    // Gumbel noise; the assignment is then drawn near the best ones. Draws come from a table of
    // 4,096 quantiles: logarithms would take longer than all the rest.
    void blur(std::size_t size, double noise) {
        const auto scale = static_cast<std::int64_t>(noise);
        for (std::size_t b = 0; b < size; ++b) {
            const std::int32_t* line = cost_.data() + b * most_;
            std::int32_t* made = noisy_.data() + b * most_;
            std::uint64_t bits = 0;
            for (std::size_t c = 0; c < size; ++c) {
                if (c % 5 == 0) bits = random_.next();
                const std::int64_t draw = quantiles_[bits & 4095];
                bits >>= 12;
                made[c] = line[c] == DenseAssignment::barred
                              ? line[c]
                              : line[c] + static_cast<std::int32_t>(scale * draw >> 16);
            }
        }
    }

    static std::vector<std::int32_t> quantiles() {
        std::vector<std::int32_t> made(4096);
        for (std::size_t i = 0; i < made.size(); ++i) {
            const double unit = (static_cast<double>(i) + 0.5) / 4096.0;
            made[i] = static_cast<std::int32_t>(65536.0 * std::log(-std::log(unit)));
        }
        return made;
    }

    Cover& cover_;
    const CoverLoss& losses_;
    const Neighbours& neighbours_;
    Random& random_;
    std::size_t most_, k_;
    std::vector<std::vector<std::uint32_t>> holders_;  // of each row: slots that hold it
    std::vector<std::uint32_t> place_;                 // of each slot among them
    std::vector<std::uint32_t> stamp_;
    std::vector<std::uint32_t> marks_;  // of each row: the last block it was in
    std::uint32_t now_ = 0;
    std::vector<std::size_t> slots_;
    std::vector<std::int32_t> rows_;
    std::vector<std::int32_t> rest_;
    CoverLoss::Gathered gathered_;
    std::vector<HullPart> hull_;
    std::vector<std::int32_t> cost_, noisy_;
    std::vector<std::int32_t> quantiles_ = quantiles();
    DenseAssignment assignment_;
};

}  // namespace

void refine_cover(Cover& cover, const CoverRefinement& refinement, Control& control) {
    const auto start = Clock::now();
    Random random(refinement.seed);
    NeighbourSearch nearest;
    nearest.width = static_cast<std::size_t>(refinement.block) * 3 / 2;
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
        const double noise = spent < noisy_part
                                 ? refinement.heat * noise_share * mean * (1.0 - spent / noisy_part)
                                 : 0.0;
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
