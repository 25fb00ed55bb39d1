#include "exact/bound_master.hpp"

#include <algorithm>

namespace shoal::bounding {

namespace {

constexpr std::size_t restart_after = 50;
constexpr double least_share = 0.02;  // smaller ones are noise

// Classes are told apart by a mix of their rows, whatever the order.
std::uint64_t key_of(std::span<const std::int32_t> members) {
    std::uint64_t sum = 0;
    for (const std::int32_t member : members) {
        std::uint64_t mixed = static_cast<std::uint64_t>(member) + 0x9e3779b97f4a7c15ULL;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
        sum += mixed ^ (mixed >> 31);
    }
    return sum;
}

}  // namespace

Master::Master(const Grid& grid, const KnownCuts& cuts, std::int64_t most_classes)
    : grid_(grid),
      cuts_(cuts),
      most_classes_(most_classes),
      wanted_(grid.counts.begin(), grid.counts.end()) {
    prices_.resize(grid.rows());
    price_sum_.resize(grid.rows());
    average_.resize(grid.rows());
    least_.resize(grid.rows());
}

void Master::start_from(std::span<const Units> prices) {
    double sum = 0.0;
    for (std::size_t i = 0; i < prices.size(); ++i) {
        sum += static_cast<double>(prices[i]) * grid_.counts[i];
    }
    const double mean = sum / static_cast<double>(grid_.total);
    scale_ = mean > 0 ? mean : 1.0;
    for (std::size_t i = 0; i < prices.size(); ++i) {
        prices_[i] = static_cast<double>(prices[i]) / scale_;
    }
}

// The rows of a class, and the cuts in which it counts.
void Master::append_class(std::span<const std::int32_t> rows) {
    members_.insert(members_.end(), rows.begin(), rows.end());
    row_counts_.push_back(rows.size());
    const std::size_t begin = members_.size();
    cuts_.counted(rows, members_);
    for (std::size_t i = begin; i < members_.size(); ++i) {
        members_[i] += static_cast<std::int32_t>(grid_.rows());
    }
    ends_.push_back(members_.size());
}

void Master::add(const PricedClasses& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto members = columns.of(i);
        if (!known_.insert(key_of(members)).second) continue;
        append_class(members);
        costs_.push_back(static_cast<double>(columns.costs[i]) / scale_);
        shares_.push_back(0.0);
    }
    indexed_ = false;
}

std::span<const std::int32_t> Master::rows_of(std::size_t column) const {
    return {members_.data() + (column == 0 ? 0 : ends_[column - 1]), row_counts_[column]};
}

std::size_t Master::cut(std::int64_t k, std::size_t most, KnownCuts& cuts, Control& control) {
    PricedClasses shared;
    std::vector<double> shares;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        if (shares_[c] < least_share) continue;
        shared.add(rows_of(c), 0);
        shares.push_back(std::min(shares_[c], 1.0));
    }
    const std::size_t added = add_broken_cuts(grid_, k, shared, shares, most, cuts, control);
    if (added > 0) extend_to_cuts();
    return added;
}

void Master::extend_to_cuts() {
    const std::vector<std::int32_t> members = std::move(members_);
    const std::vector<std::size_t> ends = std::move(ends_), row_counts = std::move(row_counts_);
    members_.clear();
    ends_.clear();
    row_counts_.clear();
    for (std::size_t c = 0; c < ends.size(); ++c) {
        append_class({members.data() + (c == 0 ? 0 : ends[c - 1]), row_counts[c]});
    }
    for (std::size_t cut = wanted_.size() - grid_.rows(); cut < cuts_.size(); ++cut) {
        wanted_.push_back(static_cast<double>(cuts_.most(cut)));
    }
    prices_.resize(wanted_.size());
    price_sum_.resize(wanted_.size());
    average_.resize(wanted_.size());
    indexed_ = false;
}

void Master::index() {
    row_ends_.assign(wanted_.size() + 1, 0);
    for (const std::int32_t member : members_) ++row_ends_[static_cast<std::size_t>(member) + 1];
    for (std::size_t i = 1; i < row_ends_.size(); ++i) row_ends_[i] += row_ends_[i - 1];
    row_columns_.resize(members_.size());
    std::vector<std::size_t> next(row_ends_.begin(), row_ends_.end() - 1);
    std::size_t begin = 0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        for (; begin < ends_[c]; ++begin) {
            row_columns_[next[static_cast<std::size_t>(members_[begin])]++] =
                static_cast<std::uint32_t>(c);
        }
    }
    extrapolated_.resize(shares_.size());
    share_sum_.resize(shares_.size());
    indexed_ = true;
}

void Master::step() {
    std::size_t begin = 0;
    double all = 0.0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        const std::size_t end = ends_[c];
        double reduced = costs_[c] + fee_;
        const double size = static_cast<double>(end - begin);
        for (; begin < end; ++begin) reduced -= prices_[static_cast<std::size_t>(members_[begin])];
        const double before = shares_[c];
        const double after = std::max(0.0, before - reduced / (size + 1));
        shares_[c] = after;
        extrapolated_[c] = 2 * after - before;
        share_sum_[c] += after;
        all += extrapolated_[c];
    }
    for (std::size_t i = 0; i < prices_.size(); ++i) {
        const std::size_t first = row_ends_[i], last = row_ends_[i + 1];
        if (first == last) continue;
        double sum = 0.0;
        for (std::size_t e = first; e < last; ++e) sum += extrapolated_[row_columns_[e]];
        prices_[i] += (wanted_[i] - sum) / static_cast<double>(last - first);
        if (i >= grid_.rows()) prices_[i] = std::min(prices_[i], 0.0);
        price_sum_[i] += prices_[i];
    }
    // A fee for every class where the whole number of classes matters.
    const double surplus = all - static_cast<double>(most_classes_);
    fee_ = std::max(0.0, fee_ + surplus / static_cast<double>(ends_.size()));
    fee_sum_ += fee_;
    ++since_restart_;
}

double Master::value(std::span<const double> prices) {
    double sum = 0.0;
    for (std::size_t i = 0; i < prices.size(); ++i) sum += prices[i] * wanted_[i];
    std::fill(least_.begin(), least_.end(), 0.0);
    std::size_t begin = 0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        double reduced = costs_[c];
        std::size_t leader = static_cast<std::size_t>(members_[begin]);
        for (; begin < ends_[c]; ++begin) {
            const auto member = static_cast<std::size_t>(members_[begin]);
            reduced -= prices[member];
            if (member < grid_.rows() && prices[member] > prices[leader]) leader = member;
        }
        least_[leader] = std::min(least_[leader], reduced);
    }
    std::vector<std::pair<double, std::int64_t>> negative;
    for (std::size_t i = 0; i < grid_.rows(); ++i) {
        if (least_[i] < 0) negative.emplace_back(least_[i], grid_.counts[i]);
    }
    std::sort(negative.begin(), negative.end());
    std::int64_t left = most_classes_;
    for (const auto& [least, count] : negative) {
        const std::int64_t taken = std::min(left, count);
        sum += least * static_cast<double>(taken);
        left -= taken;
        if (left == 0) break;
    }
    return sum;
}

void Master::restart() {
    const double count = static_cast<double>(since_restart_);
    for (std::size_t i = 0; i < prices_.size(); ++i) {
        average_[i] = row_ends_[i] == row_ends_[i + 1] ? prices_[i] : price_sum_[i] / count;
    }
    if (value(average_) > value(prices_)) {
        prices_ = average_;
        fee_ = fee_sum_ / count;
        for (std::size_t c = 0; c < shares_.size(); ++c) shares_[c] = share_sum_[c] / count;
    }
    std::fill(price_sum_.begin(), price_sum_.end(), 0.0);
    std::fill(share_sum_.begin(), share_sum_.end(), 0.0);
    fee_sum_ = 0.0;
    since_restart_ = 0;
}

void Master::run(std::size_t iterations, const std::function<bool()>& over) {
    if (!indexed_) index();
    std::fill(price_sum_.begin(), price_sum_.end(), 0.0);
    std::fill(share_sum_.begin(), share_sum_.end(), 0.0);
    fee_sum_ = 0.0;
    since_restart_ = 0;
    for (std::size_t i = 0; i < iterations; ++i) {
        step();
        if (since_restart_ < restart_after && i + 1 < iterations) continue;
        restart();
        if (over()) return;
    }
}

void Master::drop_idle(double most_reduced) {
    std::size_t begin = 0, kept = 0, kept_end = 0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        const std::size_t first = begin;
        double reduced = costs_[c] + fee_;
        for (; begin < ends_[c]; ++begin)
            reduced -= prices_[static_cast<std::size_t>(members_[begin])];
        if (shares_[c] <= 0.0 && reduced > most_reduced) {
            known_.erase(key_of({members_.data() + first, row_counts_[c]}));
            continue;
        }
        for (std::size_t e = first; e < ends_[c]; ++e) members_[kept_end++] = members_[e];
        ends_[kept] = kept_end;
        row_counts_[kept] = row_counts_[c];
        costs_[kept] = costs_[c];
        shares_[kept++] = shares_[c];
    }
    members_.resize(kept_end);
    ends_.resize(kept);
    row_counts_.resize(kept);
    costs_.resize(kept);
    shares_.resize(kept);
    indexed_ = false;
}

}  // namespace shoal::bounding
