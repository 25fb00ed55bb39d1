"""`ff-sortgreedy`: greedy matchings in global order. Kernel: cpp/src/cover_sorted.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.freeform.covering import (
    PAPER,
    PARTITION,
    WITHOUT_MODELS,
    complete,
    cover_by,
)

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "ff-sortgreedy",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Round by round, pairs of record and original in ascending order of cost.",
        cost="k n² + k n log n",
        paper=f"{PAPER}, algorithm 2",
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
    ),
)
class FreeformSortGreedy:
    """k - 1 rounds; in each, the cheapest pair whose both sides are free is taken again and again.

    The idea: a pair that costs little is not spoiled by a record that happens to come first. The
    order of all pairs is never listed: each released record knows its next cheapest originals,
    and a heap the least of all. Who is left without any gets one by exchange, as in `ff-greedy`.
    Time O(k n²) over distinct rows for the scans, memory O(n (k + m)).
    """

    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover:
        """Return the cover."""
        return complete(problem, run, cover_by("sorted"), self.partition)
