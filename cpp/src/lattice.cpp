#include "shoal/lattice.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <type_traits>

#include "shoal/bulk.hpp"
#include "shoal/partition.hpp"
#include "shoal/random.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;

// A sum of random words; as good as exact, and as cheap to change by one attribute.
struct WideKey {
    std::uint64_t high;
    std::uint64_t low;

    bool operator==(const WideKey&) const = default;
    WideKey operator+(const WideKey& other) const { return {high + other.high, low + other.low}; }
    WideKey operator-(const WideKey& other) const { return {high - other.high, low - other.low}; }
};

std::uint64_t hash_of(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ULL; }
std::uint64_t hash_of(const WideKey& key) { return key.high; }

int bits_for(std::uint32_t values) { return std::bit_width(values > 0 ? values - 1 : 0); }

std::uint32_t looks_of(const Ladder& ladder) {
    std::uint32_t most = 0;
    for (const auto& level : ladder.look) {
        for (const std::uint32_t look : level) most = std::max(most, look + 1);
    }
    return most;
}

int packed_bits(const LatticeProblem& problem) {
    int bits = 0;
    for (const Ladder& ladder : problem.ladders) bits += bits_for(looks_of(ladder));
    return bits;
}

// Part of a key that one look of one attribute adds: [attribute][level][code].
template <class Key>
using Parts = std::vector<std::vector<std::vector<Key>>>;

void make_parts(const LatticeProblem& problem, Parts<std::uint64_t>& parts) {
    int shift = 0;
    for (const Ladder& ladder : problem.ladders) {
        auto& own = parts.emplace_back();
        for (const auto& level : ladder.look) {
            auto& part = own.emplace_back(level.size());
            for (std::size_t code = 0; code < level.size(); ++code) {
                part[code] = shift < 64 ? std::uint64_t{level[code]} << shift : 0;
            }
        }
        shift += bits_for(looks_of(ladder));
    }
}

void make_parts(const LatticeProblem& problem, Parts<WideKey>& parts) {
    Random random(0x5851f42d4c957f2dULL);
    for (const Ladder& ladder : problem.ladders) {
        std::vector<WideKey> drawn(looks_of(ladder));
        for (WideKey& each : drawn) each = {random.next(), random.next()};
        auto& own = parts.emplace_back();
        for (const auto& level : ladder.look) {
            auto& part = own.emplace_back(level.size());
            for (std::size_t code = 0; code < level.size(); ++code) part[code] = drawn[level[code]];
        }
    }
}

// Where a packed key holds the look of an attribute.
struct Digit {
    int shift = 0;
    std::uint64_t mask = 0;
};

template <class Key>
constexpr bool packed = std::is_same_v<Key, std::uint64_t>;

// The groups of one node: key, number of records and, unless the key tells all, some row of it.
template <class Key>
struct Groups {
    Levels node;
    BulkVector<Key> key;
    BulkVector<std::int32_t> count;
    BulkVector<std::int32_t> row;

    std::size_t size() const { return key.size(); }
    void resize(std::size_t groups) {
        key.resize(groups);
        count.resize(groups);
        if constexpr (!packed<Key>) row.resize(groups);
    }
};

// What all workers share and none changes. Figures of an attribute are found by the look in a
// packed key, else by the code of a group's row: [attribute][level][look or code].
template <class Key>
struct Shared {
    const LatticeProblem* problem;
    Parts<Key> parts;
    std::vector<Digit> digits;
    Groups<Key> rows;    // every row by itself, at the finest levels
    Groups<Key> finest;  // folded
    std::vector<std::vector<std::vector<std::int64_t>>> cost;
    std::vector<std::vector<std::vector<char>>> silent;
    std::vector<std::vector<std::uint32_t>> looks;  // number of them: [attribute][level]
    std::vector<std::vector<std::int64_t>> column_cost;
    std::int64_t records = 0;

    std::size_t place(const Groups<Key>& groups, std::size_t group, std::size_t attribute) const {
        if constexpr (packed<Key>) {
            return groups.key[group] >> digits[attribute].shift & digits[attribute].mask;
        } else {
            return problem->ladders[attribute].codes[static_cast<std::size_t>(groups.row[group])];
        }
    }
    // Where the figures of a code stand on a level.
    std::size_t place_of_code(std::size_t attribute, std::size_t level, std::size_t code) const {
        return packed<Key> ? problem->ladders[attribute].look[level][code] : code;
    }
};

// One thread's scratch and the tables it keeps.
template <class Key>
class Worker {
  public:
    explicit Worker(const Shared<Key>& shared)
        : shared_(shared), changes_(shared.problem->ladders.size()) {}

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
        if (found.base && !problem.models.empty()) check_models(groups, found);
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
        shift_ = 64 - std::bit_width(mask_);
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

    std::int64_t loss_of(const Groups<Key>& groups, Judgement& found) const {
        const LatticeProblem& problem = *shared_.problem;
        std::int64_t loss = found.floor;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (is_kept(groups, g)) {
                ++found.classes;
                continue;
            }
            const std::int64_t count = groups.count[g];
            if (problem.loss == LatticeLoss::discernibility) {
                loss += count * (shared_.records - count);
            } else if (problem.loss == LatticeLoss::cost) {
                std::int64_t cost = 0;
                for (std::size_t j = 0; j < groups.node.size(); ++j) {
                    if (groups.node[j] == absent_level) continue;
                    cost += shared_.cost[j][groups.node[j]][shared_.place(groups, g, j)];
                }
                loss += count * (problem.suppressed_cost - cost);
            }
        }
        return loss;
    }

    // Finds the group of every row, and asks every large enough group for every model.
    void check_models(const Groups<Key>& groups, Judgement& found) {
        const LatticeProblem& problem = *shared_.problem;
        const std::size_t rows = problem.rows();
        place_rows(groups);
        start_.assign(groups.size() + 1, 0);
        for (const std::int32_t group : group_of_) ++start_[static_cast<std::size_t>(group) + 1];
        for (std::size_t g = 0; g < groups.size(); ++g) start_[g + 1] += start_[g];
        members_.resize(rows);
        next_.assign(start_.begin(), start_.end() - 1);
        for (std::size_t row = 0; row < rows; ++row) {
            members_[next_[static_cast<std::size_t>(group_of_[row])]++] =
                static_cast<std::int32_t>(row);
        }
        kept_.assign(groups.size(), 1);
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
            kept_[g] = all;
        }
        found.base = base <= problem.limit;
        found.sound = found.suppressed <= problem.limit && reads_soundly(groups, found.suppressed);
    }

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
    bool reads_soundly(const Groups<Key>& groups, std::int64_t suppressed) {
        if (suppressed == 0) return true;
        const LatticeProblem& problem = *shared_.problem;
        std::vector<std::int32_t> together;
        std::int64_t size = 0;
        bool blank = false;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const bool silent = kept_[g] && is_silent(groups, g);
            blank = blank || silent;
            if (kept_[g] && !silent) continue;
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
    std::vector<Kept> kept_tables_;
    std::uint64_t clock_ = 0;
    Groups<Key> made_;
    std::vector<std::vector<std::vector<Key>>> changes_;  // [attribute][from and to]
    std::vector<Step> steps_;
    std::vector<Key> keys_;
    std::vector<std::int32_t> slots_;
    std::size_t mask_ = 0;
    int shift_ = 60;
    std::vector<char> kept_;  // of each group, with models
    std::vector<std::int32_t> group_of_, members_;
    std::vector<std::size_t> start_, next_;
    std::vector<Held> held_;
};

template <class Key>
class Judge final : public NodeJudge {
  public:
    Judge(const LatticeProblem& problem, int threads) : NodeJudge(problem, threads) {
        shared_.problem = &problem;
        make_parts(problem, shared_.parts);
        shared_.column_cost = column_cost_;
        shared_.records = records_;
        make_figures();
        const std::size_t rows = problem.rows();
        Groups<Key>& all = shared_.rows;
        all.node.assign(problem.ladders.size(), 0);
        all.resize(rows);
        std::fill(all.key.begin(), all.key.end(), Key{});
        std::copy(problem.counts.begin(), problem.counts.end(), all.count.begin());
        if constexpr (!packed<Key>) std::iota(all.row.begin(), all.row.end(), 0);
        for (std::size_t j = 0; j < problem.ladders.size(); ++j) {
            const std::vector<std::uint32_t>& codes = problem.ladders[j].codes;
            for (std::size_t row = 0; row < rows; ++row) {
                all.key[row] = all.key[row] + shared_.parts[j][0][codes[row]];
            }
        }
        for (int i = 0; i < threads; ++i) workers_.emplace_back(shared_);
        workers_[0].fold(all, all.node, shared_.finest);
    }

    void judge(std::span<const Levels> nodes, std::span<Judgement> found,
               Control& control) override {
        std::atomic<std::size_t> next{0};
        on_threads(nodes.size(), [&](Worker<Key>& worker) {
            for (std::size_t i = next++; i < nodes.size(); i = next++) {
                if (control.cancelled()) throw Cancelled();
                found[i] = worker.judge(nodes[i]);
            }
        });
    }

    LatticeAnswer exhaust(const LatticeBudget& budget, Control& control) override {
        // Attributes of many values come first: a step in one of the last then folds a table that
        // is hardly larger than what it becomes. Levels of the first attributes make tasks enough
        // to share; the rest of the lattice is walked within each task.
        const auto& ladders = problem_->ladders;
        std::vector<std::size_t> order(ladders.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return looks_of(ladders[a]) > looks_of(ladders[b]);
        });
        std::size_t fixed = 0;
        std::size_t tasks = 1;
        while (fixed < order.size() && tasks < 16) {
            tasks *= static_cast<std::size_t>(ladders[order[fixed++]].levels());
        }
        const bool alone = budget.checks != std::numeric_limits<std::int64_t>::max();
        const Clock::time_point end = end_of(budget);
        std::atomic<std::size_t> next{0};
        std::atomic<std::int64_t> checks{0};
        std::atomic<bool> over{false};
        std::mutex guard;
        LatticeAnswer answer;
        on_threads(alone ? 1 : tasks, [&](Worker<Key>& worker) {
            Walk walk{worker, order, control, end, budget.checks, checks, over, {}, {}};
            for (std::size_t task = next++; task < tasks && !over; task = next++) {
                Levels node(ladders.size(), 0);
                std::size_t rest = task;
                for (std::size_t i = fixed; i-- > 0;) {
                    const auto levels = static_cast<std::size_t>(ladders[order[i]].levels());
                    node[order[i]] = static_cast<Level>(rest % levels);
                    rest /= levels;
                }
                walk.start(shared_.finest, node, fixed);
                control.report(static_cast<double>(task) / static_cast<double>(tasks));
            }
            const std::lock_guard lock(guard);
            if (walk.best.loss < answer.loss ||
                (walk.best.loss == answer.loss && walk.best.node < answer.node)) {
                answer = walk.best;
            }
        });
        answer.checks = checks;
        answer.complete = !over;
        return answer;
    }

  private:
    void make_figures() {
        int shift = 0;
        for (std::size_t j = 0; j < problem_->ladders.size(); ++j) {
            const Ladder& ladder = problem_->ladders[j];
            const int bits = bits_for(looks_of(ladder));
            shared_.digits.push_back({std::min(shift, 63), (std::uint64_t{1} << bits) - 1});
            shift += bits;
            auto& cost = shared_.cost.emplace_back();
            auto& silent = shared_.silent.emplace_back();
            auto& looks = shared_.looks.emplace_back();
            for (std::size_t level = 0; level < ladder.look.size(); ++level) {
                auto& of_level = cost.emplace_back(ladder.code_count);
                auto& quiet = silent.emplace_back(ladder.code_count);
                std::vector<char> seen(ladder.code_count);
                for (std::size_t code = 0; code < ladder.code_count; ++code) {
                    const std::size_t place = shared_.place_of_code(j, level, code);
                    of_level[place] = ladder.cost[level][code];
                    quiet[place] = ladder.silent[level][code];
                    seen[ladder.look[level][code]] = 1;
                }
                looks.push_back(
                    static_cast<std::uint32_t>(std::count(seen.begin(), seen.end(), 1)));
            }
        }
    }

    // A walk through a part of the lattice that folds each node from the one a step below it.
    struct Walk {
        Worker<Key>& worker;
        const std::vector<std::size_t>& order;  // of the attributes
        Control& control;
        Clock::time_point end;
        std::int64_t most;
        std::atomic<std::int64_t>& checks;
        std::atomic<bool>& over;
        LatticeAnswer best;
        std::vector<std::unique_ptr<Groups<Key>>> tables;

        Groups<Key>& table(std::size_t depth) {
            while (tables.size() <= depth) tables.push_back(std::make_unique<Groups<Key>>());
            return *tables[depth];
        }

        void start(const Groups<Key>& finest, const Levels& node, std::size_t from) {
            worker.fold(finest, node, table(0));
            visit(0, from);
        }

        void visit(std::size_t depth, std::size_t from) {
            if (over) return;
            if (control.cancelled()) throw Cancelled();
            if (Clock::now() >= end || checks >= most) {
                over = true;
                return;
            }
            ++checks;
            Groups<Key>& here = table(depth);
            const Judgement found = worker.judge(here);
            if (found.sound &&
                (found.loss < best.loss || (found.loss == best.loss && here.node < best.node))) {
                best.loss = found.loss;
                best.node = here.node;
            }
            for (std::size_t i = from; i < order.size(); ++i) {
                const std::size_t j = order[i];
                if (here.node[j] + 1 >= worker.levels(j)) continue;
                Levels up = here.node;
                ++up[j];
                worker.fold(here, up, table(depth + 1));
                visit(depth + 1, i);
            }
        }
    };

    template <class Work>
    void on_threads(std::size_t tasks, Work work) {
        const std::size_t threads = std::min(workers_.size(), std::max<std::size_t>(tasks, 1));
        if (threads == 1) {
            work(workers_[0]);
            return;
        }
        std::exception_ptr failure;
        std::mutex guard;
        std::vector<std::thread> running;
        for (std::size_t i = 0; i < threads; ++i) {
            running.emplace_back([&, i] {
                try {
                    work(workers_[i]);
                } catch (...) {
                    const std::lock_guard lock(guard);
                    failure = std::current_exception();
                }
            });
        }
        for (std::thread& each : running) each.join();
        if (failure) std::rethrow_exception(failure);
    }

    Shared<Key> shared_;
    std::vector<Worker<Key>> workers_;
};

}  // namespace

NodeJudge::NodeJudge(const LatticeProblem& problem, int threads)
    : problem_(&problem), threads_(threads), records_(problem.records()) {
    for (const Ladder& ladder : problem.ladders) {
        std::vector<std::int64_t> of_code(ladder.code_count);
        for (std::size_t row = 0; row < problem.rows(); ++row) {
            of_code[ladder.codes[row]] += problem.counts[row];
        }
        auto& costs = column_cost_.emplace_back();
        for (const auto& level : ladder.cost) {
            std::int64_t sum = 0;
            for (std::size_t code = 0; code < level.size(); ++code)
                sum += of_code[code] * level[code];
            costs.push_back(sum);
        }
    }
}

std::int64_t NodeJudge::floor(std::span<const Level> node) const {
    if (problem_->loss == LatticeLoss::discernibility) return 0;
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (node[j] != absent_level) sum += column_cost_[j][node[j]];
    }
    return sum;
}

std::unique_ptr<NodeJudge> make_judge(const LatticeProblem& problem, int threads) {
    if (packed_bits(problem) <= 64) {
        return std::make_unique<Judge<std::uint64_t>>(problem, threads);
    }
    return std::make_unique<Judge<WideKey>>(problem, threads);
}

}  // namespace shoal
