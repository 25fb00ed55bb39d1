#include "exact/leader_search.hpp"

#include <algorithm>
#include <functional>

#include "common/scalars.hpp"

namespace shoal::pricing {

namespace {

constexpr std::size_t kept_per_leader = 3;
constexpr std::int64_t nodes_between_looks = 512;
constexpr double rounding = 1e-12;

bool nearer(const Candidate& a, const Candidate& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.row < b.row;
}

}  // namespace

RowLists cuts_of_rows(const RankCuts& cuts, std::span<const double> prices, std::size_t rows) {
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

LeaderSearch::LeaderSearch(const PricingTable& table, ClassSizes sizes, const Prices& prices,
                           const RankCuts& cuts, const RowLists& cut_lists, const RowLists& apart,
                           const RowLists& together, const std::vector<std::int32_t>& order,
                           const Pricing& pricing, SharedStatus& shared)
    : table_(table),
      sizes_(sizes),
      prices_(prices),
      cuts_(cuts),
      cut_lists_(cut_lists),
      apart_(apart),
      together_(together),
      order_(order),
      pricing_(pricing),
      shared_(shared),
      levels_(static_cast<std::size_t>(sizes.largest) + 1),
      held_in_cut_(cuts.size(), 0),
      chosen_of_(table.rows(), 0) {
    for (SearchLevel& level : levels_) level.closure = table.closure();
}

double LeaderSearch::lead(std::size_t place, std::int64_t most, std::vector<Found>& found) {
    most_here_ = most;
    const auto leader = static_cast<std::size_t>(order_[place]);
    found_ = &found;
    threshold_ = pricing_.below;
    unexplored_ = infinite<double>;
    nodes_here_ = 0;
    chosen_.clear();
    SearchLevel& top = levels_[1];
    table_.open(top.closure, leader);
    top.candidates.clear();
    const double price = prices_.record[leader];
    // Members are priced no higher than the leader: a class of size s that holds a row this far
    // away has a reduced cost of s·(loss - price) - opening at least. A hair more for rounding.
    const double room = threshold_ + prices_.opening;
    const double useless = price + room / (room >= 0 ? sizes_.least : sizes_.largest) + rounding;
    const double gained = prices_.opening + price + charge(leader);
    choose(leader);
    if (table_.count(leader) > 1) {
        top.candidates.push_back(
            {order_[place], table_.count(leader) - 1, top.closure.loss, price});
    }
    for (std::size_t i = place + 1; i < order_.size(); ++i) {
        const auto row = static_cast<std::size_t>(order_[i]);
        if ((i & 4095) == 4095 && shared_.look()) break;
        if (!apart_.all.empty() && kept_apart(row)) continue;
        const double loss = table_.loss_with(top.closure, row);
        if (loss >= useless) continue;
        top.candidates.push_back({order_[i], table_.count(row), loss, prices_.record[row]});
    }
    if (!shared_.look()) {
        extend(1, gained);
    } else {
        unexplored_ = -infinite<double>;
    }
    unchoose(leader);
    if (unexplored_ < infinite<double>) shared_.cut_short.store(true, std::memory_order_relaxed);
    const double best = pricing_.all ? pricing_.below : threshold_;
    return std::min({best, unexplored_, pricing_.below});
}

double LeaderSearch::charge(std::size_t row) const {
    double sum = 0.0;
    for (const Listing& listing : cut_lists_.of(row)) {
        const auto q = static_cast<std::size_t>(listing.item);
        const std::int32_t divisor = cuts_.divisor[q], remainder = cuts_.remainder[q];
        const std::int32_t before = held_in_cut_[q] % divisor;
        std::int32_t after = before + listing.weight;
        std::int32_t more = -std::max(0, before - remainder);
        // Weights are below the divisor: one more record passes one multiple of it at most.
        if (after >= divisor) {
            after -= divisor;
            more += divisor - remainder;
        }
        more += std::max(0, after - remainder);
        if (more != 0) sum += more * prices_.cut[q];
    }
    return sum;
}

void LeaderSearch::choose(std::size_t row) {
    chosen_.push_back(static_cast<std::int32_t>(row));
    ++chosen_of_[row];
    for (const Listing& listing : cut_lists_.of(row)) {
        held_in_cut_[static_cast<std::size_t>(listing.item)] += listing.weight;
    }
}

void LeaderSearch::unchoose(std::size_t row) {
    chosen_.pop_back();
    --chosen_of_[row];
    for (const Listing& listing : cut_lists_.of(row)) {
        held_in_cut_[static_cast<std::size_t>(listing.item)] -= listing.weight;
    }
}

bool LeaderSearch::whole() const {
    if (together_.all.empty()) return true;
    return std::all_of(chosen_.begin(), chosen_.end(), [this](std::int32_t row) {
        const auto others = together_.of(static_cast<std::size_t>(row));
        return std::all_of(others.begin(), others.end(), [this](const Listing& other) {
            return chosen_of_[static_cast<std::size_t>(other.item)] > 0;
        });
    });
}

bool LeaderSearch::kept_apart(std::size_t row) const {
    const auto others = apart_.of(row);
    return std::any_of(others.begin(), others.end(), [this](const Listing& other) {
        return chosen_of_[static_cast<std::size_t>(other.item)] > 0;
    });
}

void LeaderSearch::offer(double reduced, double cost) {
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

void LeaderSearch::extend(std::int32_t size, double gained) {
    SearchLevel& level = levels_[static_cast<std::size_t>(size)];
    const double now = level.closure.loss;
    if (size >= sizes_.least) offer(size * now - gained, size * now);
    if (size == sizes_.largest) return;
    ++nodes_;
    ++nodes_here_;
    if (nodes_ % nodes_between_looks == 0) shared_.look();

    auto& candidates = level.candidates;
    std::sort(candidates.begin(), candidates.end(), nearer);
    level.children.clear();
    const auto others = static_cast<std::size_t>(sizes_.largest - size - 1);
    const auto needed =
        static_cast<std::size_t>(std::max<std::int32_t>(0, sizes_.least - size - 1));
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
    SearchLevel& below = levels_[static_cast<std::size_t>(size) + 1];
    for (const Child& child : level.children) {
        if (child.bound >= threshold_) break;
        if (stop()) {
            unexplored_ = std::min(unexplored_, child.bound);
            break;
        }
        const Candidate& next = candidates[child.place];
        const auto row = static_cast<std::size_t>(next.row);
        table_.widen(level.closure, row, next.loss, below.closure);
        const double gain = next.price + charge(row);
        choose(row);
        below.candidates.clear();
        const auto join = [&](const Candidate& candidate, std::int32_t left) {
            if (candidate.price <= child.cutoff) return;
            const auto other = static_cast<std::size_t>(candidate.row);
            if (!apart_.all.empty() && kept_apart(other)) return;
            below.candidates.push_back(
                {candidate.row, left, table_.loss_with(below.closure, other), candidate.price});
        };
        for (std::size_t i = 0; i < child.place; ++i) join(candidates[i], candidates[i].left);
        if (next.left > 1) join(next, next.left - 1);
        extend(size + 1, gained + gain);
        unchoose(row);
    }
}

void LeaderSearch::insert(double price, std::int32_t copies, std::size_t most) {
    for (; copies > 0; --copies) {
        if (tops_.size() == most) {
            if (most == 0 || price <= tops_.back()) return;
            tops_.pop_back();
        }
        tops_.insert(std::upper_bound(tops_.begin(), tops_.end(), price, std::greater<>()), price);
    }
}

void LeaderSearch::consider(SearchLevel& level, std::int32_t size, double gained, std::size_t place,
                            std::size_t needed) {
    if (tops_.size() < needed) return;
    const Candidate& candidate = level.candidates[place];
    const double loss = candidate.loss;
    const double base = (size + 1) * loss - gained - candidate.price;
    double rest = 0.0, best = infinite<double>, companion = infinite<double>;
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

}  // namespace shoal::pricing
