"""How long a start takes on this table and this machine, from slices of its rows."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.constants import (
    DOUBTFUL_SHARES,
    LEAST_SLICES,
    MOST_DOUBTFUL_SHARE,
    MOST_SLICE_SHARE,
    MOST_SLICES,
    SLICE_CLASSES,
    SLICE_GROWTH,
    SLICE_ROWS,
    SLICE_SHARE,
    TELLING_CLASSES,
    USUAL_START,
)
from shoal.algorithms.run import ExpiredError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that an algorithm takes: a term per row, and one per pair of rows.

    Parameters
    ----------
    row, pair
        Seconds for each row, and for each pair of rows.

    Examples
    --------
    >>> Cost(1e-6, 1e-9).seconds(10_000)
    0.11
    """

    row: float
    pair: float

    @classmethod
    def of_slices(cls, rows: int, half: float, whole: float) -> Cost:
        """Return the cost that fits two slices.

        Parameters
        ----------
        rows
            Rows of the smaller slice; the larger has twice as many.
        half, whole
            Seconds that the smaller and the larger took.

        Examples
        --------
        >>> Cost.of_slices(1000, 2.0, 8.0)
        Cost(row=0.0, pair=2e-06)
        >>> Cost.of_slices(1000, 2.0, 4.0)
        Cost(row=0.002, pair=0.0)
        """
        pair = min(max(0.0, whole - 2 * half), whole / 2) / (2 * rows**2)
        return cls(max(0.0, whole / (2 * rows) - 2 * rows * pair), pair)

    def seconds(self, rows: int) -> float:
        """Return how long it takes on so many rows."""
        return self.row * rows + self.pair * rows**2

    def rows_of_cell(self, rows: int, seconds: float) -> int:
        """Return how large cells may be so that all rows, cell by cell, take so many seconds.

        >>> Cost(0.0, 1e-9).rows_of_cell(100_000, 1.0)
        10000
        """
        left = max(0.0, seconds - self.row * rows)
        return rows if self.pair == 0.0 else min(rows, round(left / (self.pair * rows)))


def calibrate(name: str, problem: Problem, run: Run, seconds: float) -> Cost:
    """Return what an algorithm costs on rows of this table, measured in a little of the time.

    Models are left out: what a repair takes does not follow from a slice.

    Parameters
    ----------
    seconds
        How much time there is in all.
    """
    order = np.random.default_rng(0).permutation(problem.rows).astype(np.int32)
    took: list[float] = []
    clock = run.budget.clock
    rows, passed, began = SLICE_ROWS, 0.0, clock()
    # A slice that is stopped tells nothing, but those before it do.
    with suppress(ExpiredError), run.at_most(MOST_SLICE_SHARE * seconds):
        while LEAST_SLICES * rows <= problem.rows or (took and 2 * rows <= problem.rows):
            spent = clock() - began
            if len(took) >= 2 and spent > SLICE_SHARE * seconds:
                likely = Cost.of_slices(rows // 4, took[-2], took[-1]).seconds(problem.rows)
                is_doubtful = DOUBTFUL_SHARES[0] < likely / seconds < DOUBTFUL_SHARES[1]
                fits = spent + SLICE_GROWTH * took[-1] < MOST_DOUBTFUL_SHARE * seconds
                if name != USUAL_START or not is_doubtful or not fits:
                    break
            chosen = order[:rows]
            whole = problem.part(chosen, problem.counts[chosen])
            # Of large classes, a slice has as many as the table, not as large.
            scaled = max(problem.k * rows // problem.rows, whole.n // SLICE_CLASSES)
            part = replace(whole, k=min(whole.k, scaled), models=(), protected=())
            alone = run.child(seed=0, threads=1, control=run.control.child())
            begun, work = clock(), time.thread_time()
            solve_partition(name, part, alone)
            took.append(time.thread_time() - work)
            passed += clock() - begun
            rows *= 2
    if problem.rows < LEAST_SLICES * SLICE_ROWS:
        return Cost(0.0, 0.0)
    if not took:
        return Cost(0.0, inf)
    # Waits on a busy machine would blur how time grows with rows; all slices together tell how
    # many wall seconds a second of work takes.
    busy = max(1.0, passed / max(sum(took), 1e-9))
    if len(took) == 1:
        return Cost(0.0, busy * took[0] / SLICE_ROWS**2)
    return Cost.of_slices(rows // 4, busy * took[-2], busy * took[-1])


def loss_beside(
    name: str, problem: Problem, cut: Partition, run: Run, seconds: float
) -> float | None:
    """Return what an algorithm loses as a share of what the classes of a cut lose.

    Both are compared on neighbouring classes of the cut, which are as dense as the table, and large
    enough for its k. Nothing is told where these are few or have too many rows, or where time is
    short.

    Parameters
    ----------
    cut
        Classes of the table that follow each other as they lie beside each other.
    seconds
        How much time there is in all.
    """
    objective = problem.objective()
    own = other = 0.0
    classes = 0
    with suppress(ExpiredError), run.at_most(MOST_SLICE_SHARE * seconds):
        for begin in (len(cut.rows) // 4, 3 * len(cut.rows) // 4):
            end = min(begin + SLICE_ROWS, len(cut.rows) - 1)
            chosen = (cut.classes >= cut.classes[begin]) & (cut.classes <= cut.classes[end])
            if np.count_nonzero(chosen) > MOST_SLICES * SLICE_ROWS:
                return None
            rows, counts = cut.rows[chosen], cut.counts[chosen]
            part = replace(problem.part(rows, counts), models=(), protected=())
            alone = run.child(seed=0, threads=1, control=run.control.child())
            found = solve_partition(name, part, alone)
            classes += int(cut.classes[end] - cut.classes[begin]) + 1
            own += _total(objective, rows[found.rows], found.classes, found.counts)
            other += _total(objective, rows, cut.classes[chosen] - cut.classes[begin], counts)
        if classes < TELLING_CLASSES:
            return None
        return own / other if other > 0 else 1.0
    return None


def _total(
    objective: kernels.Objective,
    rows: NDArray[np.int32],
    classes: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> float:
    number = int(classes.max()) + 1
    return float(np.asarray(objective.totals(rows, classes, counts, number)).sum())
