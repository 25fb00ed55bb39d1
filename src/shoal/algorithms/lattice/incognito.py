"""`incognito`: subsets of attributes first. Kernel: cpp/src/lattice/lattice_search.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "incognito",
    family=Family.LATTICE,
    traits=Traits(
        summary="Rule nodes out by subsets of the attributes, then find the best of the rest.",
        use_when="you compare full-domain searches; `flash` finds the same optimum sooner",
        cost="nodes of the lattices of all subsets, at worst",
        paper="LeFevre et al., Incognito: efficient full-domain k-anonymity, SIGMOD 2005",
        optimal=True,
        anytime=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        whole_lattice=True,
    ),
)
class Incognito:
    """The best node comes back, optimal by proof.

    The idea: levels that are infeasible for some of the attributes are infeasible for all of them.
    So the lattices of single attributes, of pairs and so on are searched upwards, and a node is
    judged only if every smaller subset allows it. Nodes above a feasible one are feasible. The
    remaining nodes are judged in order of their lower bound, since suppressed records count in the
    loss and the best node may lie above a minimal one. Up to 67 million nodes of all subsets
    together.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node."""
        return LatticeTask.of(problem).search("incognito", run)
