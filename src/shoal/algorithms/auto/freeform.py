"""The portfolio for freeform releases: rings inside quick classes, then the search on covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.covering import loss_of_released

if TYPE_CHECKING:
    from shoal.algorithms.auto.budget import Budget
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def cover_at_best(problem: Problem, run: Run, budget: Budget) -> Cover:
    """Return the best cover found.

    `ring` gives one at once; `ff-refine` then improves optimal matchings, beside the classes of
    `refine`, for as long as there is.
    """
    contest: Contest[Cover] = Contest(run, lambda cover: loss_of_released(problem, cover))
    for name, part in (("ring", (0.0, 0.1)), ("ff-refine", (0.1, 1.0))):
        if name != "ring" and (run.control.stopping or budget.seconds <= 0):
            break
        with run.part(*part):
            contest.enter(name, lambda name=name: _search(name, problem, budget.run(run)))  # type: ignore[misc]
    run.report(1.0)
    return contest.best


def _search(name: str, problem: Problem, run: Run) -> Cover:
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Cover)
    return found
