"""`sorted`: the quickest feasible solution, consecutive runs of the sorted records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.ordering import ORDER, Order, sorted_rows
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "sorted",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Sort the records, attributes of least variance first, and cut runs of k.",
        use_when="you need a first feasible release, or a yardstick that every other algorithm "
        "should beat",
        cost="n log n",
        paper="Liang & Samavi, Optimization-based k-anonymity algorithms: initial solution",
    ),
)
class SortedRuns:
    """Consecutive runs of k records in sorted order; the last run takes the rest.

    The idea: records that are neighbours in lexicographic order agree in the attributes that are
    compared first. Attributes of small variance come first: they have few values, so a class that
    mixes them loses most. Time is O(n log n), memory O(n). Classes have k to 2k - 1 records;
    nothing is guaranteed about their loss. Exact and local-search algorithms start from it. It
    optimizes nothing and would make the same classes under any measure, so it takes none but the
    default.
    """

    order: Order = Field(default="ranks", description=ORDER)

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the runs as classes."""
        return complete(
            problem, run, lambda subproblem: _runs(subproblem, sorted_rows(subproblem, self.order))
        )


def _runs(problem: Problem, order: NDArray[np.int32]) -> Partition:
    counts = problem.counts[order].astype(np.int64)
    ends = np.cumsum(counts)
    last = problem.n // problem.k - 1
    # A row whose records straddle a cut has an entry in each of the classes it reaches into.
    first_class = np.minimum((ends - counts) // problem.k, last)
    final_class = np.minimum((ends - 1) // problem.k, last)
    entries = final_class - first_class + 1
    rows = np.repeat(order, entries)
    offset = np.arange(entries.sum()) - np.repeat(np.cumsum(entries) - entries, entries)
    classes = np.repeat(first_class, entries) + offset
    run_end = np.where(classes == last, problem.n, (classes + 1) * problem.k)
    upper = np.minimum(np.repeat(ends, entries), run_end)
    lower = np.maximum(np.repeat(ends - counts, entries), classes * problem.k)
    return Partition.of(rows, classes, upper - lower)
