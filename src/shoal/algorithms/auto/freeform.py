"""The portfolio for freeform releases: quick rings, a proof if small, the search on covers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.budget import Budget
from shoal.algorithms.constants import (
    CLASS_STEPS,
    PROOF_SHARE,
    PROOF_STEPS,
    PROOF_STEPS_A_BLOCK,
    PROVED_A_SECOND,
)
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.personal import cover_in_parts, ks_of_rows
from shoal.algorithms.freeform.suppression import loss_of_cover

if TYPE_CHECKING:
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def best_cover(problem: Problem, run: Run) -> Cover | CoverParts:
    """Return the best cover found; under a personal k one for each k that records need."""
    ks = ks_of_rows(problem)
    if ks is None:
        return _best_with_one_k(problem, run)
    return cover_in_parts(problem, ks, run, _best_with_one_k, class_steps=CLASS_STEPS)


def _best_with_one_k(problem: Problem, run: Run) -> Cover:
    """Return the best cover found.

    `ring` gives one at once. On a small table `ff-optimal` proves the optimum, or how far from it
    the best cover can be. `ff-refine` then improves optimal matchings, beside the classes of
    `refine`, with the rest of the time.
    """
    contest: Contest[Cover] = Contest(run, lambda cover: loss_of_cover(problem, cover))
    steps = ["ring", *(["ff-optimal"] if _is_proof_worth_time(problem, run) else []), "ff-refine"]
    for place, name in enumerate(steps):
        if place > 0 and (run.control.stopping or run.budget.seconds_left <= 0):
            break
        with run.part(place / len(steps), (place + 1) / len(steps)):
            budget = _budget_of_proof(run) if name == "ff-optimal" else run.budget.share(1.0)
            own = run.child(budget)
            contest.enter(name, lambda name=name, own=own: _search(name, problem, own))  # type: ignore[misc]
        if contest.is_proved:
            break
    run.report(1.0)
    return replace(contest.best, lower_bound=contest.lower_bound)


def _is_proof_worth_time(problem: Problem, run: Run) -> bool:
    if problem.suppression_limit and problem.suppress_for == "released":
        return False  # it lowers the total
    seconds = 1.0 if run.budget.seconds is None else run.budget.seconds_left
    return problem.rows * (problem.k - 1) ** 3 <= PROVED_A_SECOND * seconds


def _budget_of_proof(run: Run) -> Budget:
    if run.budget.steps is not None:
        return run.budget.fresh(steps=int(PROOF_SHARE * PROOF_STEPS_A_BLOCK * run.budget.steps))
    if run.budget.seconds is not None:
        return run.budget.share(PROOF_SHARE)
    return Budget(steps=PROOF_STEPS)


def _search(name: str, problem: Problem, run: Run) -> Cover:
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Cover)
    return found
