"""`flash`: greedy paths halved by binary search. Kernel: cpp/src/lattice/lattice_search.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "flash",
    family=Family.LATTICE,
    traits=Traits(
        summary="Walk greedy paths up the lattice, halve each, and find the best node.",
        use_when="you need the optimal full-domain release and the lattice has up to a few million "
        "nodes",
        cost="a small part of the nodes",
        paper="Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity, 2012",
        optimal=True,
        anytime=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        whole_lattice=True,
    ),
)
class Flash:
    """The best node comes back, optimal by proof.

    The idea: from each open node, lowest first, a path leads upwards through open nodes, always to
    the one with the least lower bound. Binary search finds where on the path nodes become feasible,
    and other nodes are tagged accordingly, as in `ola`. Then nodes are judged in order of their
    lower bound until none can win. A few paths are halved at once so that threads share the work;
    their number does not depend on the threads, so neither does the answer. Memory is one byte per
    node, for up to 67 million nodes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node."""
        return LatticeTask.of(problem).search("flash", run)
