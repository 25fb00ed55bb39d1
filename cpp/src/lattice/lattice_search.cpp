#include "shoal/lattice/lattice_search.hpp"

#include <algorithm>

#include "lattice/lattice_tags.hpp"

namespace shoal {

using lattice::Index;
using lattice::LatticeShape;
using lattice::levels_of;
using lattice::TaggedSearch;

std::int64_t lattice_nodes(const LatticeProblem& problem, bool subsets) {
    std::int64_t nodes = 1;
    for (const int levels : levels_of(problem, subsets)) {
        nodes = std::min(nodes * levels, most_lattice_nodes + 1);
    }
    return nodes;
}

namespace {

// The middle height of a sub-lattice divides it into one below each of its nodes that holds and
// one above each that fails. All sub-lattices of one round have the same two heights, so that
// their open middle nodes are the open nodes of one height of the whole.
LatticeAnswer search_by_ola(TaggedSearch& search, Control& control) {
    const auto rows = search.by_height();
    std::vector<std::pair<int, int>> spans{{0, search.shape().top}};
    int heights = 0;  // looked at so far, each once
    for (std::size_t next = 0; next < spans.size() && !search.over(); ++next) {
        const auto [low, high] = spans[next];
        if (low > high) continue;
        const int middle = (low + high) / 2;
        search.look_at_open(rows[static_cast<std::size_t>(middle)]);
        spans.emplace_back(low, middle - 1);
        spans.emplace_back(middle + 1, high);
        control.report(0.9 * ++heights / (search.shape().top + 1));
    }
    return search.settle();
}

// A path of nodes upwards, and the part of it where the border between those that fail and those
// that hold must lie.
struct Path {
    std::vector<Index> nodes;
    std::size_t low = 0, high = 0;

    std::size_t middle() const { return (low + high) / 2; }
    void take(bool holds) {
        if (holds) {
            high = middle();
        } else {
            low = middle() + 1;
        }
    }
};

// From an open node upwards through open nodes, always to the one of least lower bound; nodes of
// other paths are left to them.
Path greedy_path(const TaggedSearch& search, Index start, std::vector<char>& on_path) {
    Path path;
    path.nodes.assign(1, start);
    on_path[start] = 1;
    for (bool grown = true; grown;) {
        grown = false;
        Index best = 0;
        std::int64_t least = 0;
        search.shape().up(path.nodes.back(), [&](std::int64_t above, std::size_t) {
            const auto node = static_cast<Index>(above);
            if (on_path[node] || !search.is_open(node)) return;
            const std::int64_t floor = search.floor(node);
            if (!grown || floor < least) {
                best = node;
                least = floor;
                grown = true;
            }
        });
        if (!grown) continue;
        path.nodes.push_back(best);
        on_path[best] = 1;
    }
    path.high = path.nodes.size();
    return path;
}

// Binary search on all paths at once, so that threads can share it; what one path tells of the
// nodes of another is used as soon as its round is over.
void halve(TaggedSearch& search, std::vector<Path>& paths) {
    while (!search.over()) {
        std::vector<Index> asked;
        std::vector<Path*> asking;
        for (Path& path : paths) {
            while (path.low < path.high && search.is_tagged(path.nodes[path.middle()])) {
                path.take(search.holds(path.nodes[path.middle()]));
            }
            if (path.low == path.high) continue;
            asked.push_back(path.nodes[path.middle()]);
            asking.push_back(&path);
        }
        if (asked.empty()) return;
        const auto found = search.look(asked);
        for (std::size_t i = 0; i < found.size(); ++i) asking[i]->take(found[i].base);
    }
}

// Paths of open nodes from each open node upwards, some at a time, each divided by binary search.
// How many at a time does not depend on the threads, so neither does the answer.
LatticeAnswer search_by_flash(TaggedSearch& search, Control& control) {
    constexpr std::size_t at_once = 4;
    const auto rows = search.by_height();
    std::vector<char> on_path(static_cast<std::size_t>(search.shape().nodes), 0);
    std::vector<Path> paths;
    for (std::size_t height = 0; height < rows.size() && !search.over(); ++height) {
        const std::vector<Index>& row = rows[height];
        for (std::size_t i = 0; i < row.size() && !search.over(); ++i) {
            if (!on_path[row[i]] && search.is_open(row[i])) {
                paths.push_back(greedy_path(search, row[i], on_path));
            }
            if (paths.empty() || (paths.size() < at_once && i + 1 < row.size())) continue;
            halve(search, paths);
            for (const Path& path : paths) {
                for (const Index node : path.nodes) on_path[node] = 0;
            }
            paths.clear();
        }
        control.report(0.9 * static_cast<double>(height) / static_cast<double>(rows.size()));
    }
    return search.settle();
}

// Subsets of attributes by size: a node is asked only if it holds without each of its attributes,
// and not asked if one below it holds.
LatticeAnswer search_by_incognito(TaggedSearch& search, Control& control) {
    const LatticeShape subsets(levels_of(search.problem(), true));
    const std::size_t attributes = subsets.levels.size();
    std::vector<std::uint8_t> tags(static_cast<std::size_t>(subsets.nodes), lattice::open);
    const auto left_out = [&](std::int64_t index, std::size_t j) {
        return subsets.level(index, j) == subsets.levels[j] - 1;
    };
    // Rounds: by number of attributes, then by height.
    const auto heights = static_cast<std::size_t>(search.shape().top) + 1;
    std::vector<std::vector<Index>> rounds((attributes + 1) * heights);
    for (std::int64_t index = 0; index < subsets.nodes; ++index) {
        std::size_t taken = 0, height = 0;
        for (std::size_t j = 0; j < attributes; ++j) {
            if (left_out(index, j)) continue;
            ++taken;
            height += static_cast<std::size_t>(subsets.level(index, j));
        }
        rounds[taken * heights + height].push_back(static_cast<Index>(index));
    }
    // The empty subset is one class of all records.
    tags.back() = lattice::base_holds;
    const auto whole = [&](std::int64_t index) {
        std::int64_t node = 0;
        for (std::size_t j = 0; j < attributes; ++j) {
            node += subsets.level(index, j) * search.shape().stride[j];
        }
        return static_cast<Index>(node);
    };
    for (std::size_t round = heights; round < rounds.size() && !search.over(); ++round) {
        const bool last = round / heights == attributes;
        std::vector<Index> asked;
        for (const Index index : rounds[round]) {
            bool holds = false, fails_without = false;
            for (std::size_t j = 0; j < attributes; ++j) {
                const int level = subsets.level(index, j);
                if (level == subsets.levels[j] - 1) continue;
                if (level > 0) {
                    holds |= tags[static_cast<std::size_t>(index - subsets.stride[j])] ==
                             lattice::base_holds;
                }
                const std::int64_t without =
                    index + (subsets.levels[j] - 1 - level) * subsets.stride[j];
                fails_without |= tags[static_cast<std::size_t>(without)] == lattice::fails;
            }
            if (holds) {
                tags[index] = lattice::base_holds;
            } else if (fails_without) {
                tags[index] = lattice::fails;
            } else {
                asked.push_back(index);
            }
            if (last && holds) search.set_holding(whole(index));
            if (last && !holds && fails_without) search.set_failing(whole(index));
        }
        for (std::size_t begin = 0; begin < asked.size() && !search.over();
             begin += TaggedSearch::chunk) {
            const std::size_t end = std::min(begin + TaggedSearch::chunk, asked.size());
            std::vector<Index> nodes;
            std::vector<Levels> levels;
            for (std::size_t i = begin; i < end; ++i) {
                nodes.push_back(whole(asked[i]));
                Levels node = subsets.node(asked[i]);
                for (std::size_t j = 0; j < attributes; ++j) {
                    if (left_out(asked[i], j)) node[j] = absent_level;
                }
                levels.push_back(std::move(node));
            }
            const std::vector<Judgement> found = search.judge_levels(levels);
            for (std::size_t i = 0; i < found.size(); ++i) {
                tags[asked[begin + i]] = found[i].base ? lattice::base_holds : lattice::fails;
                if (last) search.take(nodes[i], found[i]);
            }
        }
        control.report(0.9 * static_cast<double>(round) / static_cast<double>(rounds.size()));
    }
    return search.settle();
}

LatticeAnswer search_by_samarati(TaggedSearch& search, Control& control) {
    const auto rows = search.by_height();
    const bool infers = search.problem().infers_all();
    // Whether a node of that height is sound; where nothing is inferred every node is asked.
    const auto some_sound = [&](int height) {
        for (const Index node : rows[static_cast<std::size_t>(height)]) {
            if (infers && search.holds(node)) return true;
            if (!search.is_sound_candidate(node)) continue;
            const auto found = search.look({node});
            if (found.empty()) return false;
            if (found[0].sound) return true;
        }
        return false;
    };
    int low = 0, high = search.shape().top;
    while (low < high && !search.over()) {
        control.report(0.5 * low / std::max(high, 1));
        const int middle = infers ? (low + high) / 2 : low;
        if (some_sound(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Of the nodes of that height the best counts, whatever was met on the way.
    LatticeAnswer answer = search.best();
    if (search.over()) {
        answer.complete = false;
        return answer;
    }
    const std::vector<Index>& row = rows[static_cast<std::size_t>(high)];
    answer = LatticeAnswer{};
    for (std::size_t begin = 0; begin < row.size() && !search.over();
         begin += TaggedSearch::chunk) {
        std::vector<Index> some;
        for (std::size_t i = begin; i < std::min(begin + TaggedSearch::chunk, row.size()); ++i) {
            if (search.is_sound_candidate(row[i])) some.push_back(row[i]);
        }
        const auto found = search.look(some);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!found[i].sound || found[i].loss >= answer.loss) continue;
            answer.loss = found[i].loss;
            answer.node = search.shape().node(some[i]);
        }
    }
    answer.complete = !search.over();
    answer.checks = search.best().checks;
    if (answer.node.empty()) {
        answer.node = search.best().node;
        answer.loss = search.best().loss;
    }
    return answer;
}

// Searches in a way; asked to end, it answers with the best node so far.
template <class Way>
LatticeAnswer search_until_stopped(NodeJudge& judge, const LatticeBudget& budget, Control& control,
                                   Way way) {
    TaggedSearch search(judge, budget, control);
    try {
        return way(search, control);
    } catch (const Cancelled&) {
        if (control.abandoned()) throw;
    }
    LatticeAnswer answer = search.best();
    answer.complete = false;
    return answer;
}

}  // namespace

LatticeAnswer ola(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    return search_until_stopped(judge, budget, control, search_by_ola);
}

LatticeAnswer flash(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    return search_until_stopped(judge, budget, control, search_by_flash);
}

LatticeAnswer incognito(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    return search_until_stopped(judge, budget, control, search_by_incognito);
}

LatticeAnswer samarati(NodeJudge& judge, const LatticeBudget& budget, Control& control) {
    return search_until_stopped(judge, budget, control, search_by_samarati);
}

}  // namespace shoal
