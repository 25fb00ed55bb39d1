#include "shoal/bound_master.hpp"

#include <algorithm>

namespace shoal {

namespace {

constexpr std::size_t restart_after = 50;

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

Master::Master(const Grid& grid, std::int64_t most_classes)
    : grid_(grid), most_classes_(most_classes) {
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

void Master::add(const Columns& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto members = columns.of(i);
        if (!known_.insert(key_of(members)).second) continue;
        members_.insert(members_.end(), members.begin(), members.end());
        ends_.push_back(members_.size());
        costs_.push_back(static_cast<double>(columns.costs[i]) / scale_);
        shares_.push_back(0.0);
    }
    indexed_ = false;
}

void Master::index() {
    row_ends_.assign(grid_.rows() + 1, 0);
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
        prices_[i] += (grid_.counts[i] - sum) / static_cast<double>(last - first);
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
    for (std::size_t i = 0; i < prices.size(); ++i) sum += prices[i] * grid_.counts[i];
    std::fill(least_.begin(), least_.end(), 0.0);
    std::size_t begin = 0;
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        double reduced = costs_[c];
        std::size_t leader = static_cast<std::size_t>(members_[begin]);
        for (; begin < ends_[c]; ++begin) {
            const auto member = static_cast<std::size_t>(members_[begin]);
            reduced -= prices[member];
            if (prices[member] > prices[leader]) leader = member;
        }
        least_[leader] = std::min(least_[leader], reduced);
    }
    std::vector<std::pair<double, std::int64_t>> negative;
    for (std::size_t i = 0; i < prices.size(); ++i) {
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
            known_.erase(key_of({members_.data() + first, ends_[c] - first}));
            continue;
        }
        for (std::size_t e = first; e < ends_[c]; ++e) members_[kept_end++] = members_[e];
        ends_[kept] = kept_end;
        costs_[kept] = costs_[c];
        shares_[kept++] = shares_[c];
    }
    members_.resize(kept_end);
    ends_.resize(kept);
    costs_.resize(kept);
    shares_.resize(kept);
    indexed_ = false;
}

}  // namespace shoal
