// Distinct rows with multiplicities, and the attributes that give a class of them its loss.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace shoal {

// Codes of one attribute, as narrow as its domain allows.
using Codes =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

// Copies codes into the narrowest type that holds `code_count` codes.
template <class T>
Codes narrow(std::span<const T> codes, std::uint32_t code_count) {
    if (code_count <= 1u << 8) return std::vector<std::uint8_t>(codes.begin(), codes.end());
    if (code_count <= 1u << 16) return std::vector<std::uint16_t>(codes.begin(), codes.end());
    return std::vector<std::uint32_t>(codes.begin(), codes.end());
}

enum class Kind { interval, set, tree, all_or_nothing };

// A tree over codes in depth-first order: every node is an interval of codes, and the lowest
// common ancestor of a set of codes is that of its lowest and its highest one.
struct Tree {
    std::uint32_t levels = 0;
    std::vector<std::int32_t>
        ancestors;  // [level][code]; level 0 are the leaves, the last the root
    std::vector<std::int32_t> node_first;
    std::vector<std::int32_t> node_last;
    std::vector<double> node_loss;

    std::int32_t above(std::uint32_t level, std::uint32_t code, std::uint32_t code_count) const {
        return ancestors[static_cast<std::size_t>(level) * code_count + code];
    }
};

struct Attribute {
    Kind kind = Kind::set;
    Codes codes;
    std::uint32_t code_count = 0;
    double weight = 0.0;
    std::vector<double> positions;  // interval only, ascending
    double step = 0.0;              // set only: loss of each value beyond the first
    Tree tree;                      // tree only

    std::uint32_t code(std::size_t row) const {
        return std::visit(
            [row](const auto& values) { return static_cast<std::uint32_t>(values[row]); }, codes);
    }
    double interval_loss(std::uint32_t low, std::uint32_t high) const {
        const double width = positions[high] - positions[low];
        return width < 1.0 ? width : 1.0;
    }
    double set_loss(std::uint32_t count) const {
        const double loss = static_cast<double>(count - 1) * step;
        return loss < 1.0 ? loss : 1.0;
    }
    std::int32_t common_ancestor(std::uint32_t low, std::uint32_t high) const;
};

// Structure of arrays: one code array an attribute. Callers check shapes and ranges.
struct Records {
    std::vector<std::int32_t> counts;
    std::vector<Attribute> attributes;
    std::int64_t total = 0;       // records, all multiplicities counted
    mutable bool frozen = false;  // in use: what is built on them points to their attributes

    explicit Records(std::vector<std::int32_t> multiplicities);
    std::size_t rows() const { return counts.size(); }
    double weight_sum() const;
};

}  // namespace shoal
