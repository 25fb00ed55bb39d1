"""`ola`: optimal lattice anonymization. Kernel: cpp/src/lattice/lattice_search.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "ola",
    family=Family.LATTICE,
    traits=Traits(
        summary="Halve the heights of the lattice, tag what follows, and find the best node.",
        use_when="you compare full-domain searches; `flash` finds the same optimum sooner",
        cost="a small part of the nodes",
        paper="El Emam et al., A globally optimal k-anonymity method, JAMIA 2009",
        optimal=True,
        anytime=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        whole_lattice=True,
    ),
)
class Ola:
    """The best node comes back, optimal by proof.

    The idea: nodes of middle height are judged first. Above a feasible node all are feasible, below
    an infeasible one none is, so each half is left with few open nodes and is halved again. Because
    suppressed records count in the loss, the best node may lie above a minimal feasible one, so
    nodes are then judged in order of their lower bound until none can win. Nodes whose lower bound
    is no better than the best node are skipped throughout. Threads share the nodes of one height.
    Up to 67 million nodes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node."""
        return LatticeTask.of(problem).search("ola", run)
