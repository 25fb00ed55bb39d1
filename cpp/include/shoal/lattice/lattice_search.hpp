// Searches of a whole lattice for the best sound node.
#pragma once

#include "shoal/lattice/lattice.hpp"

namespace shoal {

// More nodes than this are not searched whole.
inline constexpr std::int64_t most_lattice_nodes = std::int64_t{1} << 26;

// Number of nodes, or of nodes of all subsets of attributes; most_lattice_nodes + 1 if there are
// more than that.
std::int64_t lattice_nodes(const LatticeProblem& problem, bool subsets);

// All of them end with the same least loss: what tagging leaves open is judged in order of its
// lower bound. Nodes whose lower bound is no better than the best node are left out throughout.
LatticeAnswer ola(NodeJudge& judge, const LatticeBudget& budget, Control& control);
LatticeAnswer flash(NodeJudge& judge, const LatticeBudget& budget, Control& control);
LatticeAnswer incognito(NodeJudge& judge, const LatticeBudget& budget, Control& control);
// The least loss among the nodes of least height.
LatticeAnswer samarati(NodeJudge& judge, const LatticeBudget& budget, Control& control);

}  // namespace shoal
