#include "clustering/merge_small.hpp"

#include <numeric>

#include "common/scalars.hpp"
#include "scan/class_columns.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

namespace {

class Uniting {
  public:
    Uniting(const Objective& objective, const Models& models, std::int64_t k, Classes& classes,
            Control& control)
        : objective_(objective),
          models_(models),
          k_(k),
          classes_(classes),
          control_(control),
          became_(classes.states.size()),
          nearest_(classes.states.size(), -1),
          distance_(classes.states.size(), infinite<float>),
          class_columns_(objective) {
        std::iota(became_.begin(), became_.end(), 0);
    }

    std::vector<std::int32_t> run() {
        class_columns_.resize(became_.size());
        for (std::size_t c = 0; c < became_.size(); ++c) {
            if (classes_.states[c].size() == 0 || !small(c)) continue;
            small_.push_back(static_cast<std::int32_t>(c));
            class_columns_.set(c, classes_.states[c]);
        }
        for (const std::int32_t c : small_) find_nearest(c);
        while (small_.size() > 1) unite_closest();
        if (small_.size() == 1) unite_last(small_.front());
        return resolve();
    }

  private:
    ClassState& state(std::int32_t c) { return classes_.states[static_cast<std::size_t>(c)]; }
    bool small(std::size_t c) const {
        return classes_.states[c].size() < k_ || !classes_.histograms[c].holds(models_);
    }

    std::span<const float> find_nearest(std::int32_t a) {
        if (control_.cancelled()) throw Cancelled();
        const auto at = static_cast<std::size_t>(a);
        const std::span<float> change = class_columns_.scan(classes_.states[at], classes_.states);
        change[at] = infinite<float>;
        const std::size_t found = least(change);
        nearest_[at] = static_cast<std::int32_t>(found);
        distance_[at] = change[found];
        return change;
    }

    void unite_closest() {
        std::int32_t a = small_.front();
        for (const std::int32_t c : small_) {
            if (distance_[static_cast<std::size_t>(c)] < distance_[static_cast<std::size_t>(a)]) {
                a = c;
            }
        }
        const std::int32_t b = nearest_[static_cast<std::size_t>(a)];
        const auto at = static_cast<std::size_t>(a);
        join(a, b);
        const bool open = small(at);
        std::erase_if(small_, [&](std::int32_t c) { return c == b || (c == a && !open); });
        class_columns_.set(static_cast<std::size_t>(b), state(b));
        class_columns_.set(at, open ? state(a) : ClassState());
        if (small_.size() < 2) return;
        stale_.clear();
        const std::span<const float> change = open ? find_nearest(a) : std::span<const float>{};
        for (const std::int32_t c : small_) {
            const auto other = static_cast<std::size_t>(c);
            if (c == a) continue;
            if (open && change[other] < distance_[other]) {
                distance_[other] = change[other];
                nearest_[other] = a;
            } else if (nearest_[other] == a || nearest_[other] == b) {
                stale_.push_back(c);
            }
        }
        for (const std::int32_t c : stale_) find_nearest(c);
    }

    void unite_last(std::int32_t a) {
        for (std::size_t c = 0; c < became_.size(); ++c) class_columns_.set(c, classes_.states[c]);
        find_nearest(a);
        const auto at = static_cast<std::size_t>(a);
        if (distance_[at] < infinite<float>) join(nearest_[at], a);
    }

    void join(std::int32_t kept, std::int32_t gone) {
        const auto from = static_cast<std::size_t>(gone);
        state(kept).unite(objective_, state(gone));
        state(gone).clear();
        if (!models_.empty()) {
            classes_.histograms[static_cast<std::size_t>(kept)].unite(classes_.histograms[from]);
            classes_.histograms[from].clear();
        }
        became_[from] = kept;
    }

    std::vector<std::int32_t> resolve() {
        for (std::int32_t& to : became_) {
            while (became_[static_cast<std::size_t>(to)] != to) {
                to = became_[static_cast<std::size_t>(to)];
            }
        }
        return std::move(became_);
    }

    const Objective& objective_;
    const Models& models_;
    std::int64_t k_;
    Classes& classes_;
    Control& control_;
    std::vector<std::int32_t> became_;
    std::vector<std::int32_t> small_;
    std::vector<std::int32_t> stale_;
    std::vector<std::int32_t> nearest_;
    std::vector<float> distance_;
    ClassColumns class_columns_;
};

}  // namespace

std::vector<std::int32_t> merge_small(const Objective& objective, const Models& models,
                                      std::int64_t k, Classes& classes, Control& control) {
    return Uniting(objective, models, k, classes, control).run();
}

}  // namespace shoal
