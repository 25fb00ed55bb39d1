"""The whole search: cuts at the root, choosing among few columns, then the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.algorithms.exact.highs import SolverFailedError
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.divisions import columns_of
from shoal.algorithms.exact.optimal.rounding import round_by_search
from shoal.algorithms.exact.optimal.search import BudgetSpentError
from shoal.algorithms.exact.optimal.tree import grow, most_columns
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.exact.optimal.search import Converged, Search
    from shoal.algorithms.partition import Partition

MOST_LISTED = 200_000
# Cuts are added while so many rounds narrow the gap by this share.
PATIENCE = 5
WORTH_CUTTING = 0.02
QUICK_ROUNDS = 2
# Choosing among all columns may take so many times the usual nodes, and a share of the time.
EFFORT_AMONG_ALL = 10
SHARE_AMONG_ALL = 0.1
# Fewer columns are chosen from where few steps are left.
STEPS_A_COLUMN = 20


def solve(search: Search[Partition]) -> None:
    """Close the gap between divisions and their bound, or narrow it until the budget is spent."""

    def steps() -> None:
        _at_root(search)
        if not search.quick and not search.closed:
            grow(search)

    run_to_the_end(search, steps)


def run_to_the_end(search: Search[Any], steps: Callable[[], None]) -> None:
    """Take the steps of a search until they are done or the budget is spent."""
    try:
        steps()
    except BudgetSpentError:
        pass
    except Cancelled:
        if search.run.control.abandoned:
            raise
    except SolverFailedError as error:
        search.run.note(f"HiGHS failed ({error}): the search ended with what it had.")
    search.report()


def _at_root(search: Search[Partition]) -> None:
    """Tighten the relaxation by cuts while that pays, then choose among what is left."""
    now = tightened(search)
    if not search.quick and not search.closed:
        round_by_search(search, now)
        search.know(columns_of(search.best, search.generator))
        # Far above the best division, the gap made cuts look as if they gained nothing.
        now = tightened(search, now)
    tries = search.limits.at_root
    for times in tries[:1] if search.quick else tries:
        if search.closed or not round_up(search, now, most_columns(search, times)):
            return
    if not search.quick and not search.closed and search.allowed is None:
        _choose_among_all(search, now)


def _choose_among_all(search: Search[Partition], now: Converged) -> None:
    """Choose among all columns that a better division could use, if these are few for many rows."""
    if search.program.rows < search.limits.many_rows:
        return
    now = tightened(search, now)
    limit = search.upper - now.priced
    most = most_columns(search, search.limits.all_at_root)
    found = search.every(now, Branches.none(), limit, most)
    if not found.complete:
        return
    effort = EFFORT_AMONG_ALL if search.left() is None else 1
    chosen = search.choose(found.columns, Branches.none(), effort=effort, share=SHARE_AMONG_ALL)
    if chosen is not None and chosen.proved:
        search.raise_lower(min(search.settled, now.priced + limit))


def tightened(search: Search[Any], now: Converged | None = None) -> Converged:
    """Solve the relaxation, or go on with what is solved, with more cuts while they pay."""
    if now is None:
        now = search.converge(Branches.none())
    bounds = [now.priced]
    while not search.closed and (centre := search.cut(now)) is not None:
        now = search.converge(Branches.none(), centre=centre)
        bounds.append(now.priced)
        gained = bounds[-1] - bounds[-PATIENCE:][0]
        tired = len(bounds) >= PATIENCE and gained < WORTH_CUTTING * search.gap
        if tired or (search.quick and len(bounds) > QUICK_ROUNDS):
            break
    return now


def round_up(search: Search[Any], now: Converged, most: int, effort: int = 1) -> bool:
    """Choose a solution among so many columns of least reduced cost; return whether it did so.

    If these are all columns of reduced cost below some limit, every solution that uses another one
    loses more than the bound and the limit together.
    """
    limit = search.upper - now.priced
    while not (found := search.every(now, Branches.none(), limit, MOST_LISTED)).complete:
        limit *= 0.6
    order = np.argsort(found.reduced, kind="stable")
    left = search.left()
    if left is not None:
        most = min(most, 1 + left // STEPS_A_COLUMN)
    if len(order) > most:
        limit = float(found.reduced[order[most]])
    pool = found.columns.take(np.sort(order[:most]))
    if search.allowed is not None and len(pool):
        pool = pool.take(search.allowed(pool))
    chosen = search.choose(pool, Branches.none(), heuristics=True, effort=effort)
    if chosen is None or not chosen.proved:
        return False
    if search.allowed is None:
        # Whatever is better uses a column that is not in the pool, or HiGHS let it slip.
        search.raise_lower(min(search.settled, now.priced + limit))
    return True
