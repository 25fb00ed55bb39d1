#include "shoal/dense_assignment.hpp"

#include <limits>

namespace shoal {

namespace {

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define SHOAL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SHOAL_CLONES
#endif

constexpr std::int64_t far = std::int64_t{1} << 60;

// Distances by way of a row; settled columns, far away in `settled`, keep theirs.
SHOAL_CLONES void relax(const std::int32_t* line, const std::int64_t* price,
                        const std::int64_t* settled, std::int64_t shift, std::int32_t row,
                        std::int64_t* distance, std::int32_t* before, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) {
        const std::int64_t value = line[c] - price[c] + shift + settled[c];
        const bool nearer = value < distance[c];
        distance[c] = nearer ? value : distance[c];
        before[c] = nearer ? row : before[c];
    }
}

SHOAL_CLONES void keep_least(const std::int32_t* line, std::int32_t row, std::int32_t* best,
                             std::int32_t* best_row, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) {
        const bool less = line[c] < best[c];
        best[c] = less ? line[c] : best[c];
        best_row[c] = less ? row : best_row[c];
    }
}

// What a row pays in each column beyond its price; returns the least.
SHOAL_CLONES std::int64_t differences(const std::int32_t* line, const std::int64_t* price,
                                      std::int64_t* difference, std::size_t size) {
    std::int64_t found = far;
    for (std::size_t c = 0; c < size; ++c) {
        difference[c] = line[c] - price[c];
        found = difference[c] < found ? difference[c] : found;
    }
    return found;
}

SHOAL_CLONES std::int64_t least(const std::int64_t* value, std::size_t size) {
    std::int64_t found = far;
    for (std::size_t c = 0; c < size; ++c) found = value[c] < found ? value[c] : found;
    return found;
}

SHOAL_CLONES std::int64_t least(const std::int64_t* distance, const std::int64_t* settled,
                                std::size_t size) {
    std::int64_t found = far;
    for (std::size_t c = 0; c < size; ++c) {
        const std::int64_t value = distance[c] + settled[c];
        found = value < found ? value : found;
    }
    return found;
}

}  // namespace

// Column minima give first prices, and each row whose column is free takes it; then each row left
// over bids for its best column, twice.
void DenseAssignment::reduce(const std::int32_t* cost, std::size_t size, std::size_t stride) {
    column_of_.assign(size, -1);
    row_of_.assign(size, -1);
    price_.assign(size, 0);
    best_.assign(cost, cost + size);
    best_row_.assign(size, 0);
    for (std::size_t i = 1; i < size; ++i) {
        keep_least(cost + i * stride, static_cast<std::int32_t>(i), best_.data(), best_row_.data(),
                   size);
    }
    for (std::size_t column = size; column-- > 0;) {
        const auto row = static_cast<std::size_t>(best_row_[column]);
        price_[column] = best_[column];
        if (column_of_[row] < 0) {
            column_of_[row] = static_cast<std::int32_t>(column);
            row_of_[column] = static_cast<std::int32_t>(row);
        }
    }
    distance_.resize(size);
    open_.clear();
    for (std::size_t row = 0; row < size; ++row) {
        if (column_of_[row] < 0) open_.push_back(static_cast<std::int32_t>(row));
    }
    for (int pass = 0; pass < 2 && size > 1; ++pass) {
        std::vector<std::int32_t>& again = todo_;
        again.clear();
        std::size_t tries = 0;
        for (std::size_t place = 0; place < open_.size(); ++place) {
            std::int32_t row = open_[place];
            while (row >= 0) {
                if (++tries > 8 * size) {
                    again.push_back(row);
                    break;
                }
                const std::int64_t best = differences(cost + static_cast<std::size_t>(row) * stride,
                                                      price_.data(), distance_.data(), size);
                std::size_t choice = 0, other = 0;
                while (distance_[choice] != best) ++choice;
                distance_[choice] = far;
                const std::int64_t second = least(distance_.data(), size);
                while (distance_[other] != second) ++other;
                std::int32_t loser = row_of_[choice];
                if (best < second) {
                    price_[choice] -= second - best;
                } else if (loser >= 0) {
                    choice = other;
                    loser = row_of_[choice];
                }
                column_of_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(choice);
                row_of_[choice] = row;
                if (loser >= 0) column_of_[static_cast<std::size_t>(loser)] = -1;
                if (loser >= 0 && best < second) {
                    row = loser;
                } else {
                    if (loser >= 0) again.push_back(loser);
                    row = -1;
                }
            }
        }
        open_.swap(again);
    }
}

void DenseAssignment::augment(const std::int32_t* cost, std::size_t size, std::size_t stride,
                              std::int32_t row) {
    distance_.assign(size, far);
    settled_.assign(size, 0);
    before_.assign(size, row);
    done_.clear();
    std::int32_t from = row, end = -1;
    std::int64_t shift = 0, length = 0;
    while (end < 0) {
        relax(cost + static_cast<std::size_t>(from) * stride, price_.data(), settled_.data(), shift,
              from, distance_.data(), before_.data(), size);
        length = least(distance_.data(), settled_.data(), size);
        std::size_t column = 0;
        while (distance_[column] + settled_[column] != length) ++column;
        if (row_of_[column] < 0) {
            end = static_cast<std::int32_t>(column);
            break;
        }
        settled_[column] = far;
        done_.push_back(static_cast<std::int32_t>(column));
        from = row_of_[column];
        shift = length - (cost[static_cast<std::size_t>(from) * stride + column] - price_[column]);
    }
    for (const std::int32_t column : done_) {
        const auto place = static_cast<std::size_t>(column);
        price_[place] += distance_[place] - length;
    }
    for (;;) {
        const std::int32_t taker = before_[static_cast<std::size_t>(end)];
        row_of_[static_cast<std::size_t>(end)] = taker;
        std::swap(column_of_[static_cast<std::size_t>(taker)], end);
        if (taker == row) return;
    }
}

const std::vector<std::int32_t>& DenseAssignment::solve(const std::int32_t* cost, std::size_t size,
                                                        std::size_t stride) {
    reduce(cost, size, stride);
    const std::vector<std::int32_t> left = open_;
    for (const std::int32_t row : left) augment(cost, size, stride, row);
    return column_of_;
}

}  // namespace shoal
