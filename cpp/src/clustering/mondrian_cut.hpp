// Where a node of Mondrian is cut: the shared parts of its search and of its splitting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clustering/split_columns.hpp"
#include "shoal/clustering/mondrian.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

// Codes of one attribute in the order of the nodes.
struct NodeColumn {
    int width;  // bytes a code
    const void* data;

    template <class Visit>
    auto visit(std::size_t begin, Visit visit) const {
        switch (width) {
            case 1:
                return visit(static_cast<const std::uint8_t*>(data) + begin);
            case 2:
                return visit(static_cast<const std::uint16_t*>(data) + begin);
            default:
                return visit(static_cast<const std::uint32_t*>(data) + begin);
        }
    }
};

// The records in the order of the nodes.
struct View {
    std::vector<NodeColumn> columns;
    const std::int32_t* row;
    const std::int32_t* count;  // null when every row is one record
};

struct Node {
    std::size_t begin;
    std::size_t size;    // entries: rows or parts of rows
    std::int64_t total;  // records
    int side;            // which view holds it
};

// Codes up to `code` go left, but of `code` itself only `tied` records if that is not negative.
struct MondrianCut {
    std::size_t attribute;
    std::uint32_t code;
    std::int64_t left_total;
    std::int64_t tied;
};

// What a node holds of one attribute; its children hold no more.
struct Reach {
    Extent extent;
    std::uint64_t present;  // sets of at most 64 codes only
};

// Protected values of a node under one model, and of the left side of a cut that is tried.
struct ProtectedCounts {
    std::vector<std::uint32_t> codes;  // that the node has, ascending
    std::vector<std::int32_t> whole;   // by code; zero but for the node's codes
    std::vector<std::int32_t> left;    // by code; zero but while a cut is tried
};

// What one thread needs beside the buffers.
struct Workspace {
    std::vector<std::vector<Reach>> held;  // by depth of recursion
    std::vector<std::uint64_t> left;
    std::vector<std::int64_t> histogram;
    std::vector<std::uint8_t> seen;
    std::vector<double> widths;
    // Of cuts that keep models alone.
    std::vector<ProtectedCounts> tallies;  // by model
    std::vector<std::int32_t> taken;
    std::vector<MondrianCut> cuts;
};

// Chooses the attribute and the place of a cut.
class MondrianCutFinder {
  public:
    MondrianCutFinder(const Records& records, const Cutting& cutting)
        : records_(records), cutting_(cutting) {}

    // `held` is what the node's parent holds, and then what the node itself holds; false if no cut
    // is allowable.
    bool find(const View& view, const Node& node, std::vector<Reach>& held, Workspace& workspace,
              MondrianCut& cut) const;

    // The parts of the search, for one that asks more of a cut.
    double width(const View& view, const Node& node, std::size_t j, Reach& held,
                 Workspace& workspace) const;
    static void count(const View& view, const Node& node, std::size_t j, Extent extent,
                      Workspace& workspace);
    // All boundaries between counted codes that leave k records on both sides, the most equal
    // sides first.
    void list_cuts(const Node& node, std::size_t j, Extent extent, Workspace& workspace) const;
    static MondrianCut halve(const Node& node, std::size_t j, Extent extent,
                             const Workspace& workspace);

  private:
    bool cut_between_codes(const Node& node, Extent extent, const Workspace& workspace,
                           MondrianCut& cut) const;

    const Records& records_;
    const Cutting& cutting_;
};

}  // namespace shoal
