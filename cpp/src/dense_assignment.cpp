#include "shoal/dense_assignment.hpp"

#include <limits>

namespace shoal {

// Column minima give first prices, and each row whose column is free takes it; then each row left
// over bids for its best column, twice.
void DenseAssignment::reduce(const std::int32_t* cost, std::size_t size, std::size_t stride) {
    column_of_.assign(size, -1);
    row_of_.assign(size, -1);
    price_.assign(size, 0);
    for (std::size_t column = size; column-- > 0;) {
        std::int32_t least = cost[column];
        std::size_t row = 0;
        for (std::size_t i = 1; i < size; ++i) {
            if (cost[i * stride + column] < least) {
                least = cost[i * stride + column];
                row = i;
            }
        }
        price_[column] = least;
        if (column_of_[row] < 0) {
            column_of_[row] = static_cast<std::int32_t>(column);
            row_of_[column] = static_cast<std::int32_t>(row);
        }
    }
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
                const std::int32_t* line = cost + static_cast<std::size_t>(row) * stride;
                std::int64_t best = line[0] - price_[0];
                std::int64_t second = std::numeric_limits<std::int64_t>::max();
                std::size_t choice = 0, other = 0;
                for (std::size_t column = 1; column < size; ++column) {
                    const std::int64_t value = line[column] - price_[column];
                    if (value < best) {
                        second = best;
                        other = choice;
                        best = value;
                        choice = column;
                    } else if (value < second) {
                        second = value;
                        other = column;
                    }
                }
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
    const std::int32_t* line = cost + static_cast<std::size_t>(row) * stride;
    distance_.resize(size);
    before_.assign(size, row);
    todo_.clear();
    for (std::size_t column = 0; column < size; ++column) {
        distance_[column] = line[column] - price_[column];
        todo_.push_back(static_cast<std::int32_t>(column));
    }
    std::vector<std::int32_t>& columns = todo_;
    std::size_t done = 0;
    std::int64_t length = 0;
    std::int32_t end = -1;
    while (end < 0) {
        std::size_t best = done;
        for (std::size_t i = done + 1; i < size; ++i) {
            if (distance_[static_cast<std::size_t>(columns[i])] <
                distance_[static_cast<std::size_t>(columns[best])]) {
                best = i;
            }
        }
        std::swap(columns[done], columns[best]);
        const auto column = static_cast<std::size_t>(columns[done++]);
        length = distance_[column];
        const std::int32_t holder = row_of_[column];
        if (holder < 0) {
            end = static_cast<std::int32_t>(column);
            break;
        }
        const std::int32_t* from = cost + static_cast<std::size_t>(holder) * stride;
        const std::int64_t shift = length - (from[column] - price_[column]);
        for (std::size_t i = done; i < size; ++i) {
            const auto to = static_cast<std::size_t>(columns[i]);
            const std::int64_t value = from[to] - price_[to] + shift;
            if (value < distance_[to]) {
                distance_[to] = value;
                before_[to] = holder;
            }
        }
    }
    for (std::size_t i = 0; i + 1 < done; ++i) {
        const auto column = static_cast<std::size_t>(columns[i]);
        price_[column] += distance_[column] - length;
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
