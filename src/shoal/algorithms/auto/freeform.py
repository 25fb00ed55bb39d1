"""The portfolio for freeform releases: quick rings, a proof if small, the search on covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.constants import FEW_SETS
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.sets import sets_at_most
from shoal.algorithms.freeform.suppression import loss_of_cover

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def best_cover(problem: Problem, run: Run) -> Cover:
    """Return the best cover found.

    `ring` gives one at once. Where all sets of k records can be listed, `ff-mip` mostly proves the
    best there is. `ff-refine` then improves optimal matchings, beside the classes of `refine`, for
    as long as there is.
    """
    contest: Contest[Cover] = Contest(run, lambda cover: loss_of_cover(problem, cover))
    few = not problem.suppression_limit and sets_at_most(problem, FEW_SETS)
    # Names, and the shares of the time that is left.
    steps = [("ring", 1.0), *([("ff-mip", 0.5)] if few else []), ("ff-refine", 1.0)]
    for place, (name, share) in enumerate(steps):
        if place > 0 and (run.control.stopping or run.budget.seconds_left <= 0):
            break
        with run.part(place / len(steps), (place + 1) / len(steps)):
            own = run.child(run.budget.share(share))
            contest.enter(name, lambda name=name, own=own: _search(name, problem, own))  # type: ignore[misc]
        if contest.is_proved:
            break
    run.report(1.0)
    return contest.best


def _search(name: str, problem: Problem, run: Run) -> Cover:
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Cover)
    return found
