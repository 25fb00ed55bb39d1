// Whether the groups of a node meet the models.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lattice/lattice_keys.hpp"

namespace shoal::lattice {

// One thread's scratch for it.
template <class Key>
class ModelCheck {
  public:
    explicit ModelCheck(const Shared<Key>& shared) : shared_(shared) {}

    // Asks every large enough group for every model; `group_of` are the groups of all rows. Tells
    // which groups are kept.
    void check(const Groups<Key>& groups, std::span<const std::int32_t> group_of, Judgement& found,
               std::vector<char>& kept) {
        const LatticeProblem& problem = *shared_.problem;
        const std::size_t rows = problem.rows();
        start_.assign(groups.size() + 1, 0);
        for (const std::int32_t group : group_of) ++start_[static_cast<std::size_t>(group) + 1];
        for (std::size_t g = 0; g < groups.size(); ++g) start_[g + 1] += start_[g];
        members_.resize(rows);
        next_.assign(start_.begin(), start_.end() - 1);
        for (std::size_t row = 0; row < rows; ++row) {
            members_[next_[static_cast<std::size_t>(group_of[row])]++] =
                static_cast<std::int32_t>(row);
        }
        kept.assign(groups.size(), 1);
        std::int64_t base = 0;
        found.suppressed = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const bool large = groups.count[g] >= problem.k;
            bool basic = large;
            bool all = large;
            const std::span<const std::int32_t> members(members_.data() + start_[g],
                                                        start_[g + 1] - start_[g]);
            for (std::size_t i = 0; i < problem.models.all.size() && basic; ++i) {
                if (!all && !problem.inferable[i]) continue;
                if (meets(i, members, groups.count[g])) continue;
                all = false;
                if (problem.inferable[i]) basic = false;
            }
            if (!basic) base += groups.count[g];
            if (!all) found.suppressed += groups.count[g];
            kept[g] = all;
        }
        found.base = base <= problem.limit;
        found.sound =
            found.suppressed <= problem.limit && reads_soundly(groups, kept, found.suppressed);
    }

  private:
    bool meets(std::size_t which, std::span<const std::int32_t> members, std::int64_t size) {
        const Model& model = shared_.problem->models.all[which];
        held_.clear();
        for (const std::int32_t row : members) {
            const auto at = static_cast<std::size_t>(row);
            held_.push_back({model.codes[at], shared_.problem->counts[at]});
        }
        std::sort(held_.begin(), held_.end(),
                  [](const Held& a, const Held& b) { return a.code < b.code; });
        std::size_t used = 0;
        for (std::size_t i = 0; i < held_.size(); ++i) {
            if (used > 0 && held_[used - 1].code == held_[i].code) {
                held_[used - 1].count += held_[i].count;
            } else {
                held_[used++] = held_[i];
            }
        }
        return holds(model, std::span<const Held>(held_.data(), used), size);
    }

    // A class that may read as suppressed is one class with the suppressed records to a reader,
    // and must meet every model as such.
    bool reads_soundly(const Groups<Key>& groups, std::span<const char> kept,
                       std::int64_t suppressed) {
        if (suppressed == 0) return true;
        const LatticeProblem& problem = *shared_.problem;
        std::vector<std::int32_t> together;
        std::int64_t size = 0;
        bool blank = false;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const bool silent = kept[g] && is_silent(groups, g);
            blank = blank || silent;
            if (kept[g] && !silent) continue;
            size += groups.count[g];
            together.insert(together.end(),
                            members_.begin() + static_cast<std::ptrdiff_t>(start_[g]),
                            members_.begin() + static_cast<std::ptrdiff_t>(start_[g + 1]));
        }
        if (!blank) return true;
        for (std::size_t i = 0; i < problem.models.all.size(); ++i) {
            if (!meets(i, together, size)) return false;
        }
        return true;
    }

    bool is_silent(const Groups<Key>& groups, std::size_t group) const {
        for (std::size_t j = 0; j < groups.node.size(); ++j) {
            if (groups.node[j] == absent_level) continue;
            if (!shared_.silent[j][groups.node[j]][shared_.place(groups, group, j)]) return false;
        }
        return true;
    }

    const Shared<Key>& shared_;
    std::vector<std::int32_t> members_;  // rows by group
    std::vector<std::size_t> start_, next_;
    std::vector<Held> held_;
};

}  // namespace shoal::lattice
