#include "shoal/pricing.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "shoal/partition.hpp"

namespace shoal {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kept_per_leader = 3;
constexpr std::int64_t nodes_between_looks = 512;
constexpr std::uint32_t mask_codes = 64;
constexpr double rounding = 1e-12;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Told to all threads of one search.
struct Shared {
    Clock::time_point end = Clock::time_point::max();
    std::atomic<bool> stopped{false};
    std::atomic<bool> cut_short{false};
    std::atomic<std::int64_t> columns{0};
    Control* control = nullptr;

    bool look() {
        if (control->cancelled() || Clock::now() >= end) {
            stopped.store(true, std::memory_order_relaxed);
        }
        return stopped.load(std::memory_order_relaxed);
    }
};

// For each row a list: the cuts that hold it, or the rows that it is branched with.
struct Listing {
    std::int32_t item;
    std::int32_t weight;
};

struct RowLists {
    std::vector<std::size_t> start;
    std::vector<Listing> all;

    std::span<const Listing> of(std::size_t row) const {
        return {all.data() + start[row], all.data() + start[row + 1]};
    }

    // `each` calls its argument with every row and listing, twice in the same order.
    template <class Each>
    RowLists(std::size_t rows, Each each) : start(rows + 1, 0) {
        each([this](std::size_t row, Listing) { ++start[row + 1]; });
        std::partial_sum(start.begin(), start.end(), start.begin());
        all.resize(start.back());
        std::vector<std::size_t> next(start.begin(), start.end() - 1);
        each([this, &next](std::size_t row, Listing listing) { all[next[row]++] = listing; });
    }
};

RowLists cuts_of_rows(const Cuts& cuts, std::span<const double> prices, std::size_t rows) {
    return RowLists(rows, [&](auto visit) {
        for (std::size_t q = 0; q < cuts.size(); ++q) {
            if (prices[q] == 0.0) continue;
            for (auto i = static_cast<std::size_t>(cuts.start[q]);
                 i < static_cast<std::size_t>(cuts.start[q + 1]); ++i) {
                visit(static_cast<std::size_t>(cuts.row[i]),
                      Listing{static_cast<std::int32_t>(q), cuts.weight[i]});
            }
        }
    });
}

RowLists partners(const Branches& branches, bool together, std::size_t rows) {
    return RowLists(rows, [&](auto visit) {
        for (std::size_t b = 0; b < branches.first.size(); ++b) {
            if ((branches.together[b] != 0) != together) continue;
            visit(static_cast<std::size_t>(branches.first[b]), Listing{branches.second[b], 1});
            visit(static_cast<std::size_t>(branches.second[b]), Listing{branches.first[b], 1});
        }
    });
}

struct Candidate {
    std::int32_t row;
    std::int32_t left;  // records of the row that may still join
    double loss;        // of the closure with it
    double price;
};

bool nearer(const Candidate& a, const Candidate& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.row < b.row;
}

// The closure of the attributes that are no intervals.
struct ListedPart {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t distinct = 0;
    std::uint64_t mask = 0;
    std::vector<std::uint32_t> held;  // of a set with many codes
};

struct Grown {
    std::vector<double> low;
    std::vector<double> high;
    std::vector<ListedPart> listed;
    double loss = 0.0;
};

struct Child {
    double bound;
    double cutoff;
    std::size_t place;
};

struct Level {
    Grown closure;
    std::vector<Candidate> candidates;
    std::vector<Child> children;
};

}  // namespace

// The search below one leader after another; one for each thread.
//
// The next member is always the one that would widen the closure most among all that are still to
// come, so that the loss is nearly final after the first few, and every multiset is reached once.
class LedSearch {
  public:
    LedSearch(const ClassPricer& pricer, const Prices& prices, const Cuts& cuts,
              const RowLists& cut_lists, const RowLists& apart, const RowLists& together,
              const std::vector<std::int32_t>& order, const Pricing& pricing, Shared& shared)
        : pricer_(pricer),
          prices_(prices),
          cuts_(cuts),
          cut_lists_(cut_lists),
          apart_(apart),
          together_(together),
          order_(order),
          pricing_(pricing),
          shared_(shared),
          levels_(static_cast<std::size_t>(pricer.largest_) + 1),
          held_in_cut_(cuts.size(), 0),
          chosen_of_(pricer.rows(), 0) {
        for (Level& level : levels_) {
            level.closure.low.resize(pricer.intervals_);
            level.closure.high.resize(pricer.intervals_);
            level.closure.listed.resize(pricer.listed_.size());
        }
    }

    struct Found {
        double reduced;
        double cost;
        std::vector<std::int32_t> rows;  // one entry a record
    };

    // Returns what no column that this row leads can be below; takes at most so many nodes.
    double lead(std::size_t place, std::int64_t most, std::vector<Found>& found) {
        most_here_ = most;
        const auto leader = static_cast<std::size_t>(order_[place]);
        found_ = &found;
        threshold_ = pricing_.below;
        unexplored_ = infinity;
        nodes_here_ = 0;
        chosen_.clear();
        Level& top = levels_[1];
        open(top.closure, leader);
        top.candidates.clear();
        const double price = prices_.record[leader];
        // Members are priced no higher than the leader: a class of size s that holds a row this far
        // away has a reduced cost of s·(loss - price) - opening at least. A hair more for rounding.
        const double room = threshold_ + prices_.opening;
        const double useless =
            price + room / (room >= 0 ? pricer_.k_ : pricer_.largest_) + rounding;
        choose(leader);
        if (pricer_.counts_[leader] > 1) {
            top.candidates.push_back(
                {static_cast<std::int32_t>(leader), pricer_.counts_[leader] - 1, 0.0, price});
        }
        for (std::size_t i = place + 1; i < order_.size(); ++i) {
            const auto row = static_cast<std::size_t>(order_[i]);
            if ((i & 4095) == 4095 && shared_.look()) break;
            if (!apart_.all.empty() && kept_apart(row)) continue;
            const double loss = loss_with(top.closure, row);
            if (loss >= useless) continue;
            top.candidates.push_back({order_[i], pricer_.counts_[row], loss, prices_.record[row]});
        }
        if (!shared_.look()) {
            extend(1, prices_.opening + price);
        } else {
            unexplored_ = -infinity;
        }
        unchoose(leader);
        if (unexplored_ < infinity) shared_.cut_short.store(true, std::memory_order_relaxed);
        const double best = pricing_.all ? pricing_.below : threshold_;
        return std::min({best, unexplored_, pricing_.below});
    }

    std::int64_t nodes() const { return nodes_; }
    std::int64_t nodes_here() const { return nodes_here_; }

  private:
    void open(Grown& closure, std::size_t row) const {
        const double* at = pricer_.positions_.data() + row * pricer_.intervals_;
        std::copy(at, at + pricer_.intervals_, closure.low.begin());
        std::copy(at, at + pricer_.intervals_, closure.high.begin());
        for (std::size_t j = 0; j < pricer_.listed_.size(); ++j) {
            const std::uint32_t code = pricer_.listed_[j].codes[row];
            ListedPart& part = closure.listed[j];
            part.low = part.high = code;
            part.distinct = 1;
            part.mask = pricer_.listed_[j].masked ? std::uint64_t{1} << code : 0;
            part.held.assign(1, code);
        }
        closure.loss = 0.0;
    }

    void widen(const Grown& from, std::size_t row, double loss, Grown& closure) const {
        const double* at = pricer_.positions_.data() + row * pricer_.intervals_;
        for (std::size_t j = 0; j < pricer_.intervals_; ++j) {
            closure.low[j] = std::min(from.low[j], at[j]);
            closure.high[j] = std::max(from.high[j], at[j]);
        }
        for (std::size_t j = 0; j < pricer_.listed_.size(); ++j) {
            const auto& attribute = pricer_.listed_[j];
            const std::uint32_t code = attribute.codes[row];
            const bool fresh = !holds(attribute, from.listed[j], code);
            ListedPart& part = closure.listed[j];
            part.low = std::min(from.listed[j].low, code);
            part.high = std::max(from.listed[j].high, code);
            part.distinct = from.listed[j].distinct + (fresh ? 1 : 0);
            if (attribute.kind != Kind::set) continue;
            if (attribute.masked) {
                part.mask = from.listed[j].mask | std::uint64_t{1} << code;
            } else {
                part.held = from.listed[j].held;
                if (fresh) part.held.push_back(code);
            }
        }
        closure.loss = loss;
    }

    static bool holds(const ClassPricer::Listed& attribute, const ListedPart& part,
                      std::uint32_t code) {
        if (attribute.kind != Kind::set) return part.low == code && part.high == code;
        if (attribute.masked) return (part.mask >> code & 1) != 0;
        return std::find(part.held.begin(), part.held.end(), code) != part.held.end();
    }

    double loss_with(const Grown& closure, std::size_t row) const {
        const std::size_t count = pricer_.intervals_;
        const double* at = pricer_.positions_.data() + row * count;
        const double* low = closure.low.data();
        const double* high = closure.high.data();
        const double* weight = pricer_.weights_.data();
        // Multiples of one small power of two: exact, so the order of summing does not matter.
        double even = 0.0, odd = 0.0;
        std::size_t j = 0;
        for (; j + 1 < count; j += 2) {
            even += std::min(std::max(high[j], at[j]) - std::min(low[j], at[j]), weight[j]);
            odd += std::min(std::max(high[j + 1], at[j + 1]) - std::min(low[j + 1], at[j + 1]),
                            weight[j + 1]);
        }
        if (j < count) {
            even += std::min(std::max(high[j], at[j]) - std::min(low[j], at[j]), weight[j]);
        }
        double sum = even + odd;
        for (std::size_t a = 0; a < pricer_.listed_.size(); ++a) {
            const auto& attribute = pricer_.listed_[a];
            const ListedPart& part = closure.listed[a];
            const std::uint32_t code = attribute.codes[row];
            if (attribute.kind == Kind::set) {
                sum +=
                    attribute.rounded.set(part.distinct + (holds(attribute, part, code) ? 0u : 1u));
            } else if (attribute.kind == Kind::tree) {
                sum += attribute.rounded.tree(std::min(part.low, code), std::max(part.high, code));
            } else {
                sum += attribute.rounded.all_or_nothing(std::min(part.low, code),
                                                        std::max(part.high, code));
            }
        }
        return sum;
    }

    // What the cuts charge for one more record of a row, a negative number or 0.
    double charge(std::size_t row) const {
        double sum = 0.0;
        for (const Listing& listing : cut_lists_.of(row)) {
            const auto q = static_cast<std::size_t>(listing.item);
            // Weights are below the divisor: one more record passes one multiple of it at most.
            if (held_in_cut_[q] % cuts_.divisor[q] + listing.weight >= cuts_.divisor[q]) {
                sum += prices_.cut[q];
            }
        }
        return sum;
    }

    void choose(std::size_t row) {
        chosen_.push_back(static_cast<std::int32_t>(row));
        ++chosen_of_[row];
        for (const Listing& listing : cut_lists_.of(row)) {
            held_in_cut_[static_cast<std::size_t>(listing.item)] += listing.weight;
        }
    }

    void unchoose(std::size_t row) {
        chosen_.pop_back();
        --chosen_of_[row];
        for (const Listing& listing : cut_lists_.of(row)) {
            held_in_cut_[static_cast<std::size_t>(listing.item)] -= listing.weight;
        }
    }

    // Whether the chosen ones keep every pair together that branching wants together.
    bool whole() const {
        if (together_.all.empty()) return true;
        return std::all_of(chosen_.begin(), chosen_.end(), [this](std::int32_t row) {
            const auto others = together_.of(static_cast<std::size_t>(row));
            return std::all_of(others.begin(), others.end(), [this](const Listing& other) {
                return chosen_of_[static_cast<std::size_t>(other.item)] > 0;
            });
        });
    }

    bool kept_apart(std::size_t row) const {
        const auto others = apart_.of(row);
        return std::any_of(others.begin(), others.end(), [this](const Listing& other) {
            return chosen_of_[static_cast<std::size_t>(other.item)] > 0;
        });
    }

    void offer(double reduced, double cost) {
        if (!(reduced < threshold_) || !whole()) return;
        if (pricing_.all) {
            found_->push_back({reduced, cost, chosen_});
            if (shared_.columns.fetch_add(1, std::memory_order_relaxed) >= pricing_.columns) {
                shared_.stopped.store(true, std::memory_order_relaxed);
            }
            return;
        }
        threshold_ = reduced;
        if (found_->size() == kept_per_leader) found_->erase(found_->begin());
        found_->push_back({reduced, cost, chosen_});
    }

    // `gained` is what the prices give for the chosen ones, cuts and opening included.
    void extend(std::int32_t size, double gained) {
        Level& level = levels_[static_cast<std::size_t>(size)];
        const double now = level.closure.loss;
        if (size >= pricer_.k_) offer(size * now - gained, size * now);
        if (size == pricer_.largest_) return;
        ++nodes_;
        ++nodes_here_;
        if (nodes_ % nodes_between_looks == 0) shared_.look();

        auto& candidates = level.candidates;
        std::sort(candidates.begin(), candidates.end(), nearer);
        level.children.clear();
        const auto others = static_cast<std::size_t>(pricer_.largest_ - size - 1);
        const auto needed =
            static_cast<std::size_t>(std::max<std::int32_t>(0, pricer_.k_ - size - 1));
        tops_.clear();
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const Candidate& candidate = candidates[i];
            // The rest of its own records may come along with it.
            insert(candidate.price, candidate.left - 1, others);
            consider(level, size, gained, i, needed);
            insert(candidate.price, 1, others);
        }
        std::sort(level.children.begin(), level.children.end(), [](const Child& a, const Child& b) {
            return a.bound != b.bound ? a.bound < b.bound : a.place < b.place;
        });
        Level& below = levels_[static_cast<std::size_t>(size) + 1];
        for (const Child& child : level.children) {
            if (child.bound >= threshold_) break;
            if (stop()) {
                unexplored_ = std::min(unexplored_, child.bound);
                break;
            }
            const Candidate& next = candidates[child.place];
            const auto row = static_cast<std::size_t>(next.row);
            widen(level.closure, row, next.loss, below.closure);
            const double gain = next.price + charge(row);
            choose(row);
            below.candidates.clear();
            const auto join = [&](const Candidate& candidate, std::int32_t left) {
                if (candidate.price <= child.cutoff) return;
                const auto other = static_cast<std::size_t>(candidate.row);
                if (!apart_.all.empty() && kept_apart(other)) return;
                below.candidates.push_back(
                    {candidate.row, left, loss_with(below.closure, other), candidate.price});
            };
            for (std::size_t i = 0; i < child.place; ++i) join(candidates[i], candidates[i].left);
            if (next.left > 1) join(next, next.left - 1);
            extend(size + 1, gained + gain);
            unchoose(row);
        }
    }

    bool stop() const {
        return shared_.stopped.load(std::memory_order_relaxed) || nodes_here_ >= most_here_;
    }

    // Keeps the highest prices seen, in falling order.
    void insert(double price, std::int32_t copies, std::size_t most) {
        for (; copies > 0; --copies) {
            if (tops_.size() == most) {
                if (most == 0 || price <= tops_.back()) return;
                tops_.pop_back();
            }
            tops_.insert(std::upper_bound(tops_.begin(), tops_.end(), price, std::greater<>()),
                         price);
        }
    }

    // Is it worth while to let this candidate be the farthest of those to come? All others are
    // nearer, and the loss is at least what it makes it.
    void consider(Level& level, std::int32_t size, double gained, std::size_t place,
                  std::size_t needed) {
        if (tops_.size() < needed) return;
        const Candidate& candidate = level.candidates[place];
        const double loss = candidate.loss;
        const double base = (size + 1) * loss - gained - candidate.price;
        double rest = 0.0, best = infinity, companion = infinity;
        for (std::size_t u = 0;; ++u) {
            if (u >= needed) best = std::min(best, rest);
            if (u + 1 >= needed) companion = std::min(companion, rest);
            if (u == tops_.size() || (u >= needed && tops_[u] <= loss)) break;
            rest += loss - tops_[u];
        }
        if (base + best >= threshold_) return;
        const double bound = base + best - charge(static_cast<std::size_t>(candidate.row));
        if (bound >= threshold_) return;
        // With a companion of price p the bound is base + companion + loss - p at least.
        level.children.push_back({bound, bound - best + companion + loss - threshold_, place});
    }

    const ClassPricer& pricer_;
    const Prices& prices_;
    const Cuts& cuts_;
    const RowLists& cut_lists_;
    const RowLists& apart_;
    const RowLists& together_;
    const std::vector<std::int32_t>& order_;
    const Pricing& pricing_;
    Shared& shared_;
    std::vector<Level> levels_;
    std::vector<std::int32_t> held_in_cut_;
    std::vector<std::int32_t> chosen_of_;
    std::vector<std::int32_t> chosen_;
    std::vector<double> tops_;
    std::vector<Found>* found_ = nullptr;
    double threshold_ = 0.0;
    double unexplored_ = infinity;
    std::int64_t nodes_ = 0;
    std::int64_t nodes_here_ = 0;
    std::int64_t most_here_ = 0;
};

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

// What the leaders took, in their order: how much of the total is left for those to come.
class Ledger {
  public:
    Ledger(std::size_t leaders, std::int64_t total)
        : taken_(leaders, -1), left_(total < 0 ? endless : total) {}

    // At least what is left when all before this one have been led.
    std::int64_t left() {
        const std::scoped_lock lock(mutex_);
        return left_;
    }

    // One that took all that was left may have been stopped by that: it does not fit.
    void enter(std::size_t leader, std::int64_t nodes) {
        const std::scoped_lock lock(mutex_);
        taken_[leader] = nodes;
        for (; fitting_ < taken_.size() && taken_[fitting_] >= 0; ++fitting_) {
            if (taken_[fitting_] >= left_) {
                left_ = 0;
                return;
            }
            if (left_ != endless) left_ -= taken_[fitting_];
        }
    }

    // How many leaders, from the first, came to their end within the total.
    std::size_t fitting() const { return fitting_; }

  private:
    std::mutex mutex_;
    std::vector<std::int64_t> taken_;  // -1: not led yet
    std::int64_t left_;
    std::size_t fitting_ = 0;
};

}  // namespace

ClassPricer::ClassPricer(const Records& records, std::int32_t k, std::int32_t largest)
    : counts_(records.counts), k_(k), largest_(largest) {
    std::vector<RoundedAttribute> rounded = rounded_attributes(records);
    for (const RoundedAttribute& attribute : rounded) {
        if (attribute.source->kind == Kind::interval) {
            weights_.push_back(attribute.weight);
            ++intervals_;
        }
    }
    positions_.resize(rows() * intervals_);
    std::size_t interval = 0;
    for (RoundedAttribute& attribute : rounded) {
        const Attribute& source = *attribute.source;
        if (source.kind == Kind::interval) {
            for (std::size_t row = 0; row < rows(); ++row) {
                positions_[row * intervals_ + interval] = attribute.positions[source.code(row)];
            }
            ++interval;
            continue;
        }
        Listed listed;
        listed.kind = source.kind;
        listed.masked = source.kind == Kind::set && source.code_count <= mask_codes;
        for (std::size_t row = 0; row < rows(); ++row) listed.codes.push_back(source.code(row));
        listed.rounded = std::move(attribute);
        listed_.push_back(std::move(listed));
    }
}

Priced ClassPricer::price(const Prices& prices, const Cuts& cuts, const Branches& branches,
                          const Pricing& pricing, Control& control) const {
    const RowLists cut_lists = cuts_of_rows(cuts, prices.cut, rows());
    const RowLists apart = partners(branches, false, rows());
    const RowLists together = partners(branches, true, rows());
    std::vector<std::int32_t> order(rows());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return prices.record[static_cast<std::size_t>(a)] >
               prices.record[static_cast<std::size_t>(b)];
    });

    Shared shared;
    shared.control = &control;
    if (pricing.seconds >= 0) {
        shared.end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(pricing.seconds));
    }
    Priced priced;
    priced.least.assign(rows(), -infinity);
    std::vector<std::vector<LedSearch::Found>> found(rows());
    std::atomic<std::size_t> next{0};
    std::atomic<std::int64_t> nodes{0};
    Ledger ledger(rows(), pricing.total);
    const auto work = [&] {
        LedSearch search(*this, prices, cuts, cut_lists, apart, together, order, pricing, shared);
        for (std::size_t place = next++; place < rows() && !shared.stopped.load(); place = next++) {
            const std::int64_t left = ledger.left();
            if (left == 0) break;
            const std::int64_t most = pricing.nodes < 0 ? left : std::min(left, pricing.nodes);
            priced.least[static_cast<std::size_t>(order[place])] =
                search.lead(place, most, found[place]);
            ledger.enter(place, search.nodes_here());
        }
        nodes += search.nodes();
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < pricing.threads; ++i) helpers.emplace_back(work);
    work();
    helpers.clear();
    if (control.cancelled()) throw Cancelled();

    priced.nodes = nodes;
    priced.complete = !shared.stopped && !shared.cut_short;
    if (pricing.total >= 0 && ledger.fitting() < rows()) {
        priced.complete = false;
        for (std::size_t place = ledger.fitting(); place < rows(); ++place) {
            priced.least[static_cast<std::size_t>(order[place])] = -infinity;
            found[place].clear();
        }
    }
    for (const auto& led : found) {
        for (const LedSearch::Found& column : led) {
            std::vector<std::int32_t> members = column.rows;
            std::sort(members.begin(), members.end());
            for (std::size_t i = 0; i < members.size();) {
                std::size_t end = i;
                while (end < members.size() && members[end] == members[i]) ++end;
                priced.columns.row.push_back(members[i]);
                priced.columns.count.push_back(static_cast<std::int32_t>(end - i));
                i = end;
            }
            priced.columns.start.push_back(static_cast<std::int64_t>(priced.columns.row.size()));
            priced.columns.cost.push_back(column.cost);
            priced.columns.reduced.push_back(column.reduced);
        }
    }
    return priced;
}

std::vector<double> ClassPricer::costs(std::span<const std::int64_t> start,
                                       std::span<const std::int32_t> row,
                                       std::span<const std::int32_t> count) const {
    std::vector<double> all(start.size() - 1, 0.0);
    for (std::size_t s = 0; s < all.size(); ++s) {
        const auto members = row.subspan(static_cast<std::size_t>(start[s]),
                                         static_cast<std::size_t>(start[s + 1] - start[s]));
        double loss = 0.0;
        for (std::size_t j = 0; j < intervals_; ++j) {
            double low = infinity, high = -infinity;
            for (const std::int32_t member : members) {
                const double at = positions_[static_cast<std::size_t>(member) * intervals_ + j];
                low = std::min(low, at);
                high = std::max(high, at);
            }
            loss += std::min(high - low, weights_[j]);
        }
        for (const Listed& attribute : listed_) {
            std::vector<std::uint32_t> codes;
            for (const std::int32_t member : members) {
                codes.push_back(attribute.codes[static_cast<std::size_t>(member)]);
            }
            std::sort(codes.begin(), codes.end());
            const std::uint32_t low = codes.front(), high = codes.back();
            codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
            loss += attribute.kind == Kind::set
                        ? attribute.rounded.set(static_cast<std::uint32_t>(codes.size()))
                    : attribute.kind == Kind::tree ? attribute.rounded.tree(low, high)
                                                   : attribute.rounded.all_or_nothing(low, high);
        }
        std::int64_t size = 0;
        for (std::int64_t i = start[s]; i < start[s + 1]; ++i) {
            size += count[static_cast<std::size_t>(i)];
        }
        all[s] = static_cast<double>(size) * loss;
    }
    return all;
}

}  // namespace shoal
