"""`samarati`: least height by binary search. Kernel: cpp/src/lattice/lattice_search.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask
from shoal.algorithms.suppression import search_with_and_without

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "samarati",
    family=Family.LATTICE,
    traits=Traits(
        summary="Find the least feasible height by binary search, and its best node.",
        use_when="you want the least height of generalization rather than the least loss",
        cost="nodes of about log2(height) heights",
        paper="Samarati, Protecting respondents' identities in microdata release, 2001",
        optimal=False,
        anytime=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        whole_lattice=True,
    ),
)
class Samarati:
    """The best of the nodes of least height comes back; optimal for the measure `height` alone.

    The idea: if a height has a feasible node, so has every greater one, so binary search finds the
    least such height. Some models cannot be inferred from one node to those above it (entropy,
    frequency and closeness if records may be suppressed); heights are then tried one by one. Of the
    nodes of that height, the one of least loss is taken. Up to 67 million nodes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node of the least height that has a sound one."""

        def search(subproblem: Problem, run: Run) -> tuple[Levels, float]:
            task = LatticeTask.of(subproblem)
            found = task.search("samarati", run)
            return found, float(task.judge(np.array([found.node]), run).loss[0])

        # A greater height at which nobody is suppressed may lose less in all.
        return search_with_and_without(problem, run, search)
