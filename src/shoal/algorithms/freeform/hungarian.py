"""`ff-hungarian`: optimal assignments, round by round.

Kernel: cpp/src/cover/cover_assignments.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from shoal.algorithms.algorithm import Family, algorithm
from shoal.algorithms.freeform.covering import PARTITION, complete, paper_traits
from shoal.algorithms.freeform.kernel_covers import cover_by

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "ff-hungarian",
    family=Family.FREEFORM,
    traits=paper_traits(
        "section 7",
        summary="Round by round, the perfect matching of least added loss.",
        cost="k n² for scans and augmenting paths between near records",
    ),
)
class FreeformHungarian:
    """k - 1 rounds; in each, an assignment of originals to released records of least added loss.

    The idea: the paper solves each round with the Hungarian algorithm on a matrix of n x n costs.
    Here each released record has a list of its 32 cheapest originals, shortest augmenting paths
    run over these lists, and a scan of all pairs at the prices found adds those that would help;
    when none would, the assignment is optimal over all pairs. Time about k n² with a small
    constant on real tables (k n³ at worst), memory O(n (k + m + 32)).
    """

    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover:
        """Return the cover."""
        return complete(problem, run, cover_by("assignments"), self.partition)
