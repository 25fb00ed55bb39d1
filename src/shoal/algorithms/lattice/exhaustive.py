"""`exhaustive`: every node of the lattice. Kernel: cpp/src/lattice/lattice.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "exhaustive",
    family=Family.LATTICE,
    traits=Traits(
        summary="Judge every combination of levels and keep the best.",
        use_when="you need a yardstick for other full-domain searches and the lattice is small",
        cost="nodes x classes of the node a step below",
        paper="The brute force of the KGen paper (De Pascale et al.)",
        optimal=True,
        anytime=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        whole_lattice=True,
    ),
)
class Exhaustive:
    """Every node is judged, and the best feasible one comes back; optimal by exhaustion.

    The idea: nothing is inferred and nothing skipped, which makes it the yardstick for the other
    searches. The classes of each node are merged from those of the node one step below it, so a
    node costs as much as that one has classes. Threads share the lattice. Up to 67 million nodes;
    if stopped by its budget, it returns the best node so far and claims nothing.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node."""
        return LatticeTask.of(problem).search("exhaustive", run)
