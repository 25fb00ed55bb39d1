"""Covers of least loss as a choice of sets: which k records stand together, and how often.

What a released record loses depends on the k records that it covers, not on whose it is; and in
every graph where all nodes have k edges each released record can be given the name of one that it
covers. So the best cover is the cheapest choice of sets of k records that holds every record k
times: one row for each distinct record, one column for each set. Its relaxation is so tight that
the solver hardly ever has to branch, where the paper's program cannot prove 14 records at k = 3.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.records import records_without, restricted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Records of all sets together; where k is large, memory ends before the number of sets does.
MOST_ENTRIES = 20_000_000


def sets_at_most(problem: Problem, limit: int) -> bool:
    """Return whether all sets can be listed without having more than ``limit`` at any time."""
    counts, k = problem.counts.tolist(), problem.k
    if math.comb(len(counts), min(k, len(counts) // 2)) > limit:
        return False
    number = [1] + [0] * k  # of sets of each size, made of the rows so far
    for count in counts:
        below = [0, *accumulate(number)]
        number = [below[size + 1] - below[max(0, size - count)] for size in range(k + 1)]
    return max(number) <= min(limit, MOST_ENTRIES // k)


def list_sets(problem: Problem) -> NDArray[np.int64]:
    """Return every set of k records, as distinct rows ascending; equal sets of records once."""
    counts = problem.counts.astype(np.int64)
    sets = np.arange(len(counts))[:, None]
    repeated = np.ones(len(sets), dtype=np.int64)  # times that the last row stands at the end
    for _ in range(problem.k - 1):
        last = sets[:, -1]
        first = np.where(repeated < counts[last], last, last + 1)
        number = len(counts) - first
        parent = np.repeat(np.arange(len(sets)), number)
        begin = np.cumsum(number) - number
        added = first[parent] + np.arange(len(parent)) - begin[parent]
        repeated = np.where(added == last[parent], repeated[parent] + 1, 1)
        sets = np.column_stack([sets[parent], added])
    return sets


def loss_of_sets(problem: Problem, sets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the closure of each set loses."""
    starts = np.arange(len(sets), dtype=np.int64) * sets.shape[1]
    return problem.losses(sets.ravel(), starts)


def times_of_sets(sets: NDArray[np.int64], members: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how often each set of the list is released by a cover of rows."""
    place = {tuple(rows): i for i, rows in enumerate(sets.tolist())}
    times = np.zeros(len(sets))
    for rows in np.sort(members.reshape(-1, sets.shape[1]), axis=1).tolist():
        times[place[tuple(rows)]] += 1
    return times


def cover_of_sets(
    problem: Problem, sets: NDArray[np.int64], out: NDArray[np.int64], run: Run
) -> Cover | None:
    """Return the cover that releases these sets of rows; ``None`` if they make up none.

    Parameters
    ----------
    sets
        The k rows of each released record.
    out
        How many records of each row are suppressed.
    """
    left = problem.counts - out
    held = np.bincount(sets.ravel(), minlength=problem.rows)
    if (held != problem.k * left).any() or out.sum() > problem.suppression_limit:
        return None
    # No released record covers an original twice: where records of a row are suppressed, a set may
    # hold fewer of them than the table has.
    owners = np.repeat(np.arange(len(sets)), problem.k)
    cells, times = np.unique(owners * problem.rows + sets.ravel(), return_counts=True)
    if (times > left[cells % problem.rows]).any():
        return None
    records = records_without(problem, out, run)
    rows = np.searchsorted(np.flatnonzero(left), sets.ravel()).astype(np.int32)
    return Cover(records, Cover.of_rows(restricted(problem, records), rows).matches)
