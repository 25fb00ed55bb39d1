"""The least that freeform releases lose because records require more than the common k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# More than any rounding of the sums below.
_ROUNDING = 1e-9


def bound_by_nearest(problem: Problem, ks: NDArray[np.int64], run: Run) -> float:
    """Return a loss per record that no freeform release goes below in which records hide among ks.

    The idea: let p(i, j) be the chance that released record j is that of original i; it is at most
    1/k(i), and all chances of a record, released or original, sum to 1. So all records together
    lose the sum of p(i, j) times the loss of j. A released record that can be that of i and of l
    loses at least the pair's loss d(i, l), hence at least the mean of d(i, l) by its chances
    p(l, j). Summed over j, original l counts for i at most 1/k(i), and all of them 1: original i
    accounts for no less than the mean of d(i, l) over the k(i) originals nearest to it, itself
    among them. Suppressed records lose 1, which is no less.

    Rows that there is no time for count as nothing, so that the bound holds in any case. Time
    O(n²·m), memory O(n·m).

    Parameters
    ----------
    ks
        The k of each row.
    """
    total = 0.0
    every = np.arange(problem.rows)
    pairs = np.empty(2 * problem.rows, dtype=np.int64)
    starts = 2 * every.astype(np.int64)
    for row in np.argsort(-ks, kind="stable").tolist():
        if run.remaining() <= 0:
            break
        pairs[0::2], pairs[1::2] = row, every
        losses = problem.losses(pairs, starts)
        nearest = np.argsort(losses, kind="stable")
        before = np.cumsum(problem.counts[nearest]) - problem.counts[nearest]
        taken = np.clip(ks[row] - before, 0, problem.counts[nearest])
        total += problem.counts[row] * float(taken @ losses[nearest]) / float(ks[row])
    return max(0.0, total / problem.n - _ROUNDING)
