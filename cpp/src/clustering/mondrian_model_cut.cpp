#include "clustering/mondrian_model_cut.hpp"

#include <algorithm>
#include <limits>

namespace shoal {

namespace {

// Gains in bits that differ by less are equal: logarithms round.
constexpr double margin = 1e-9;

// Nodes of up to this many times k records look for a cut that keeps the models. Above, cuts by
// width alone do better: there is room enough to meet the models further down.
constexpr std::int64_t choosy = 8;

std::int32_t count_at(const View& view, std::size_t entry) {
    return view.count == nullptr ? 1 : view.count[entry];
}

// How many records of each entry go left.
void take(const View& view, const Node& node, const MondrianCut& cut,
          std::vector<std::int32_t>& taken) {
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

bool MondrianModelCutFinder::find(const View& view, const Node& node, std::vector<Reach>& held,
                                  Workspace& workspace, MondrianCut& cut) const {
    const std::vector<std::size_t> order = by_width(view, node, held, workspace);
    const bool ask = !models_.empty() && (cutting_.keep || node.total <= choosy * cutting_.k);
    if (ask) tally(view, node, workspace);
    bool found = false;
    // True if the search is over.
    const auto consider = [&](const MondrianCut& candidate) {
        const bool sound = !ask || allowable(view, node, candidate, workspace);
        if (sound || (!cutting_.keep && !found)) {
            cut = candidate;
            found = true;
        }
        return sound;
    };
    for (const std::size_t j : order) {
        finder_.count(view, node, j, held[j].extent, workspace);
        finder_.list_cuts(node, j, held[j].extent, workspace);
        const std::size_t tries = std::min(workspace.cuts.size(), cut_tries);
        for (std::size_t i = 0; i < tries; ++i) {
            if (consider(workspace.cuts[i])) return true;
        }
    }
    if (found || cutting_.strict) return found;
    for (const std::size_t j : order) {
        finder_.count(view, node, j, held[j].extent, workspace);
        if (consider(finder_.halve(node, j, held[j].extent, workspace))) return true;
    }
    return found;
}

// Attributes of more than one value, the widest first; under information measures those first
// whose cut saves most.
std::vector<std::size_t> MondrianModelCutFinder::by_width(const View& view, const Node& node,
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
    }
    for (const std::size_t j : left) {
        if (objective_.plain()) break;
        widths[j] =
            cut_gain(view, node, j, held, secrets, workspace) / static_cast<double>(node.total);
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

// What the two sides of the most equal cut of attribute j cost, negated; minus infinity if it has
// none.
double MondrianModelCutFinder::cut_gain(const View& view, const Node& node, std::size_t j,
                                        const std::vector<Reach>& held,
                                        const std::vector<std::int64_t>& secrets,
                                        Workspace& workspace) const {
    finder_.count(view, node, j, held[j].extent, workspace);
    finder_.list_cuts(node, j, held[j].extent, workspace);
    if (workspace.cuts.empty()) return -std::numeric_limits<double>::infinity();
    const MondrianCut cut = workspace.cuts.front();
    const std::int64_t right_total = node.total - cut.left_total;
    std::vector<std::int64_t> left(secrets.size()), right = secrets;
    take(view, node, cut, workspace.taken);
    if (objective_.reads_secret()) {
        for (std::size_t i = 0; i < node.size; ++i) {
            const auto row = static_cast<std::size_t>(view.row[node.begin + i]);
            left[objective_.secret(row)] += workspace.taken[i];
            right[objective_.secret(row)] -= workspace.taken[i];
        }
    }
    double cost = 0.0;
    std::vector<std::int64_t> left_codes;
    for (std::size_t other = 0; other < held.size(); ++other) {
        const Extent extent = held[other].extent;
        finder_.count(view, node, other, extent, workspace);
        std::vector<std::int64_t>& right_codes = workspace.histogram;
        left_codes.assign(right_codes.size(), 0);
        view.columns[other].visit(node.begin, [&](const auto* codes) {
            for (std::size_t i = 0; i < node.size; ++i) {
                left_codes[codes[i] - extent.low] += workspace.taken[i];
                right_codes[codes[i] - extent.low] -= workspace.taken[i];
            }
        });
        cost += objective_.records().attributes[other].weight *
                (closure_cost(other, extent, cut.left_total, left, left_codes) +
                 closure_cost(other, extent, right_total, right, right_codes));
    }
    return -cost;
}

// Unweighted cost of the closure of the codes of an extent that a histogram counts.
double MondrianModelCutFinder::closure_cost(std::size_t j, Extent extent, std::int64_t size,
                                            const std::vector<std::int64_t>& secrets,
                                            const std::vector<std::int64_t>& histogram) const {
    std::uint32_t low = extent.low, high = extent.high;
    while (histogram[low - extent.low] == 0) ++low;
    while (histogram[high - extent.low] == 0) --high;
    std::int64_t mass = 0;
    std::vector<std::int64_t> joints(secrets.size());
    const auto cover = [&](std::uint32_t first, std::uint32_t last) {
        mass += objective_.mass(j, first, last);
        for (std::uint32_t y = 0; y < joints.size(); ++y) {
            joints[y] += objective_.joint(j, first, last, y);
        }
    };
    if (objective_.records().attributes[j].kind == Kind::set) {
        for (std::uint32_t code = low; code <= high; ++code) {
            if (histogram[code - extent.low] > 0) cover(code, code);
        }
    } else {
        const auto [first, last] = objective_.covered(j, {low, high, 2});
        cover(first, last);
    }
    return objective_.information(
        mass, [&](std::uint32_t y) { return joints[y]; }, size,
        [&](std::uint32_t y) { return secrets[y]; });
}

void MondrianModelCutFinder::tally(const View& view, const Node& node, Workspace& workspace) const {
    workspace.tallies.resize(models_.all.size());
    for (std::size_t at = 0; at < models_.all.size(); ++at) {
        const Model& model = models_.all[at];
        ProtectedCounts& tally = workspace.tallies[at];
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
bool MondrianModelCutFinder::allowable(const View& view, const Node& node, const MondrianCut& cut,
                                       Workspace& workspace) const {
    take(view, node, cut, workspace.taken);
    std::vector<Held> lower, upper;
    for (std::size_t at = 0; at < models_.all.size(); ++at) {
        const Model& model = models_.all[at];
        ProtectedCounts& tally = workspace.tallies[at];
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
