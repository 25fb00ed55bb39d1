"""`ff-optimal` at work: a cover to start from, then the search for a proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.cover import Cover
from shoal.algorithms.exact.covers.cover_search import cover_search
from shoal.algorithms.exact.covers.nearest_originals import bound_by_nearest
from shoal.algorithms.exact.covers.rounding import complete_what_is_sure
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.root import (
    MOST_LISTED,
    round_up,
    run_to_the_end,
    tightened,
)
from shoal.algorithms.freeform.personal import ks_of_rows
from shoal.algorithms.lower_bound import LowerBound

if TYPE_CHECKING:
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.exact.optimal.search import Search
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Blocks of the local search for the first cover, for each record, if these surely fit into a share
# of the time; else that share.
STEPS_A_RECORD = 4
SECONDS_A_STEP = 2e-4
START_SHARE = 0.2
# Of the time, what may go to the bound by nearest originals.
NEAREST_SHARE = 0.2
# Columns that the integer program chooses from, for each record: few at first, for a better cover,
# which shortens the list; then more and more of it.
FIRST_COLUMNS = 5
MORE = 2
LEAST_ROWS = 100
# Where its nodes did not suffice, it gets so many times as many, and at most so many times.
HARDER = 4
HARDEST = 1_000
# Where steps are limited, the integer program is given so many for each column.
STEPS_A_COLUMN = 50


def solve_cover(problem: Problem, run: Run) -> Cover:
    """Return the best cover found, and what was proved."""
    search = cover_search(problem, run, _start(problem, run))
    run_to_the_end(search, lambda: _prove(search))
    return replace(search.best, optimal=search.closed, lower_bound=search.lower_bound)


def bound_covers(problem: Problem, cover: Cover | CoverParts, run: Run) -> LowerBound:
    """Return what no cover loses less than, given one to start from.

    Under a personal k a release also gives every record the smallest k that any requires, so that
    the bound for this k holds; the least that demanding records lose may be more.
    """
    ks = ks_of_rows(problem)
    if ks is None and isinstance(cover, Cover):
        search = cover_search(problem, run, cover)
        run_to_the_end(search, lambda: _prove(search))
        return LowerBound(search.lower_bound, search.steps, search.closed, problem.k)
    assert ks is not None
    least = int(ks.min())
    by_nearest = bound_by_nearest(problem, ks, run.within(run.budget.share(NEAREST_SHARE)))
    common = replace(problem, k=least, models=(), protected=())
    search = cover_search(common, run, _start(common, run))
    run_to_the_end(search, lambda: _prove(search))
    proved = max(search.lower_bound, by_nearest)
    # More time cannot raise what is proved for the least k; whether ks could prove more is open.
    return LowerBound(proved, search.steps, search.closed, least)


def _start(problem: Problem, run: Run) -> Cover:
    steps, share = STEPS_A_RECORD * problem.n, START_SHARE * run.remaining()
    fits = steps * SECONDS_A_STEP <= share
    budget = run.budget.fresh(steps=steps) if fits else run.budget.fresh(seconds=share)
    found = make_algorithm("ff-refine").solve(
        replace(problem, suppress_for="total"), run.child(budget)
    )
    assert isinstance(found, Cover)
    return found


def _prove(search: Search[Cover]) -> None:
    """Tighten the relaxation, then choose among ever more of the sets that a better cover needs."""
    now = tightened(search)
    if search.closed or now.solution is None:
        return
    if _affords(search, len(search.relaxation.columns)):
        complete_what_is_sure(search, now)
        search.choose(search.relaxation.columns, Branches.none(), heuristics=True)
    most = FIRST_COLUMNS * max(LEAST_ROWS, search.problem.rows)
    effort = 1
    while not search.closed and _affords(search, most):
        if round_up(search, now, most, effort):
            most *= MORE
        else:
            effort *= HARDER
        if most > MOST_LISTED or effort > HARDEST:
            break


def _affords(search: Search[Cover], columns: int) -> bool:
    left = search.left()
    return left is None or left >= STEPS_A_COLUMN * columns
