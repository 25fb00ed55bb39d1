#include "shoal/guarded_cut.hpp"

#include <algorithm>

namespace shoal {

namespace {

// Widths in bits that differ by less are equal: logarithms round.
constexpr double margin = 1e-9;

std::int32_t count_at(const View& view, std::size_t entry) {
    return view.count == nullptr ? 1 : view.count[entry];
}

// How many records of each entry go left.
void take(const View& view, const Node& node, const Cut& cut, std::vector<std::int32_t>& taken) {
    taken.resize(node.size);
    view.columns[cut.attribute].visit(node.begin, [&](const auto* codes) {
        std::int64_t room = cut.tied;
        for (std::size_t i = 0; i < node.size; ++i) {
            const std::int32_t count = count_at(view, node.begin + i);
            if (cut.tied < 0 || codes[i] != cut.code) {
                taken[i] = codes[i] <= cut.code ? count : 0;
                continue;
            }
            taken[i] = static_cast<std::int32_t>(std::min<std::int64_t>(count, room));
            room -= taken[i];
        }
    });
}

}  // namespace

bool GuardedCutFinder::find(const View& view, const Node& node, std::vector<Reach>& held,
                            Workspace& workspace, Cut& cut) const {
    const std::vector<std::size_t> order = by_width(view, node, held, workspace);
    tally(view, node, workspace);
    for (const std::size_t j : order) {
        finder_.count(view, node, j, held[j].extent, workspace);
        finder_.list_cuts(node, j, held[j].extent, workspace);
        const std::size_t tries = std::min(workspace.cuts.size(), cut_tries);
        for (std::size_t i = 0; i < tries; ++i) {
            cut = workspace.cuts[i];
            if (allowable(view, node, cut, workspace)) return true;
        }
    }
    if (cutting_.strict) return false;
    for (const std::size_t j : order) {
        finder_.count(view, node, j, held[j].extent, workspace);
        cut = finder_.halve(node, j, held[j].extent, workspace);
        if (allowable(view, node, cut, workspace)) return true;
    }
    return false;
}

// Attributes of more than one value, the widest first.
std::vector<std::size_t> GuardedCutFinder::by_width(const View& view, const Node& node,
                                                    std::vector<Reach>& held,
                                                    Workspace& workspace) const {
    std::vector<double>& widths = workspace.widths;
    widths.resize(held.size());
    std::vector<std::int64_t> secrets(objective_.secret_count());
    if (objective_.reads_secret()) {
        for (std::size_t i = node.begin; i < node.begin + node.size; ++i) {
            secrets[objective_.secret(static_cast<std::size_t>(view.row[i]))] += count_at(view, i);
        }
    }
    std::vector<std::size_t> left;
    for (std::size_t j = 0; j < held.size(); ++j) {
        widths[j] = finder_.width(view, node, j, held[j], workspace);
        if (held[j].extent.low == held[j].extent.high) continue;
        left.push_back(j);
        if (objective_.plain()) continue;
        widths[j] = information_lost(view, node, j, held[j].extent, secrets, workspace) /
                    static_cast<double>(node.total);
    }
    std::vector<std::size_t> order;
    while (!left.empty()) {
        auto widest = left.begin();
        for (auto each = left.begin(); each != left.end(); ++each) {
            const double least = widths[*widest] + (objective_.plain() ? 0.0 : margin);
            if (widths[*each] > least) widest = each;
        }
        order.push_back(*widest);
        left.erase(widest);
    }
    return order;
}

// Weighted cost of the closure of attribute j, less that of its values as they are.
double GuardedCutFinder::information_lost(const View& view, const Node& node, std::size_t j,
                                          Extent extent, const std::vector<std::int64_t>& secrets,
                                          Workspace& workspace) const {
    const Attribute& attribute = objective_.records().attributes[j];
    const double share = objective_.share();
    std::int64_t mass = 0;
    std::vector<std::int64_t> joints(secrets.size());
    const auto cover = [&](std::uint32_t first, std::uint32_t last) {
        mass += objective_.mass(j, first, last);
        for (std::uint32_t y = 0; y < joints.size(); ++y) {
            joints[y] += objective_.joint(j, first, last, y);
        }
    };
    if (attribute.kind == Kind::set) {
        finder_.count(view, node, j, extent, workspace);
        for (std::uint32_t code = extent.low; code <= extent.high; ++code) {
            if (workspace.histogram[code - extent.low] > 0) cover(code, code);
        }
    } else {
        const auto [first, last] = objective_.covered(j, {extent.low, extent.high, 2});
        cover(first, last);
    }
    double plain = 0.0;
    view.columns[j].visit(node.begin, [&](const auto* codes) {
        for (std::size_t i = 0; i < node.size; ++i) {
            const std::uint32_t code = codes[i];
            double own = objective_.log2(objective_.mass(j, code, code));
            if (objective_.reads_secret()) {
                const auto row = static_cast<std::size_t>(view.row[node.begin + i]);
                own -= (1 - share) *
                       objective_.log2(objective_.joint(j, code, code, objective_.secret(row)));
            }
            plain += count_at(view, node.begin + i) * own;
        }
    });
    const double closed = objective_.information(
        mass, [&](std::uint32_t y) { return joints[y]; }, node.total,
        [&](std::uint32_t y) { return secrets[y]; });
    const double whole =
        share * static_cast<double>(node.total) * objective_.log2(objective_.records().total);
    return attribute.weight * (closed + whole - plain);
}

void GuardedCutFinder::tally(const View& view, const Node& node, Workspace& workspace) const {
    workspace.tallies.resize(models_.all.size());
    for (std::size_t at = 0; at < models_.all.size(); ++at) {
        const Model& model = models_.all[at];
        Tally& tally = workspace.tallies[at];
        tally.whole.resize(model.code_count);
        tally.left.resize(model.code_count);
        for (const std::uint32_t code : tally.codes) tally.whole[code] = 0;
        tally.codes.clear();
        for (std::size_t i = node.begin; i < node.begin + node.size; ++i) {
            const std::uint32_t code = model.codes[static_cast<std::size_t>(view.row[i])];
            if (tally.whole[code] == 0) tally.codes.push_back(code);
            tally.whole[code] += count_at(view, i);
        }
        std::sort(tally.codes.begin(), tally.codes.end());
    }
}

// Whether both sides meet every model; that they have k records is known.
bool GuardedCutFinder::allowable(const View& view, const Node& node, const Cut& cut,
                                 Workspace& workspace) const {
    if (models_.empty()) return true;
    take(view, node, cut, workspace.taken);
    std::vector<Held> lower, upper;
    for (std::size_t at = 0; at < models_.all.size(); ++at) {
        const Model& model = models_.all[at];
        Tally& tally = workspace.tallies[at];
        for (std::size_t i = 0; i < node.size; ++i) {
            const auto row = static_cast<std::size_t>(view.row[node.begin + i]);
            tally.left[model.codes[row]] += workspace.taken[i];
        }
        lower.clear();
        upper.clear();
        for (const std::uint32_t code : tally.codes) {
            const std::int32_t left = tally.left[code];
            const std::int32_t right = tally.whole[code] - left;
            if (left > 0) lower.push_back({code, left});
            if (right > 0) upper.push_back({code, right});
            tally.left[code] = 0;
        }
        if (!holds(model, lower, cut.left_total) ||
            !holds(model, upper, node.total - cut.left_total)) {
            return false;
        }
    }
    return true;
}

}  // namespace shoal
