#include "clustering/mondrian_cut.hpp"

#include <algorithm>
#include <bit>

namespace shoal {

namespace {

template <class T>
std::uint32_t count_distinct(const T* codes, std::size_t size, std::uint32_t code_count,
                             Workspace& workspace) {
    if (workspace.seen.size() < code_count) workspace.seen.resize(code_count);
    std::uint32_t distinct = 0;
    for (std::size_t i = 0; i < size; ++i) {
        distinct += 1u - workspace.seen[codes[i]];
        workspace.seen[codes[i]] = 1;
    }
    for (std::size_t i = 0; i < size; ++i) workspace.seen[codes[i]] = 0;
    return distinct;
}

void count_codes(const View& view, const Node& node, std::size_t j, Extent extent,
                 Workspace& workspace) {
    workspace.histogram.assign(extent.high - extent.low + 1, 0);
    std::int64_t* histogram = workspace.histogram.data();
    view.columns[j].visit(node.begin, [&](const auto* codes) {
        if (view.count != nullptr) {
            const std::int32_t* count = view.count + node.begin;
            for (std::size_t i = 0; i < node.size; ++i) {
                histogram[codes[i] - extent.low] += count[i];
            }
        } else if constexpr (sizeof(codes[0]) == 1) {
            shoal::count_codes(codes, node.size, extent.low, histogram);
        } else {
            for (std::size_t i = 0; i < node.size; ++i) ++histogram[codes[i] - extent.low];
        }
    });
}

// Two equal halves; the records that share the code at the median are divided.
void cut_within_code(const Node& node, Extent extent, const Workspace& workspace,
                     MondrianCut& cut) {
    cut.left_total = node.total / 2;
    std::int64_t before = 0;
    cut.code = extent.low;
    for (const std::int64_t here : workspace.histogram) {
        if (before + here > cut.left_total) break;
        before += here;
        ++cut.code;
    }
    cut.tied = cut.left_total - before;
}

// The level at which the codes of an extent lie in the children of their common ancestor.
std::uint32_t level_of_children(const Attribute& attribute, Extent extent) {
    std::uint32_t level = 0;
    while (level + 1 < attribute.tree.levels &&
           attribute.tree.above(level + 1, extent.low, attribute.code_count) !=
               attribute.tree.above(level + 1, extent.high, attribute.code_count)) {
        ++level;
    }
    return level;
}

}  // namespace

bool MondrianCutFinder::find(const View& view, const Node& node, std::vector<Reach>& held,
                             Workspace& workspace, MondrianCut& cut) const {
    const std::size_t attributes = records_.attributes.size();
    workspace.widths.resize(attributes);
    for (std::size_t j = 0; j < attributes; ++j) {
        workspace.widths[j] = width(view, node, j, held[j], workspace);
    }
    std::size_t widest = attributes;
    for (;;) {
        std::size_t best = attributes;
        for (std::size_t j = 0; j < attributes; ++j) {
            if (workspace.widths[j] < 0.0 || held[j].extent.low == held[j].extent.high) continue;
            if (best == attributes || workspace.widths[j] > workspace.widths[best]) best = j;
        }
        if (best == attributes) break;
        if (widest == attributes) widest = best;
        count_codes(view, node, best, held[best].extent, workspace);
        cut.attribute = best;
        if (cut_between_codes(node, held[best].extent, workspace, cut)) return true;
        workspace.widths[best] = -1.0;  // tried
    }
    if (cutting_.strict || widest == attributes) return false;
    cut.attribute = widest;
    count_codes(view, node, widest, held[widest].extent, workspace);
    cut_within_code(node, held[widest].extent, workspace, cut);
    return true;
}

// Weighted loss of attribute j in this node, and what it holds; at first `held` is the
// parent's.
double MondrianCutFinder::width(const View& view, const Node& node, std::size_t j, Reach& held,
                                Workspace& workspace) const {
    const Attribute& attribute = records_.attributes[j];
    std::uint32_t distinct = 1;
    if (held.extent.low != held.extent.high) {
        view.columns[j].visit(node.begin, [&](const auto* codes) {
            if (attribute.kind != Kind::set) {
                held.extent = extent(codes, node.size);
                return;
            }
            if constexpr (sizeof(codes[0]) == 1) {
                if (attribute.code_count <= 64) {
                    held.present = present(codes, node.size, held.present);
                    held.extent = {
                        static_cast<std::uint32_t>(std::countr_zero(held.present)),
                        63u - static_cast<std::uint32_t>(std::countl_zero(held.present))};
                    distinct = static_cast<std::uint32_t>(std::popcount(held.present));
                    return;
                }
            }
            held.extent = extent(codes, node.size);
            distinct = count_distinct(codes, node.size, attribute.code_count, workspace);
        });
    }
    double loss = 0.0;
    switch (attribute.kind) {
        case Kind::interval:
            loss = attribute.interval_loss(held.extent.low, held.extent.high);
            break;
        case Kind::set:
            loss = attribute.set_loss(distinct);
            break;
        case Kind::tree:
            loss = attribute.tree.node_loss[static_cast<std::size_t>(
                attribute.common_ancestor(held.extent.low, held.extent.high))];
            break;
        case Kind::all_or_nothing:
            loss = held.extent.low == held.extent.high ? 0.0 : 1.0;
            break;
    }
    return attribute.weight * loss;
}

// The boundary between codes with the most equal sides; false if a side would have fewer than
// k records.
bool MondrianCutFinder::cut_between_codes(const Node& node, Extent extent,
                                          const Workspace& workspace, MondrianCut& cut) const {
    const Attribute& attribute = records_.attributes[cut.attribute];
    const bool tree = attribute.kind == Kind::tree;
    const std::uint32_t level = tree ? level_of_children(attribute, extent) : 0;
    std::int64_t best = 0;
    std::int64_t before = 0;
    for (std::uint32_t code = extent.low; code < extent.high; ++code) {
        before += workspace.histogram[code - extent.low];
        if (tree && attribute.tree.above(level, code, attribute.code_count) ==
                        attribute.tree.above(level, code + 1, attribute.code_count)) {
            continue;
        }
        const std::int64_t smaller = std::min(before, node.total - before);
        if (smaller > best) {
            best = smaller;
            cut.code = code;
            cut.left_total = before;
            cut.tied = -1;
        }
    }
    return best >= cutting_.k;
}

void MondrianCutFinder::count(const View& view, const Node& node, std::size_t j, Extent extent,
                              Workspace& workspace) {
    count_codes(view, node, j, extent, workspace);
}

void MondrianCutFinder::list_cuts(const Node& node, std::size_t j, Extent extent,
                                  Workspace& workspace) const {
    const Attribute& attribute = records_.attributes[j];
    const bool tree = attribute.kind == Kind::tree;
    const std::uint32_t level = tree ? level_of_children(attribute, extent) : 0;
    workspace.cuts.clear();
    std::int64_t before = 0;
    for (std::uint32_t code = extent.low; code < extent.high; ++code) {
        before += workspace.histogram[code - extent.low];
        const bool within_a_child =
            tree && attribute.tree.above(level, code, attribute.code_count) ==
                        attribute.tree.above(level, code + 1, attribute.code_count);
        // A code that the node lacks makes the same cut as the one before it.
        if (within_a_child || std::min(before, node.total - before) < cutting_.k) continue;
        if (!workspace.cuts.empty() && workspace.cuts.back().left_total == before) continue;
        workspace.cuts.push_back({j, code, before, -1});
    }
    std::stable_sort(workspace.cuts.begin(), workspace.cuts.end(),
                     [&](const MondrianCut& a, const MondrianCut& b) {
                         return std::min(a.left_total, node.total - a.left_total) >
                                std::min(b.left_total, node.total - b.left_total);
                     });
}

MondrianCut MondrianCutFinder::halve(const Node& node, std::size_t j, Extent extent,
                                     const Workspace& workspace) {
    MondrianCut cut{j, 0, 0, -1};
    cut_within_code(node, extent, workspace, cut);
    return cut;
}

}  // namespace shoal
