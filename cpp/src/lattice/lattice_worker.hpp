// One thread's judging of nodes: tables of groups folded further, and what their classes cost.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "lattice/lattice_keys.hpp"
#include "lattice/lattice_models.hpp"

namespace shoal::lattice {

// One thread's scratch and the tables it keeps.
template <class Key>
class Worker {
  public:
    explicit Worker(const Shared<Key>& shared)
        : shared_(shared), models_(shared), changes_(shared.problem->ladders.size()) {}

    // The groups of `node`, folded from those of a finer one.
    void fold(const Groups<Key>& from, std::span<const Level> node, Groups<Key>& to) {
        steps_.clear();
        for (std::size_t j = 0; j < node.size(); ++j) {
            if (node[j] != from.node[j]) {
                steps_.push_back({j, change(j, from.node[j], node[j]).data()});
            }
        }
        gather(from, node, to, false);
    }

    // The groups of `node` from the finest ones, by the attributes alone that tell any two apart.
    void fold_anew(std::span<const Level> node, Groups<Key>& to) {
        steps_.clear();
        for (std::size_t j = 0; j < node.size(); ++j) {
            if (tells(node, j)) {
                steps_.push_back({j, shared_.parts[j][node[j]].data()});
            }
        }
        gather(shared_.finest, node, to, true);
    }

    // Judges groups that `fold` has just made.
    Judgement judge(const Groups<Key>& groups) {
        const LatticeProblem& problem = *shared_.problem;
        Judgement found;
        for (const std::int32_t count : groups.count)
            found.suppressed += count < problem.k ? count : 0;
        found.base = found.sound = found.suppressed <= problem.limit;
        found.floor = floor_of(groups);
        kept_.clear();
        if (found.base && !problem.models.empty()) {
            place_rows(groups);
            models_.check(groups, group_of_, found, kept_);
        }
        if (found.sound) found.loss = loss_of(groups, found);
        return found;
    }

    Judgement judge(std::span<const Level> node) {
        std::size_t telling = 0;
        for (std::size_t j = 0; j < node.size(); ++j) telling += tells(node, j);
        // What an attribute costs a group to change, beside what a group costs anyway.
        const auto price = [](std::size_t groups, std::size_t attributes) {
            return groups * (attributes + 4);
        };
        std::size_t best = packed<Key> ? price(shared_.finest.size(), changed(shared_.finest, node))
                                       : price(shared_.finest.size(), telling);
        Kept* source = nullptr;
        for (Kept& each : kept_tables_) {
            if (price(each.groups.size(), 1) >= best || !finer(each.groups.node, node)) continue;
            const std::size_t cost = price(each.groups.size(), changed(each.groups, node));
            if (cost >= best) continue;
            best = cost;
            source = &each;
        }
        if (source != nullptr) {
            source->used = ++clock_;
            fold(source->groups, node, made_);
        } else if (packed<Key>) {
            fold(shared_.finest, node, made_);
        } else {
            fold_anew(node, made_);
        }
        const Judgement found = judge(made_);
        keep();
        return found;
    }

    int levels(std::size_t attribute) const { return shared_.problem->ladders[attribute].levels(); }

    static bool finer(std::span<const Level> low, std::span<const Level> high) {
        for (std::size_t j = 0; j < low.size(); ++j) {
            if (low[j] > high[j]) return false;
        }
        return true;
    }

  private:
    struct Kept {
        Groups<Key> groups;
        std::uint64_t used = 0;
    };

    static constexpr std::size_t most_tables = 192;
    static constexpr std::size_t most_kept_groups = std::size_t{1} << 21;

    void keep() {
        // A table that is hardly smaller than the finest one saves nothing.
        if (made_.size() * 8 > shared_.finest.size() * 7) return;
        std::size_t groups = made_.size();
        for (const Kept& each : kept_tables_) groups += each.groups.size();
        while (!kept_tables_.empty() &&
               (kept_tables_.size() >= most_tables || groups > most_kept_groups)) {
            const auto oldest =
                std::min_element(kept_tables_.begin(), kept_tables_.end(),
                                 [](const Kept& a, const Kept& b) { return a.used < b.used; });
            groups -= oldest->groups.size();
            if (oldest != kept_tables_.end() - 1) *oldest = std::move(kept_tables_.back());
            kept_tables_.pop_back();
        }
        if (groups <= most_kept_groups) kept_tables_.push_back({made_, ++clock_});
    }

    void reserve_slots(std::size_t size) {
        const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * size, 16));
        if (slots_.size() < slots) slots_.resize(slots);
        mask_ = slots - 1;
        shift_ = 64 - static_cast<int>(std::bit_width(mask_));
        std::memset(slots_.data(), 0xff, slots * sizeof(std::int32_t));
    }

    // An attribute that changes the keys, and by what.
    struct Step {
        std::size_t attribute;
        const Key* change;
    };

    bool tells(std::span<const Level> node, std::size_t j) const {
        return node[j] != absent_level && shared_.looks[j][node[j]] > 1;
    }

    static std::size_t changed(const Groups<Key>& from, std::span<const Level> node) {
        std::size_t number = 0;
        for (std::size_t j = 0; j < node.size(); ++j) number += from.node[j] != node[j];
        return number;
    }

    // What a step from one level to another adds to a key, by look or code; kept once made.
    const std::vector<Key>& change(std::size_t attribute, Level from, Level to) {
        const Ladder& ladder = shared_.problem->ladders[attribute];
        const auto& parts = shared_.parts[attribute];
        auto& kept = changes_[attribute];
        const auto levels = static_cast<std::size_t>(ladder.levels());
        if (kept.empty()) kept.resize(levels * (levels + 1));
        std::vector<Key>& found = kept[from * (levels + 1) + (to == absent_level ? levels : to)];
        if (!found.empty()) return found;
        found.resize(ladder.code_count);
        for (std::size_t code = 0; code < ladder.code_count; ++code) {
            const Key now = to == absent_level ? Key{} : parts[to][code];
            found[shared_.place_of_code(attribute, from, code)] = now - parts[from][code];
        }
        return found;
    }

    // Changes keys by the steps and unites equal ones.
    void gather(const Groups<Key>& from, std::span<const Level> node, Groups<Key>& to, bool anew) {
        to.node.assign(node.begin(), node.end());
        const std::size_t size = from.size();
        reserve_slots(size);
        // Room for all, so that the loop writes without asking.
        to.resize(size);
        constexpr std::size_t batch = 512;
        std::array<Key, batch> keys;
        std::size_t used = 0;
        for (std::size_t begin = 0; begin < size; begin += batch) {
            const std::size_t number = std::min(batch, size - begin);
            if (anew) {
                std::fill_n(keys.begin(), number, Key{});
            } else {
                std::copy_n(from.key.begin() + static_cast<std::ptrdiff_t>(begin), number,
                            keys.begin());
            }
            for (const Step& step : steps_) add_step(step, from, begin, number, keys.data());
            used = insert(from, begin, number, keys.data(), to, used);
        }
        to.resize(used);
    }

    void add_step(const Step& step, const Groups<Key>& from, std::size_t begin, std::size_t number,
                  Key* keys) const {
        const Key* change = step.change;
        if constexpr (packed<Key>) {
            const auto [shift, mask] = shared_.digits[step.attribute];
            const Key* old = from.key.data() + begin;
            for (std::size_t i = 0; i < number; ++i) keys[i] += change[old[i] >> shift & mask];
        } else {
            const std::uint32_t* codes = shared_.problem->ladders[step.attribute].codes.data();
            const std::int32_t* rows = from.row.data() + begin;
            for (std::size_t i = 0; i < number; ++i) keys[i] = keys[i] + change[codes[rows[i]]];
        }
    }

    std::size_t insert(const Groups<Key>& from, std::size_t begin, std::size_t number,
                       const Key* keys, Groups<Key>& to, std::size_t used) {
        Key* to_key = to.key.data();
        std::int32_t* to_count = to.count.data();
        const std::int32_t* counts = from.count.data() + begin;
        std::int32_t* slots = slots_.data();
        for (std::size_t i = 0; i < number; ++i) {
            const Key key = keys[i];
            std::size_t place = hash_of(key) >> shift_;
            while (true) {
                const std::int32_t group = slots[place];
                if (group < 0) {
                    slots[place] = static_cast<std::int32_t>(used);
                    to_key[used] = key;
                    to_count[used] = counts[i];
                    if constexpr (!packed<Key>) to.row[used] = from.row[begin + i];
                    ++used;
                    break;
                }
                if (to_key[group] == key) {
                    to_count[group] += counts[i];
                    break;
                }
                place = (place + 1) & mask_;
            }
        }
        return used;
    }

    std::int64_t floor_of(const Groups<Key>& groups) const {
        std::int64_t sum = 0;
        if (shared_.problem->loss == LatticeLoss::discernibility) {
            for (const std::int64_t count : groups.count) sum += count * count;
            return sum;
        }
        for (std::size_t j = 0; j < groups.node.size(); ++j) {
            if (groups.node[j] != absent_level) sum += shared_.column_cost[j][groups.node[j]];
        }
        return sum;
    }

    bool is_kept(const Groups<Key>& groups, std::size_t group) const {
        return kept_.empty() ? groups.count[group] >= shared_.problem->k : kept_[group] != 0;
    }

    std::int64_t cost_of(const Groups<Key>& groups, std::size_t group) const {
        std::int64_t cost = 0;
        for (std::size_t j = 0; j < groups.node.size(); ++j) {
            if (groups.node[j] == absent_level) continue;
            cost += shared_.cost[j][groups.node[j]][shared_.place(groups, group, j)];
        }
        return cost;
    }

    // Costs are added up over the kept or over the suppressed groups, whichever are fewer.
    std::int64_t loss_of(const Groups<Key>& groups, Judgement& found) const {
        const LatticeProblem& problem = *shared_.problem;
        for (std::size_t g = 0; g < groups.size(); ++g) found.classes += is_kept(groups, g);
        if (problem.loss == LatticeLoss::level) return found.floor;
        // Sound, and never so good that another could not be better.
        if (problem.loss == LatticeLoss::unmeasured) {
            return std::numeric_limits<std::int64_t>::max() - 1;
        }
        const bool by_cost = problem.loss == LatticeLoss::cost;
        const bool few_kept =
            by_cost && 2 * static_cast<std::size_t>(found.classes) < groups.size();
        std::int64_t loss = few_kept ? found.suppressed * problem.suppressed_cost : found.floor;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (is_kept(groups, g) != few_kept) continue;
            const std::int64_t count = groups.count[g];
            if (few_kept) {
                loss += count * cost_of(groups, g);
            } else if (by_cost) {
                loss += count * (problem.suppressed_cost - cost_of(groups, g));
            } else {
                loss += count * (shared_.records - count);
            }
        }
        return loss;
    }

    // Looks up the group of every row among the slots that `fold` left.
    void place_rows(const Groups<Key>& groups) {
        const auto& ladders = shared_.problem->ladders;
        keys_.assign(shared_.problem->rows(), Key{});
        for (std::size_t j = 0; j < groups.node.size(); ++j) {
            if (groups.node[j] == absent_level || (!packed<Key> && !tells(groups.node, j)))
                continue;
            const std::vector<Key>& part = shared_.parts[j][groups.node[j]];
            for (std::size_t row = 0; row < keys_.size(); ++row) {
                keys_[row] = keys_[row] + part[ladders[j].codes[row]];
            }
        }
        // Keys of groups may differ from these by what all records share.
        const Key shift = packed<Key> ? Key{} : groups.key[0] - keys_[first_row(groups)];
        group_of_.resize(keys_.size());
        for (std::size_t row = 0; row < keys_.size(); ++row) {
            const Key key = keys_[row] + shift;
            std::size_t place = hash_of(key) >> shift_;
            while (!(groups.key[static_cast<std::size_t>(slots_[place])] == key)) {
                place = (place + 1) & mask_;
            }
            group_of_[row] = slots_[place];
        }
    }

    static std::size_t first_row(const Groups<Key>& groups) {
        return packed<Key> ? 0 : static_cast<std::size_t>(groups.row[0]);
    }

    const Shared<Key>& shared_;
    ModelCheck<Key> models_;
    std::vector<Kept> kept_tables_;
    std::uint64_t clock_ = 0;
    Groups<Key> made_;
    std::vector<std::vector<std::vector<Key>>> changes_;  // [attribute][from and to]
    std::vector<Step> steps_;
    std::vector<Key> keys_;
    std::vector<std::int32_t> slots_;
    std::size_t mask_ = 0;
    int shift_ = 60;
    std::vector<char> kept_;              // of each group, with models
    std::vector<std::int32_t> group_of_;  // of each row, with models
};

}  // namespace shoal::lattice
