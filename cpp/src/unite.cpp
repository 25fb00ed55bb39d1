#include "shoal/unite.hpp"

#include <limits>
#include <numeric>

#include "shoal/partition.hpp"

namespace shoal {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

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
          distance_(classes.states.size(), infinite) {
        std::iota(became_.begin(), became_.end(), 0);
    }

    std::vector<std::int32_t> run() {
        for (std::size_t c = 0; c < became_.size(); ++c) {
            if (classes_.states[c].size() > 0 && small(c)) {
                small_.push_back(static_cast<std::int32_t>(c));
            }
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
    double between(std::int32_t a, std::int32_t b) {
        return state(a).total_united(objective_, state(b)) - state(a).total(objective_) -
               state(b).total(objective_);
    }

    void find_nearest(std::int32_t a) {
        if (control_.cancelled()) throw Cancelled();
        double least = infinite;
        std::int32_t found = -1;
        for (const std::int32_t b : small_) {
            if (b == a) continue;
            const double distance = between(a, b);
            if (distance < least) {
                least = distance;
                found = b;
            }
        }
        nearest_[static_cast<std::size_t>(a)] = found;
        distance_[static_cast<std::size_t>(a)] = least;
    }

    void unite_closest() {
        std::int32_t a = small_.front();
        for (const std::int32_t c : small_) {
            if (distance_[static_cast<std::size_t>(c)] < distance_[static_cast<std::size_t>(a)]) {
                a = c;
            }
        }
        const std::int32_t b = nearest_[static_cast<std::size_t>(a)];
        join(a, b);
        const bool open = small(static_cast<std::size_t>(a));
        std::erase_if(small_, [&](std::int32_t c) { return c == b || (c == a && !open); });
        for (const std::int32_t c : small_) {
            const auto at = static_cast<std::size_t>(c);
            if (c == a || nearest_[at] == a || nearest_[at] == b) {
                find_nearest(c);
            } else if (open) {
                const double distance = between(c, a);
                if (distance < distance_[at]) {
                    distance_[at] = distance;
                    nearest_[at] = a;
                }
            }
        }
    }

    void unite_last(std::int32_t a) {
        double least = infinite;
        std::int32_t found = -1;
        for (std::size_t c = 0; c < became_.size(); ++c) {
            const auto b = static_cast<std::int32_t>(c);
            if (b == a || state(b).size() == 0) continue;
            const double distance = between(a, b);
            if (distance < least) {
                least = distance;
                found = b;
            }
        }
        if (found >= 0) join(found, a);
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
    std::vector<std::int32_t> nearest_;
    std::vector<double> distance_;
};

}  // namespace

std::vector<std::int32_t> unite_small(const Objective& objective, const Models& models,
                                      std::int64_t k, Classes& classes, Control& control) {
    return Uniting(objective, models, k, classes, control).run();
}

}  // namespace shoal
