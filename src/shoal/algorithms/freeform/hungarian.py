"""`ff-hungarian`: optimal assignments, round by round.

Kernel: cpp/src/cover/cover_assignments.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from shoal.algorithms.algorithm import Family, algorithm
from shoal.algorithms.freeform.covering import PARTITION, SYMMETRIC, complete, paper_traits
from shoal.algorithms.freeform.kernel_covers import cover_by, pair_by

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "ff-hungarian",
    family=Family.FREEFORM,
    traits=paper_traits(
        "section 7",
        summary="Round by round, the perfect matching of least added loss.",
        use_when="you compare freeform algorithms on a few thousand records",
        cost="k n² for scans and augmenting paths between near records",
    ),
)
class FreeformHungarian:
    """k - 1 rounds; in each, an assignment of originals to released records of least added loss.

    The idea: the paper solves each round with the Hungarian algorithm on a matrix of n x n costs.
    Here each released record has a list of its 32 cheapest originals. Shortest augmenting paths run
    over these lists, and a scan of all pairs at the prices found adds those that would help; if
    none would, the assignment is optimal over all pairs. Time is about k n² with a small constant
    on real tables (k n³ at worst), memory O(n (k + m + 32)).

    The symmetric form assigns by what both sides lose, and takes every second pair along the cycles
    of the assignment, the cheaper half. Without odd cycles that is the best pairing; each odd cycle
    leaves one record over, and these are paired cheapest first. From k > n / 2 on, all are.
    """

    symmetric: bool = Field(default=False, description=SYMMETRIC)
    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the cover."""
        solve = pair_by("symmetric-assignments") if self.symmetric else cover_by("assignments")
        return complete(problem, run, solve, self.partition, polish=not self.symmetric)
