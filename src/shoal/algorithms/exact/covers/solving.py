"""`ff-optimal` at work: a cover to start from, then the search for a proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.cover import Cover
from shoal.algorithms.exact.covers.cover_search import cover_search
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.root import round_up, run_to_the_end, tightened

from shoal.algorithms.lower_bound import LowerBound

if TYPE_CHECKING:
    from shoal.algorithms.exact.optimal.search import Search
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Blocks of the local search for the first cover, for each record.
STEPS_A_RECORD = 4
# Of the time for it, at most.
START_SHARE = 0.2
# Columns that the integer program chooses from, for each record: few at first, for a better cover,
# which shortens the list; then more and more of it.
FIRST_COLUMNS = 5
MORE = 2


def solve_cover(problem: Problem, run: Run) -> Cover:
    """Return the best cover found, and what was proved."""
    search = cover_search(problem, run, _start(problem, run))
    run_to_the_end(search, lambda: _prove(search))
    return replace(search.best, optimal=search.closed, lower_bound=search.lower_bound)


def bound_covers(problem: Problem, cover: Cover, run: Run) -> LowerBound:
    """Return what no cover loses less than, given one to start from."""
    search = cover_search(problem, run, cover)
    run_to_the_end(search, lambda: _prove(search))
    return LowerBound(search.lower_bound, search.steps, search.closed, problem.k)


def _start(problem: Problem, run: Run) -> Cover:
    steps = STEPS_A_RECORD * problem.n
    budget = run.budget.anew(steps=steps)
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
    search.choose(search.relaxation.columns, Branches.none(), heuristics=True)
    most = FIRST_COLUMNS * max(100, search.problem.rows)
    while not search.closed and round_up(search, now, most):
        most *= MORE
