#include "shoal/recoding/recoding_search.hpp"

#include <algorithm>
#include <cmath>

namespace shoal {

bool RecodingSearch::allows(std::size_t j, std::span<const std::int32_t> group_of) const {
    return regroupings_[j].allows(group_of);
}

void RecodingSearch::set_groups(std::size_t j, std::span<const std::int32_t> group_of) {
    leave();
    const auto groups = groups_[j].groups();
    entered_.assign(groups.begin(), groups.end());
    for (std::size_t value = 0; value < group_of.size(); ++value) {
        groups_[j].move(static_cast<std::int32_t>(value), group_of[value]);
    }
    current_ = j;  // nothing is counted before a search enters
    leave();
}

double RecodingSearch::loss() {
    if (current_ == nowhere) enter(0);
    return loss_here();
}

std::int64_t RecodingSearch::suppressed() {
    if (current_ == nowhere) enter(0);
    return suppressed_;
}

double RecodingSearch::loss_here() const {
    const double total = static_cast<double>(records_.total);
    switch (problem_.goal) {
        case Goal::cells:
            return static_cast<double>(wrong_) / total;
        case Goal::fields:
            return (total + terms_) / total;
        case Goal::levels:
            return levels_elsewhere_ + highest_level(current_);
        default:
            return mean_loss();
    }
}

double RecodingSearch::mean_loss() const {
    double sum = constant_ + terms_ + static_cast<double>(elsewhere_) / fixed_point;
    for (std::size_t y = 0; y < labels_; ++y) {
        sum += suppressed_loss_[y] * static_cast<double>(suppressed_labels_[y]);
    }
    return sum / static_cast<double>(records_.total);
}

double RecodingSearch::pressed(double pressure) const {
    const std::int64_t beyond =
        suppressed_ > problem_.limit ? suppressed_ - problem_.limit + small_ : 0;
    const double led = problem_.goal == Goal::levels ? lead * mean_loss() : 0.0;
    return loss_here() + led +
           pressure * static_cast<double>(beyond) / static_cast<double>(records_.total);
}

void RecodingSearch::remember() {
    if (suppressed_ > problem_.limit) return;
    const double loss = loss_here();
    if (found() && loss >= best_loss_ - 1e-12) return;
    best_loss_ = std::max(loss, 0.0);
    best_.resize(groups_.size());
    for (std::size_t j = 0; j < groups_.size(); ++j) {
        const auto groups = groups_[j].groups();
        best_[j].assign(groups.begin(), groups.end());
    }
}

std::int64_t RecodingSearch::walk(std::size_t j, const Walk& walk) {
    enter(j);
    remember();
    std::int64_t accepted = 0;
    Move move;
    double now = pressed(walk.pressure);
    for (std::int64_t i = 0; i < walk.proposals; ++i) {
        poll_.look();
        if (!regroupings_[j].propose(groups_[j], random_, walk.uncollapse, move)) continue;
        const double terms = terms_;
        // A node of a tree parts into several groups at once; that is tried by doing it.
        const bool ahead = std::all_of(
            move.transfers.begin(), move.transfers.end(), [&](const ValueTransfer& moved) {
                return moved.from == move.transfers[0].from && moved.to == move.transfers[0].to;
            });
        if (!ahead) take(move.transfers);
        const double then =
            ahead ? pressed_after(move.transfers, walk.pressure) : pressed(walk.pressure);
        double rise = then - now;
        if (walk.hastings) rise -= walk.temperature * move.log_ratio;
        const double luck = static_cast<double>((random_.next() >> 11) + 1) * 0x1p-53;
        const bool accept =
            rise <= 0 || (walk.temperature > 0 && std::log(luck) * walk.temperature <= -rise);
        if (accept) {
            if (ahead) take(move.transfers);
            now = then;
            ++accepted;
            remember();
        } else if (!ahead) {
            undo(move.transfers);
            terms_ = terms;  // as it was, without the rounding of the way there and back
        }
    }
    return accepted;
}

std::vector<double> RecodingSearch::sample(std::size_t j, const Walk& walk) {
    enter(j);
    remember();
    std::vector<double> changes;
    Move move;
    const double now = pressed(walk.pressure);
    for (std::int64_t i = 0; i < walk.proposals; ++i) {
        poll_.look();
        if (!regroupings_[j].propose(groups_[j], random_, walk.uncollapse, move)) continue;
        const double terms = terms_;
        take(move.transfers);
        changes.push_back(pressed(walk.pressure) - now);
        undo(move.transfers);
        terms_ = terms;
    }
    return changes;
}

}  // namespace shoal
