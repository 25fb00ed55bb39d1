"""A start for many records: pieces of a Hilbert curve, while they lose less than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.cluster.hilbert import coordinates
from shoal.algorithms.constants import CURVE_DOUBT, CURVE_PIECES, PIECE_CLASSES, WORTH_LITTLE
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Entries = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]

FASTEST = "mondrian"


def divide_along_curve(problem: Problem, best: Partition, run: Run, seconds: float) -> Partition:
    """Return the classes of `hilbert`, piece by piece, or those given if they lose as little.

    After each piece its rows are compared with what they lose in the classes given, so that a curve
    that does not suit the table takes little time. Once time is up, `mondrian` divides the rows
    that are left. The problem must have no models.

    Parameters
    ----------
    best
        The classes to beat.
    seconds
        After these, no further piece is divided.
    """
    clock = run.budget.clock
    until = clock() + seconds
    axes, bits = coordinates(problem, rescale=True)
    order = np.asarray(kernels.hilbert_order(axes, bits, run.control))
    lost = _lost_by_row(problem, best)
    pieces = _pieces(problem, order)
    # Pieces from all over the table, so that the first ones tell about the others.
    turns = [pieces[place] for place in np.random.default_rng(0).permutation(len(pieces))]
    found: list[Entries] = []
    total = other = 0.0
    while turns and (not found or clock() < until):
        run.check()
        rows = turns.pop()
        entries, own = _best_runs(problem, rows, run)
        found.append(entries)
        total, other = total + own, other + float(lost[rows].sum())
        if total > (WORTH_LITTLE + CURVE_DOUBT / len(found)) * other:
            return best
    if turns:
        rest = np.concatenate(turns)
        cut = solve_partition(FASTEST, problem.part(rest, problem.counts[rest]), run.child())
        found.append((rest[cut.rows], cut.classes, cut.counts))
    return _joined(found)


def _pieces(problem: Problem, order: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return consecutive parts of the line, each of several classes at least."""
    ends = np.cumsum(problem.counts[order])
    size = max(problem.n / CURVE_PIECES, PIECE_CLASSES * problem.k)
    number = max(1, int(problem.n / size))
    inner = np.searchsorted(ends, problem.n * np.arange(1, number) / number) + 1
    pieces = np.split(order, np.unique(inner))
    # Many equal records may leave a piece too few.
    enough = all(problem.counts[rows].sum() >= problem.k for rows in pieces)
    return pieces if enough else [order]


def _best_runs(problem: Problem, rows: NDArray[np.int32], run: Run) -> tuple[Entries, float]:
    """Return the best classes along a line of rows, and what they lose."""
    part = problem.part(rows, problem.counts[rows])
    objective, line = part.objective(), np.arange(len(rows), dtype=np.int32)
    entries, classes, counts = kernels.optimal_runs(objective, line, part.k, run.control)
    totals = objective.totals(entries, classes, counts, int(classes.max()) + 1)
    return (rows[entries], classes, counts), float(np.asarray(totals).sum())


def _lost_by_row(problem: Problem, partition: Partition) -> NDArray[np.float64]:
    """Return what all records of each row lose together."""
    totals = problem.objective().totals(
        partition.rows, partition.classes, partition.counts, partition.number
    )
    shares = (np.asarray(totals) / partition.sizes)[partition.classes] * partition.counts
    lost = np.bincount(partition.rows, shares, minlength=problem.rows)
    return np.asarray(lost, dtype=np.float64)


def _joined(parts: list[Entries]) -> Partition:
    numbers = np.cumsum([0, *(classes.max(initial=-1) + 1 for _, classes, _ in parts)])
    return Partition.of(
        np.concatenate([rows for rows, _, _ in parts]),
        np.concatenate([part[1] + first for part, first in zip(parts, numbers, strict=False)]),
        np.concatenate([counts for _, _, counts in parts]),
    )
