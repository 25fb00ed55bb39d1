// Keys of what rows look like at a node, and tables of the groups that look alike.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/random.hpp"
#include "shoal/lattice/lattice.hpp"

namespace shoal::lattice {

// A sum of random words; as good as exact, and as cheap to change by one attribute.
struct WideKey {
    std::uint64_t high;
    std::uint64_t low;

    bool operator==(const WideKey&) const = default;
    WideKey operator+(const WideKey& other) const { return {high + other.high, low + other.low}; }
    WideKey operator-(const WideKey& other) const { return {high - other.high, low - other.low}; }
};

inline std::uint64_t hash_of(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ULL; }
inline std::uint64_t hash_of(const WideKey& key) { return key.high; }

inline int bits_for(std::uint32_t values) {
    return static_cast<int>(std::bit_width(values > 0 ? values - 1 : 0));
}

inline std::uint32_t looks_of(const Ladder& ladder) {
    std::uint32_t most = 0;
    for (const auto& level : ladder.look) {
        for (const std::uint32_t look : level) most = std::max(most, look + 1);
    }
    return most;
}

inline int packed_bits(const LatticeProblem& problem) {
    int bits = 0;
    for (const Ladder& ladder : problem.ladders) bits += bits_for(looks_of(ladder));
    return bits;
}

// Part of a key that one look of one attribute adds: [attribute][level][code].
template <class Key>
using Parts = std::vector<std::vector<std::vector<Key>>>;

inline void make_parts(const LatticeProblem& problem, Parts<std::uint64_t>& parts) {
    int shift = 0;
    for (const Ladder& ladder : problem.ladders) {
        auto& own = parts.emplace_back();
        for (const auto& level : ladder.look) {
            auto& part = own.emplace_back(level.size());
            for (std::size_t code = 0; code < level.size(); ++code) {
                part[code] = shift < 64 ? std::uint64_t{level[code]} << shift : 0;
            }
        }
        shift += bits_for(looks_of(ladder));
    }
}

inline void make_parts(const LatticeProblem& problem, Parts<WideKey>& parts) {
    Random random(0x5851f42d4c957f2dULL);
    for (const Ladder& ladder : problem.ladders) {
        std::vector<WideKey> drawn(looks_of(ladder));
        for (WideKey& each : drawn) each = {random.next(), random.next()};
        auto& own = parts.emplace_back();
        for (const auto& level : ladder.look) {
            auto& part = own.emplace_back(level.size());
            for (std::size_t code = 0; code < level.size(); ++code) part[code] = drawn[level[code]];
        }
    }
}

// Where a packed key holds the look of an attribute.
struct Digit {
    int shift = 0;
    std::uint64_t mask = 0;
};

template <class Key>
constexpr bool packed = std::is_same_v<Key, std::uint64_t>;

// The groups of one node: key, number of records and, unless the key tells all, some row of it.
template <class Key>
struct Groups {
    Levels node;
    BulkVector<Key> key;
    BulkVector<std::int32_t> count;
    BulkVector<std::int32_t> row;

    std::size_t size() const { return key.size(); }
    void resize(std::size_t groups) {
        key.resize(groups);
        count.resize(groups);
        if constexpr (!packed<Key>) row.resize(groups);
    }
};

// What all workers share and none changes. Figures of an attribute are found by the look in a
// packed key, else by the code of a group's row: [attribute][level][look or code].
template <class Key>
struct Shared {
    const LatticeProblem* problem;
    Parts<Key> parts;
    std::vector<Digit> digits;
    Groups<Key> rows;    // every row by itself, at the finest levels
    Groups<Key> finest;  // folded
    std::vector<std::vector<std::vector<std::int64_t>>> cost;
    std::vector<std::vector<std::vector<char>>> silent;
    std::vector<std::vector<std::uint32_t>> looks;  // number of them: [attribute][level]
    std::vector<std::vector<std::int64_t>> column_cost;
    std::int64_t records = 0;

    std::size_t place(const Groups<Key>& groups, std::size_t group, std::size_t attribute) const {
        if constexpr (packed<Key>) {
            return groups.key[group] >> digits[attribute].shift & digits[attribute].mask;
        } else {
            return problem->ladders[attribute].codes[static_cast<std::size_t>(groups.row[group])];
        }
    }
    // Where the figures of a code stand on a level.
    std::size_t place_of_code(std::size_t attribute, std::size_t level, std::size_t code) const {
        return packed<Key> ? problem->ladders[attribute].look[level][code] : code;
    }
};

}  // namespace shoal::lattice
