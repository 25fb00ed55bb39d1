"""Better covers from the relaxation: sets that it uses stay, the rest is chosen again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.highs import SolverFailedError
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.choosing import choose
from shoal.algorithms.exact.optimal.columns import Cuts, joined
from shoal.algorithms.exact.optimal.master import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.cover import Cover
    from shoal.algorithms.exact.optimal.columns import Columns
    from shoal.algorithms.exact.optimal.search import Converged, Search

# Sets that are listed for each row, and of the gap, the reduced cost up to which they are: the
# first of these shares whose list is not too long.
LISTED = 20
SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
NODES = 200
WHOLE = 1e-6


def complete_what_is_sure(search: Search[Cover], now: Converged) -> None:
    """Keep what the relaxation uses whole times, and choose among sets of the other places.

    The relaxation is nearly whole, so that few places are left, and the integer program over them
    is small even where that over all records is not.
    """
    if now.solution is None or search.program.withheld:
        return
    values = now.solution.values
    known = search.relaxation.columns.take(np.arange(len(values)))
    times = np.floor(values + WHOLE).astype(np.int64)
    sure = known.take(np.repeat(np.arange(len(known)), times))
    rows = search.program.rows
    held = np.bincount(sure.rows, sure.counts, minlength=rows).astype(np.int64)
    left = search.program.counts - held
    if (left < 0).any() or not left.any():
        return
    pool = _fitting(joined((known, _listed(search, now))), left)
    program = Program(left, int(left.sum()) // search.problem.k, 0, times=search.program.times)
    try:
        chosen = choose(
            program,
            pool,
            Cuts.none(),
            search.run,
            below=search.upper - float(sure.costs.sum()),
            nodes=NODES,
        )
    except SolverFailedError:
        return
    search.count_iterations(chosen.iterations)
    if chosen.times is not None:
        rest = pool.take(np.repeat(np.arange(len(pool)), chosen.times))
        search.offer(joined((sure, rest)))


def _listed(search: Search[Cover], now: Converged) -> Columns:
    """Return sets of low reduced cost, as many as are quick to choose from."""
    most = LISTED * search.program.rows
    for share in SHARES:
        limit = share * (search.upper - now.priced)
        found = search.every(now, Branches.none(), limit, most)
        if found.complete:
            return found.columns
    return found.columns


def _fitting(columns: Columns, left: NDArray[np.integer]) -> Columns:
    """Return different columns that hold no more of any row than is left."""
    fits = np.logical_and.reduceat(columns.counts <= left[columns.rows], columns.start[:-1])
    different = dict(zip(columns.keys(), range(len(columns)), strict=True))
    chosen = np.zeros(len(columns), dtype=np.bool_)
    chosen[list(different.values())] = True
    return columns.take(chosen & fits)
