"""Releases that are tried one after the other, of which one is kept: what each may spend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.algorithms import with_default_budget
from shoal.pipeline.progress import solve

if TYPE_CHECKING:
    from shoal.algorithms import Algorithm, Problem, Run, Solution
    from shoal.pipeline.progress import Stages


def solve_candidate(
    chosen: Algorithm, problem: Problem, run: Run, stages: Stages, *, place: int, candidates: int
) -> tuple[Solution, Run]:
    """Return the solution of one candidate, and the run that found it, with notes of its own.

    Seconds that the user set are shared equally, and judging the others takes nothing from a
    candidate. Steps, and a default budget, are for each of them.

    Parameters
    ----------
    run
        The run of all candidates.
    place, candidates
        How many were tried before, and how many there are.
    """
    budget = with_default_budget(chosen, problem, run.child(run.budget)).budget.from_now()
    if run.budget.seconds is not None:
        budget = replace(budget, seconds=run.budget.seconds / candidates)
    own = run.child(budget)
    with run.part(place / candidates, (place + 1) / candidates):
        return solve(chosen, problem, own, stages, keep=True), own
