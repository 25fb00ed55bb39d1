"""`ff-mincost`: one flow of least cost. Kernel: cpp/src/cover/cover_assignments.cpp."""

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
    "ff-mincost",
    family=Family.FREEFORM,
    traits=paper_traits(
        "section 8",
        summary="All further originals of every record at once, by a flow of least pairwise loss.",
        use_when="you compare freeform algorithms, or want a good cover in one pass",
        cost="a flow of k n units over a sparse graph",
    ),
)
class FreeformMinCost:
    """One k-regular graph whose pairs are closest in sum, each pair taken by itself.

    The idea: a flow of least cost, with the costs of the first round: the loss of the closure of
    two records. At k = 2 that is the loss, and the result is optimal; beyond, it ignores that
    originals share a closure. It uses shortest augmenting paths over lists of near records, with a
    scan of all pairs at the end, as `ff-hungarian` does.

    The symmetric form keeps the pairs that both sides have chosen. Of those that only one side has
    chosen, it keeps every second along closed walks, the cheaper half, so that their sum does not
    grow. A walk of odd length leaves one record a partner short, which exchanges make up for.
    """

    symmetric: bool = Field(default=False, description=SYMMETRIC)
    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the cover."""
        solve = pair_by("symmetric-flow") if self.symmetric else cover_by("flow")
        return complete(problem, run, solve, self.partition, polish=not self.symmetric)
