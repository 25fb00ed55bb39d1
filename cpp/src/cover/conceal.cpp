#include "shoal/cover/conceal.hpp"

#include <algorithm>
#include <limits>

#include "shoal/common/partition.hpp"
#include "shoal/cover/cover_loss.hpp"

namespace shoal {

namespace {

class Concealer {
  public:
    Concealer(const Records& records, std::int32_t k, Control& control)
        : losses_(records),
          n_(records.rows()),
          k_(static_cast<std::size_t>(k)),
          control_(control),
          members_(n_),
          hulls_(n_ * losses_.attributes()),
          growth_(n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            members_[i] = {static_cast<std::int32_t>(i)};
            losses_.open(hull(i), static_cast<std::int32_t>(i));
        }
    }

    // Each released record takes the original that costs it least, until it covers k.
    void cover_k_originals() {
        for (std::size_t i = 0; i < n_; ++i) {
            check(i, 0.0, 0.4);
            for (;;) {
                losses_.growths(hull(i), members_[i], growth_.data());
                std::size_t covered = 0, best = n_;
                for (std::size_t j = 0; j < n_; ++j) {
                    if (is_covered(i, j, growth_[j])) {
                        ++covered;
                    } else if (best == n_ || growth_[j] < growth_[best]) {
                        best = j;
                    }
                }
                if (covered >= k_) break;
                add(i, best);
            }
        }
    }

    // Each original that too few released records cover is added to those it costs least.
    void be_covered_by_k() {
        std::vector<std::size_t> covers(n_, 0);
        for (std::size_t i = 0; i < n_; ++i) {
            check(i, 0.4, 0.5);
            count(i, covers, 1);
        }
        std::vector<std::pair<std::int32_t, std::size_t>> costs;
        for (std::size_t j = 0; j < n_; ++j) {
            check(j, 0.5, 0.8);
            if (covers[j] >= k_) continue;
            costs.clear();
            for (std::size_t i = 0; i < n_; ++i) {
                const std::int32_t cost = growth(i, j);
                if (!is_covered(i, j, cost)) costs.emplace_back(cost, i);
            }
            const std::size_t lacking = k_ - covers[j];
            std::partial_sort(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(lacking),
                              costs.end());
            for (std::size_t c = 0; c < lacking; ++c) {
                const std::size_t i = costs[c].second;
                count(i, covers, -1);
                add(i, j);
                count(i, covers, 1);
            }
        }
    }

    // A cover that lies in no perfect matching becomes a match when it is made mutual.
    void match_k() {
        for (;;) {
            const auto arcs = all_covers();
            const std::vector<std::int32_t> component = components(arcs);
            bool any = false;
            for (std::size_t j = 0; j < n_; ++j) {
                std::size_t matches = 0;
                std::vector<std::pair<std::int32_t, std::size_t>> others;
                for (const std::int32_t i : arcs[j]) {
                    const auto place = static_cast<std::size_t>(i);
                    if (component[place] == component[j]) {
                        ++matches;
                    } else {
                        others.emplace_back(growth(j, place), place);
                    }
                }
                if (matches >= k_) continue;
                any = true;
                std::sort(others.begin(), others.end());
                const std::size_t lacking = std::min(k_ - matches, others.size());
                for (std::size_t c = 0; c < lacking; ++c) add(j, others[c].second);
            }
            if (!any) return;
        }
    }

    std::vector<std::vector<std::int32_t>> take() { return std::move(members_); }

  private:
    HullPart* hull(std::size_t i) { return hulls_.data() + i * losses_.attributes(); }

    void check(std::size_t place, double from, double to) {
        if (place % 16 != 0) return;
        if (control_.cancelled()) throw Cancelled();
        control_.report(from + (to - from) * static_cast<double>(place) / static_cast<double>(n_));
    }

    void add(std::size_t i, std::size_t j) {
        losses_.add(hull(i), members_[i], static_cast<std::int32_t>(j));
        members_[i].push_back(static_cast<std::int32_t>(j));
    }

    bool is_covered(std::size_t i, std::size_t j, std::int32_t cost) {
        return cost == 0 && losses_.covers(hull(i), members_[i], static_cast<std::int32_t>(j));
    }

    std::int32_t growth(std::size_t i, std::size_t j) {
        return losses_.loss_adding(hull(i), members_[i], static_cast<std::int32_t>(j)) -
               losses_.loss(hull(i));
    }

    void count(std::size_t i, std::vector<std::size_t>& covers, int sign) {
        losses_.growths(hull(i), members_[i], growth_.data());
        for (std::size_t j = 0; j < n_; ++j) {
            if (is_covered(i, j, growth_[j])) covers[j] += static_cast<std::size_t>(sign);
        }
    }

    // Of each original the released records that cover it.
    std::vector<std::vector<std::int32_t>> all_covers() {
        std::vector<std::vector<std::int32_t>> arcs(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            check(i, 0.8, 1.0);
            losses_.growths(hull(i), members_[i], growth_.data());
            for (std::size_t j = 0; j < n_; ++j) {
                if (is_covered(i, j, growth_[j])) arcs[j].push_back(static_cast<std::int32_t>(i));
            }
        }
        return arcs;
    }

    // Strongly connected components (Tarjan), without recursion. Everyone covers himself, which
    // is a perfect matching, so a cover lies in one exactly when a cycle leads through it.
    std::vector<std::int32_t> components(const std::vector<std::vector<std::int32_t>>& arcs) const {
        std::vector<std::int32_t> component(n_, -1), index(n_, -1), low(n_, 0), stack;
        std::vector<std::size_t> next(n_, 0);
        std::vector<std::int32_t> path;
        std::int32_t clock = 0, found = 0;
        for (std::size_t root = 0; root < n_; ++root) {
            if (index[root] >= 0) continue;
            path.push_back(static_cast<std::int32_t>(root));
            while (!path.empty()) {
                const auto now = static_cast<std::size_t>(path.back());
                if (next[now] == 0) {
                    index[now] = low[now] = clock++;
                    stack.push_back(path.back());
                }
                bool deeper = false;
                while (next[now] < arcs[now].size()) {
                    const auto to = static_cast<std::size_t>(arcs[now][next[now]++]);
                    if (index[to] < 0) {
                        path.push_back(static_cast<std::int32_t>(to));
                        deeper = true;
                        break;
                    }
                    if (component[to] < 0) low[now] = std::min(low[now], index[to]);
                }
                if (deeper) continue;
                path.pop_back();
                if (!path.empty()) {
                    auto& above = low[static_cast<std::size_t>(path.back())];
                    above = std::min(above, low[now]);
                }
                if (low[now] == index[now]) {
                    for (;;) {
                        const auto member = static_cast<std::size_t>(stack.back());
                        stack.pop_back();
                        component[member] = found;
                        if (member == now) break;
                    }
                    ++found;
                }
            }
        }
        return component;
    }

    CoverLoss losses_;
    std::size_t n_, k_;
    Control& control_;
    std::vector<std::vector<std::int32_t>> members_;
    std::vector<HullPart> hulls_;
    std::vector<std::int32_t> growth_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> conceal(const Records& records, std::int32_t k,
                                               Concealing aim, Control& control) {
    Concealer concealer(records, k, control);
    if (aim != Concealing::one_k) concealer.cover_k_originals();
    if (aim != Concealing::k_1) concealer.be_covered_by_k();
    if (aim == Concealing::concealment) concealer.match_k();
    control.report(1.0);
    return concealer.take();
}

}  // namespace shoal
