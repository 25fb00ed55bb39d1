// How records are placed into classes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "shoal/bulk.hpp"
#include "shoal/records.hpp"

namespace shoal {

// `count[i]` records of `row[i]` go into class `klass[i]`; every record is placed exactly once.
struct Partition {
    BulkVector<std::int32_t> row;
    BulkVector<std::int32_t> klass;
    BulkVector<std::int32_t> count;

    void place(std::int32_t which_row, std::int32_t which_class, std::int32_t how_many) {
        row.push_back(which_row);
        klass.push_back(which_class);
        count.push_back(how_many);
    }
};

// Thrown by a kernel whose control was told to cancel.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("the run was cancelled") {}
};

// Loss per record (gc) of each class; classes without records lose nothing.
std::vector<double> class_loss(const Records& records, const Partition& partition,
                               std::int32_t classes);

}  // namespace shoal
