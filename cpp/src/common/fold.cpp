#include "shoal/common/fold.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "common/compiler.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t mix(std::uint64_t key) {  // the finalizer of SplitMix64
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

struct Slot {
    std::uint64_t key;
    std::int32_t row;  // -1 while empty
};

// Open addressing; keys are stored in the slots so that a probe touches one cache line.
class Table {
  public:
    Table() { reserve(1u << 12); }

    const Slot* slot(std::uint64_t hash) const { return slots_.data() + (hash & mask_); }

    // The row whose key is `key` and for which same(row) holds; `next` if there is none yet.
    template <class Same>
    std::int32_t find_or_add(std::uint64_t key, std::uint64_t hash, std::int32_t next, Same same) {
        std::size_t place = hash & mask_;
        while (slots_[place].row >= 0) {
            if (slots_[place].key == key && same(slots_[place].row)) return slots_[place].row;
            place = (place + 1) & mask_;
        }
        slots_[place] = {key, next};
        ++used_;
        return next;
    }

    // Room for `more` rows, to be called before they come. Once a good part of the records is done,
    // their share of distinct rows says how large the table will be, and the steps between are
    // left out.
    void make_room(std::size_t more, std::size_t done, std::size_t records) {
        if (fits(used_ + more, slots_.size())) return;
        std::size_t size = slots_.size() * 2;
        if (done > records / 16) {
            const double share = static_cast<double>(used_) / static_cast<double>(done);
            const auto expected = static_cast<std::size_t>(share * static_cast<double>(records));
            while (!fits(expected, size)) size *= 2;
        }
        reserve(size);
    }

  private:
    static bool fits(std::size_t rows, std::size_t size) { return rows * 3 <= size * 2; }

    void reserve(std::size_t size) {
        BulkVector<Slot> old(size, Slot{0, -1});
        old.swap(slots_);
        mask_ = size - 1;
        for (const Slot& each : old) {
            if (each.row < 0) continue;
            std::size_t place = mix(each.key) & mask_;
            while (slots_[place].row >= 0) place = (place + 1) & mask_;
            slots_[place] = each;
        }
    }

    BulkVector<Slot> slots_;
    std::size_t mask_ = 0;
    std::size_t used_ = 0;
};

constexpr std::size_t batch = 256;
using Keys = std::array<std::uint64_t, batch>;

// Adds a column to the keys of a batch: as a digit if keys stay exact, else mixed in.
void add_column(const Column& column, std::size_t begin, std::size_t size, bool exact, Keys& keys) {
    const auto add = [&](const auto* codes) {
        if (exact) {
            for (std::size_t i = 0; i < size; ++i) {
                keys[i] = keys[i] * column.code_count + codes[begin + i];
            }
        } else {
            for (std::size_t i = 0; i < size; ++i) {
                keys[i] = mix(keys[i] + 0x9e3779b97f4a7c15u) ^ codes[begin + i];
            }
        }
    };
    switch (column.width) {
        case 1:
            return add(static_cast<const std::uint8_t*>(column.data));
        case 2:
            return add(static_cast<const std::uint16_t*>(column.data));
        default:
            return add(static_cast<const std::uint32_t*>(column.data));
    }
}

}  // namespace

Folded fold(const std::vector<Column>& columns, std::size_t records, const Control& control) {
    // Mixed-radix keys are exact as long as they fit 64 bits; beyond that equal keys are compared.
    bool exact = true;
    std::uint64_t range = 1;
    for (const Column& column : columns) {
        exact = exact && column.code_count <= std::numeric_limits<std::uint64_t>::max() / range;
        if (exact) range *= std::max<std::uint64_t>(column.code_count, 1);
    }
    Folded folded;
    folded.row_of.resize(records);
    Table table;
    Keys keys;
    Keys hashes;
    for (std::size_t begin = 0; begin < records; begin += batch) {
        if (begin % (batch * 64) == 0 && control.cancelled()) throw Cancelled();
        const std::size_t size = std::min(batch, records - begin);
        table.make_room(size, begin, records);
        keys.fill(0);
        for (const Column& column : columns) add_column(column, begin, size, exact, keys);
        for (std::size_t i = 0; i < size; ++i) {
            hashes[i] = mix(keys[i]);
            prefetch(table.slot(hashes[i]));
        }
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t record = begin + i;
            const auto same = [&](std::int32_t row) {
                if (exact) return true;
                const auto other =
                    static_cast<std::size_t>(folded.first[static_cast<std::size_t>(row)]);
                return std::all_of(columns.begin(), columns.end(), [&](const Column& column) {
                    return column[record] == column[other];
                });
            };
            const auto next = static_cast<std::int32_t>(folded.first.size());
            const std::int32_t row = table.find_or_add(keys[i], hashes[i], next, same);
            if (row == next) folded.first.push_back(static_cast<std::int32_t>(record));
            folded.row_of[record] = row;
        }
    }
    return folded;
}

}  // namespace shoal
