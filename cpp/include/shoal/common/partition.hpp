// How records are placed into classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// Some records of a row.
struct Piece {
    std::int32_t row;
    std::int32_t count;
};

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
    // Takes the class that was placed last out again; returns its records.
    std::int64_t take_back(std::int32_t last_class) {
        std::int64_t records = 0;
        while (!klass.empty() && klass.back() == last_class) {
            records += count.back();
            row.pop_back();
            klass.pop_back();
            count.pop_back();
        }
        return records;
    }
};

// The pieces of each class, in the order of the partition; a piece of no record is left out.
struct ClassPieces {
    std::vector<Piece> all;
    std::vector<std::size_t> starts;  // of each class, and the end

    ClassPieces(const Partition& partition, std::size_t classes);
    std::span<const Piece> of(std::size_t c) const {
        return {all.data() + starts[c], starts[c + 1] - starts[c]};
    }
};

// Loss per record (gc) of each class; classes without records lose nothing.
std::vector<double> class_loss(const Records& records, const Partition& partition,
                               std::int32_t classes);

}  // namespace shoal
