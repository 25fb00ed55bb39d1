#include "shoal/cover/dense_assignment.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/clones.hpp"

namespace shoal {

namespace {

constexpr std::size_t lanes = DenseAssignment::lanes;
constexpr std::int32_t far = 1 << 30;
constexpr std::int32_t beyond = 3 << 28;  // of columns that are there to fill a lane

// Sizes are in lanes: no loop has a rest.

SHOAL_CLONED(std::int32_t, least, (const std::int32_t* value, std::size_t size), (value, size)) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t c = 0; c < size * lanes; ++c) found = value[c] < found ? value[c] : found;
    return found;
}

// Costs above the least, scaled and capped, above the number of their column.
SHOAL_CLONED(void, to_keys,
             (const std::int32_t* cost, std::int32_t least, int scale, std::int32_t cap, int shift,
              std::int32_t* key, std::size_t size),
             (cost, least, scale, cap, shift, key, size)) {
    for (std::size_t c = 0; c < size * lanes; ++c) {
        const std::int32_t above = (cost[c] - least) >> scale;
        key[c] = (above < cap ? above : cap) << shift | static_cast<std::int32_t>(c);
    }
}

SHOAL_CLONED(void, keep_least,
             (const std::int32_t* line, std::int32_t row, std::int32_t* best,
              std::int32_t* best_row, std::size_t size),
             (line, row, best, best_row, size)) {
    for (std::size_t c = 0; c < size * lanes; ++c) {
        const bool less = line[c] < best[c];
        best[c] = less ? line[c] : best[c];
        best_row[c] = less ? row : best_row[c];
    }
}

// What a row pays in each column beyond its price; returns the least.
SHOAL_CLONED(std::int32_t, differences,
             (const std::int32_t* line, const std::int32_t* price, std::int32_t* difference,
              std::size_t size),
             (line, price, difference, size)) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t c = 0; c < size * lanes; ++c) {
        const std::int32_t value = line[c] - price[c];
        difference[c] = value;
        found = value < found ? value : found;
    }
    return found;
}

// Distances by way of a row; returns the least with penalties. Settled columns are nearer than
// any way to them, so they keep theirs.
SHOAL_CLONED(std::int32_t, relax,
             (const std::int32_t* line, const std::int32_t* price, const std::int32_t* penalty,
              std::int32_t shift, std::int32_t row, std::int32_t* distance, std::int32_t* before,
              std::size_t size),
             (line, price, penalty, shift, row, distance, before, size)) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t c = 0; c < size * lanes; ++c) {
        const std::int32_t value = line[c] - price[c] + shift;
        const bool nearer = value < distance[c];
        const std::int32_t now = nearer ? value : distance[c];
        distance[c] = now;
        before[c] = nearer ? row : before[c];
        const std::int32_t key = now + penalty[c];
        found = key < found ? key : found;
    }
    return found;
}

}  // namespace

bool DenseAssignment::scale(const std::int32_t* cost) {
    least_.resize(size_);
    std::int64_t slack = 0;
    for (std::size_t row = 0; row < size_; ++row) {
        const std::int32_t* costs = cost + row * stride_;
        std::int32_t found = costs[row];
        // Entries beyond the block may be anything.
        const std::size_t whole = size_ / lanes;
        if (whole > 0) found = std::min(found, least(costs, whole));
        for (std::size_t c = whole * lanes; c < size_; ++c) found = std::min(found, costs[c]);
        least_[row] = found;
        slack += costs[row] - found;
    }
    if (slack == 0) return false;
    // An entry above the slack is in no better assignment. Prices are at most that, and distances
    // three times as much, which leaves a bit below `far`.
    const int shift = column_bits_ + 1;
    int rounded = 0;
    while (slack >> rounded >= std::int64_t{1} << (28 - shift)) ++rounded;
    const auto cap = static_cast<std::int32_t>(slack >> rounded) + 1;
    work_.resize(size_ * stride_);
    for (std::size_t row = 0; row < size_; ++row) {
        std::int32_t* keys = work_.data() + row * stride_;
        to_keys(cost + row * stride_, least_[row], rounded, cap, shift, keys, stride_ / lanes);
        for (std::size_t c = size_; c < stride_; ++c) {
            keys[c] = beyond + static_cast<std::int32_t>(c);
        }
    }
    return true;
}

void DenseAssignment::take(std::int32_t row, std::size_t column) {
    column_of_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(column);
    row_of_[column] = row;
}

// Column minima give first prices, and each row whose column is free takes it.
void DenseAssignment::reduce() {
    column_of_.assign(size_, -1);
    row_of_.assign(stride_, -1);
    price_.assign(stride_, 0);
    best_.assign(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(stride_));
    best_row_.assign(stride_, 0);
    for (std::size_t row = 1; row < size_; ++row) {
        keep_least(work_.data() + row * stride_, static_cast<std::int32_t>(row), best_.data(),
                   best_row_.data(), stride_ / lanes);
    }
    for (std::size_t column = size_; column-- > 0;) {
        price_[column] = value(best_[column]);
        const auto row = static_cast<std::size_t>(best_row_[column]);
        if (column_of_[row] < 0) take(best_row_[column], column);
    }
    open_.clear();
    for (std::size_t row = 0; row < size_; ++row) {
        if (column_of_[row] < 0) open_.push_back(static_cast<std::int32_t>(row));
    }
}

// Each row left over bids for its best column.
void DenseAssignment::bid() {
    again_.clear();
    std::size_t tries = 0;
    for (const std::int32_t first : open_) {
        std::int32_t row = first;
        while (row >= 0) {
            if (++tries > 8 * size_) {
                again_.push_back(row);
                break;
            }
            const std::int32_t best =
                differences(line(row), price_.data(), distance_.data(), stride_ / lanes);
            std::size_t choice = column(best);
            distance_[choice] = std::numeric_limits<std::int32_t>::max();
            const std::int32_t second = least(distance_.data(), stride_ / lanes);
            const std::int32_t gap = value(second) - value(best);
            std::int32_t loser = row_of_[choice];
            if (gap > 0) {
                // Nobody pays for a column beyond the block: with one row there is no second.
                if (column(second) < size_) price_[choice] -= gap;
            } else if (loser >= 0) {
                choice = column(second);
                loser = row_of_[choice];
            }
            if (loser >= 0) column_of_[static_cast<std::size_t>(loser)] = -1;
            take(row, choice);
            row = -1;
            if (loser >= 0 && gap > 0) {
                row = loser;
            } else if (loser >= 0) {
                again_.push_back(loser);
            }
        }
    }
    open_.swap(again_);
}

void DenseAssignment::augment(std::int32_t row) {
    std::fill(distance_.begin(), distance_.end(), far - 1);
    done_.clear();
    std::int32_t from = row, shift = 0, length = 0;
    std::size_t end = 0;
    while (true) {
        length = relax(line(from), price_.data(), penalty_.data(), shift, from, distance_.data(),
                       before_.data(), stride_ / lanes);
        end = column(length);
        if (row_of_[end] < 0) break;
        penalty_[end] = far;
        done_.push_back(static_cast<std::int32_t>(end));
        from = row_of_[end];
        shift = distance_[end] - (line(from)[end] - price_[end]);
    }
    length = value(distance_[end]);
    for (const std::int32_t settled : done_) {
        const auto place = static_cast<std::size_t>(settled);
        price_[place] += value(distance_[place]) - length;
        penalty_[place] = 1 << column_bits_;
    }
    penalty_[end] = 1 << column_bits_;
    for (;;) {
        const std::int32_t taker = before_[end];
        row_of_[end] = taker;
        const std::int32_t next = column_of_[static_cast<std::size_t>(taker)];
        column_of_[static_cast<std::size_t>(taker)] = static_cast<std::int32_t>(end);
        if (taker == row) return;
        end = static_cast<std::size_t>(next);
    }
}

const std::vector<std::int32_t>& DenseAssignment::solve(const std::int32_t* cost, std::size_t size,
                                                        std::size_t stride) {
    size_ = size;
    stride_ = stride;
    column_bits_ = static_cast<int>(std::bit_width(stride - 1));
    if (!scale(cost)) {
        column_of_.resize(size);
        for (std::size_t i = 0; i < size; ++i) column_of_[i] = static_cast<std::int32_t>(i);
        return column_of_;
    }
    reduce();
    distance_.resize(stride);
    before_.resize(stride);
    bid();
    bid();
    // Among columns equally far the free ones come first.
    penalty_.assign(stride, 0);
    for (std::size_t column = 0; column < size; ++column) {
        if (row_of_[column] >= 0) penalty_[column] = 1 << column_bits_;
    }
    for (const std::int32_t row : open_) augment(row);
    return column_of_;
}

}  // namespace shoal
