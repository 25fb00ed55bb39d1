"""`ff-greedy`: greedy matchings, round by round. Kernel: cpp/src/cover/cover.cpp."""

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
    "ff-greedy",
    family=Family.FREEFORM,
    traits=paper_traits(
        "algorithm 1",
        summary="Round by round, each released record takes the original that costs it least.",
        cost="k n², a vectorised scan each",
    ),
)
class FreeformGreedy:
    """k - 1 rounds; in each, every released record takes one more original that no other took.

    The idea: released records stand in lexicographic order, attributes of few values first, and
    each takes the free original by which its closure grows least. Where only originals are left
    that it holds already, the nearest record before it hands on its own and takes another
    (Lemma 5.1 of the paper; from k = (n + 3) / 2 on, a chain of such exchanges). The paper lets
    originals choose released records; here it is the other way round, so that the tables of one
    closure serve a whole scan. Time O(k n²) over distinct rows, memory O(n (k + m)).
    """

    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    def solve(self, problem: Problem, run: Run) -> Cover:
        """Return the cover."""
        return complete(problem, run, cover_by("greedy"), self.partition)
