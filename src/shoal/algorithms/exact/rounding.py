"""Better divisions from the relaxation: its surest classes stay, the others are sought anew."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import divide
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import Run

if TYPE_CHECKING:
    from shoal.algorithms.exact.columns import Columns
    from shoal.algorithms.exact.search import Converged, Search

# Classes of at least this value in the relaxation stay: none at first, then more and more.
STAYING = (inf, 0.9, 0.8, 0.7, 0.6, 0.51)
# Of what is left of the budget, all of this takes at most so much.
MOST = 0.3


def round_by_search(search: Search, now: Converged) -> None:
    """Look for better divisions, for as long as it took to come this far.

    The first divisions came quickly, so that what is easy is proved at once. What is not gains most
    from a better one now, which shortens every list that follows. The relaxation is mostly right
    where it is sure, and what it leaves open is small enough for a local search to do well.
    """
    if now.solution is None:
        return
    values = now.solution.values[search.program.ways_out :]
    columns = search.relaxation.columns.take(np.arange(len(values)))
    steps, seconds = _budget(search)
    for least in STAYING:
        if search.closed:
            return
        # The loss that a watcher sees is that of the whole, not of a part.
        control = search.run.control.child()
        run = Run(search.run.seed, search.run.threads, seconds, steps, control)
        division = _completed(search, columns.take(values >= least), run)
        search.searched += control.steps
        if division is not None:
            search.offer(division)
        search.spend()


def _budget(search: Search) -> tuple[int | None, float | None]:
    """Return steps or seconds for each search."""
    left = search.left()
    if left is not None:
        return min(search.steps, int(MOST * left)) // len(STAYING), None
    run = search.run
    spent = (run.seconds or 0.0) - run.remaining()
    return None, min(spent, MOST * run.remaining()) / len(STAYING)


def _completed(search: Search, staying: Columns, run: Run) -> Partition | None:
    """Return some classes and the best ones found for all other records; ``None`` if none fit."""
    problem = search.problem
    held = np.bincount(staying.rows, staying.counts, minlength=problem.rows).astype(np.int32)
    left = problem.counts - held
    rows = np.flatnonzero(left)
    if (left < 0).any() or 0 < left.sum() < problem.k:
        return None
    if not len(rows):
        return Partition.of(staying.rows, staying.owners, staying.counts)
    asked = replace(problem.part(rows, left[rows]), models=(), protected=())
    found = divide("refine", asked, run)
    return Partition.of(
        np.concatenate([staying.rows, rows[found.rows]]),
        np.concatenate([staying.owners, len(staying) + found.classes]),
        np.concatenate([staying.counts, found.counts]),
    )
