// Placements of records into classes, in and out.
#pragma once

#include <limits>
#include <vector>

#include "arrays.hpp"
#include "shoal/common/partition.hpp"

namespace bindings {

inline nb::tuple to_tuple(shoal::Partition&& partition) {
    return nb::make_tuple(to_numpy(std::move(partition.row)), to_numpy(std::move(partition.klass)),
                          to_numpy(std::move(partition.count)));
}

// Whether classes of k records can be made of these at all.
inline void check_class_size(const shoal::Records& records, std::int64_t k) {
    require_attributes(records);
    if (k < 1) refuse("k must be at least 1");
    if (k > records.total) refuse("k must not exceed the number of records");
}

// A copy of an order of the rows, checked to name each of them once.
inline std::vector<std::int32_t> checked_order(const shoal::Records& records,
                                               const AnyArray& order) {
    const auto rows = vector_of<std::int32_t>(order, "order", "int32");
    if (rows.size() != records.rows()) refuse("order must have one entry for each row");
    std::vector<std::int32_t> copy(rows.begin(), rows.end());
    std::vector<char> seen(copy.size());
    for (const std::int32_t row : copy) {
        if (row < 0 || static_cast<std::size_t>(row) >= seen.size() ||
            seen[static_cast<std::size_t>(row)]) {
            refuse("order must name every row once");
        }
        seen[static_cast<std::size_t>(row)] = 1;
    }
    return copy;
}

// Checked: rows below `rows`, classes below `classes`, counts not negative.
inline shoal::Partition to_partition(const AnyArray& row, const AnyArray& klass,
                                     const AnyArray& count, std::size_t rows,
                                     std::int64_t classes) {
    const auto rows_of = vector_of<std::int32_t>(row, "row", "int32");
    const auto classes_of = vector_of<std::int32_t>(klass, "class_", "int32");
    const auto counts = vector_of<std::int32_t>(count, "count", "int32");
    if (rows_of.size() != classes_of.size() || rows_of.size() != counts.size()) {
        refuse("row, class_ and count must be equally long");
    }
    if (classes < 0 || classes > std::numeric_limits<std::int32_t>::max()) {
        refuse("classes must be from 0 to 2**31 - 1");
    }
    for (std::size_t i = 0; i < rows_of.size(); ++i) {
        if (rows_of[i] < 0 || static_cast<std::size_t>(rows_of[i]) >= rows) {
            refuse("every row must be a row of the records");
        }
        if (classes_of[i] < 0 || classes_of[i] >= classes) {
            refuse("every class must be below classes");
        }
        if (counts[i] < 0) refuse("no count may be negative");
    }
    return {{rows_of.begin(), rows_of.end()},
            {classes_of.begin(), classes_of.end()},
            {counts.begin(), counts.end()}};
}

}  // namespace bindings
