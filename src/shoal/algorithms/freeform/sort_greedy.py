"""`ff-sortgreedy`: greedy matchings in global order. Kernel: cpp/src/cover/cover_sorted.cpp."""

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
    "ff-sortgreedy",
    family=Family.FREEFORM,
    traits=paper_traits(
        "algorithm 2",
        summary="Round by round, pairs of record and original in ascending order of cost.",
        use_when="you compare freeform algorithms; `ff-refine` loses less",
        cost="k n² + k n log n",
    ),
)
class FreeformSortGreedy:
    """k - 1 rounds; in each, the cheapest pair whose both sides are free is taken again and again.

    The idea: a cheap pair is not spoiled by a record that happens to come first. The pairs are
    never listed in full: each released record knows its next cheapest originals, and a heap the
    least of all. A record left without a partner gets one by exchange, as in `ff-greedy`. Time is
    O(k n²) over distinct rows for the scans, memory O(n (k + m)). The symmetric form takes pairs of
    records that cover each other, cheapest for both first, so it loses more.
    """

    symmetric: bool = Field(default=False, description=SYMMETRIC)
    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the cover."""
        solve = pair_by("symmetric") if self.symmetric else cover_by("sorted")
        return complete(problem, run, solve, self.partition, polish=not self.symmetric)
