"""Better divisions from the relaxation: its surest classes stay, the others are searched again."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.columns import joined
from shoal.algorithms.exact.optimal.divisions import columns_of
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from shoal.algorithms.exact.optimal.columns import Columns
    from shoal.algorithms.exact.optimal.search import Converged, Search
    from shoal.algorithms.run import Run

# Classes of at least this value in the relaxation stay: none at first, then more and more.
STAYING = (inf, 0.9, 0.8, 0.7, 0.6, 0.51)
# Of what was spent so far, half as much after each time in vain; and no more than half of what is
# left.
SHARE = 0.25
LEAST_SHARE = 0.02
MOST = 0.5


def round_now_and_then(search: Search[Partition], now: Converged) -> None:
    """Round the relaxation of a part if less than a share of the time went into that so far."""
    share = max(LEAST_SHARE, SHARE / 2**search.rounded_in_vain)
    if search.rounding < share * _spent(search):
        upper = search.upper
        round_by_search(search, now, share)
        search.rounded_in_vain = 0 if search.upper < upper else search.rounded_in_vain + 1


def round_by_search(search: Search[Partition], now: Converged, share: float = 1.0) -> None:
    """Look for better divisions, for a share of what it took to come this far.

    The first divisions came quickly, so that what is easy is proved at once. What is not gains most
    from a better one, which shortens every list that follows. The relaxation is mostly right where
    it is sure, and what it leaves open is small enough for a local search to do well.
    """
    if now.solution is None:
        return
    values = now.solution.values[search.program.ways_out :]
    columns = search.relaxation.columns.take(np.arange(len(values)))
    offered = [columns.take(values > 0)]
    before = _spent(search)
    each = min(share * before, MOST * _left(search)) / len(STAYING)
    seeds = np.random.SeedSequence((search.run.seed, search.searched)).generate_state(len(STAYING))
    for least, seed in zip(STAYING, seeds.tolist(), strict=True):
        if search.closed:
            break
        # The loss that a watcher sees is that of the whole, not of a part.
        whole = search.run.budget
        own = whole.fresh(seconds=each) if whole.steps is None else whole.fresh(steps=int(each))
        run = search.run.child(own, seed=seed, control=search.run.control.child())
        division = _completed(search, columns.take(values >= least), run)
        search.searched += run.control.steps
        if division is not None:
            offered.append(columns_of(division, search.generator))
            search.offer(offered[-1])
        search.spend()
    # What is good in each of them, and in the relaxation, together.
    search.choose(joined(offered), Branches.none(), heuristics=True)
    search.rounding += _spent(search) - before


def _spent(search: Search[Partition]) -> float:
    """Return steps or seconds, whichever is limited."""
    if search.left() is not None:
        return float(search.steps)
    return search.run.budget.seconds_spent


def _left(search: Search[Partition]) -> float:
    left = search.left()
    return search.run.remaining() if left is None else float(left)


def _completed(search: Search[Partition], staying: Columns, run: Run) -> Partition | None:
    """Return some classes and the best ones found for all other records; ``None`` if none fit."""
    problem = search.problem
    held = np.bincount(staying.rows, staying.counts, minlength=problem.rows).astype(np.int32)
    left = problem.counts - held
    rows = np.flatnonzero(left)
    if (left < 0).any() or 0 < left.sum() < problem.k:
        return None
    if not len(rows):
        return Partition.of(staying.rows, staying.owners, staying.counts)
    subproblem = replace(problem.part(rows, left[rows]), models=(), protected=())
    found = solve_partition("refine", subproblem, run)
    return Partition.of(
        np.concatenate([staying.rows, rows[found.rows]]),
        np.concatenate([staying.owners, len(staying) + found.classes]),
        np.concatenate([staying.counts, found.counts]),
    )
