// Equal rows folded into one.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/control.hpp"

namespace shoal {

struct Folded {
    BulkVector<std::int32_t> row_of;  // of each record: its distinct row
    BulkVector<std::int32_t> first;   // of each distinct row: the first record that has it
};

// Distinct rows in order of first appearance. Expected linear time; beside the result about
// 24 bytes a distinct row and nothing a record.
struct Column {
    const void* data;
    int width;  // bytes a code: 1, 2 or 4
    std::uint64_t code_count;

    std::uint32_t operator[](std::size_t index) const {
        switch (width) {
            case 1:
                return static_cast<const std::uint8_t*>(data)[index];
            case 2:
                return static_cast<const std::uint16_t*>(data)[index];
            default:
                return static_cast<const std::uint32_t*>(data)[index];
        }
    }
};

Folded fold(const std::vector<Column>& columns, std::size_t records, const Control& control);

}  // namespace shoal
