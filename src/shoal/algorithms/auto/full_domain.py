"""The portfolio for full domains: a greedy path, then the whole lattice or searches of parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.lattice.climbing import climb
from shoal.algorithms.lattice.task import LatticeTask
from shoal.algorithms.levels import Levels

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Of what is left of the budget each time: a genetic search, hill climbing from its best node,
# populations without end, and hill climbing again.
TURNS = (("kgen", 0.5), ("climb", 0.5), ("kgen", 0.5), ("climb", 1.0))
WITHOUT_END = 1_000_000


def best_levels(problem: Problem, run: Run) -> Levels:
    """Return the best node found; the best there is, by proof, where the lattice can be searched.

    `datafly` gives a sound node at once; `flash` then searches a lattice of up to 67 million
    nodes. In a larger one `kgen` and hill climbing take turns until the budget is spent.
    """
    task = LatticeTask.of(problem)

    def loss(levels: Levels) -> float:
        return float(task.judge(np.array([levels.node]), run).loss[0])

    contest: Contest[Levels] = Contest(run, loss)
    small = task.kernel.nodes(False) <= kernels.most_lattice_nodes
    with run.part(0.0, 0.1):
        contest.enter("datafly", lambda: _search("datafly", problem, run.child(run.budget)))
    with run.part(0.1, 1.0):
        if not small and run.budget.is_limited:
            _search_in_turns(task, contest, run)
        elif not run.control.stopping and run.budget.seconds_left > 0:
            name = "flash" if small else "kgen"
            contest.enter(name, lambda: _search(name, problem, run.child(run.budget)))
    run.report(1.0)
    return contest.best


def _search_in_turns(task: LatticeTask, contest: Contest[Levels], run: Run) -> None:
    """Search a lattice that is too large to be searched whole until the budget is spent."""
    taken = 0
    for turn, (name, share) in enumerate(TURNS):
        budget = run.budget
        if budget.steps is not None:
            budget = replace(budget, steps=max(0, budget.steps - taken))
        if run.control.stopping or contest.is_proved:
            break
        if budget.seconds_left <= 0 or budget.steps == 0:
            break
        alone = run.child(budget.share(share), seed=_seed_of_turn(run.seed, turn))
        run.control.steps = 0
        with run.part(turn / len(TURNS), (turn + 1) / len(TURNS)):
            contest.enter(name, _work(name, turn, task, contest, alone))
        taken += run.control.steps
    run.control.steps = taken


def _work(
    name: str, turn: int, task: LatticeTask, contest: Contest[Levels], run: Run
) -> Callable[[], Levels]:
    if name == "climb":
        best = np.array(contest.best.node)
        return lambda: task.answer(climb(task, best, run), run)
    more = {"restarts": WITHOUT_END} if turn else {}
    return lambda: _search(name, task.problem, run, more)


def _seed_of_turn(seed: int, turn: int) -> int:
    """Return the seed of a turn; the first has that of the run."""
    return int(np.random.SeedSequence([seed, turn]).generate_state(1)[0]) if turn else seed


def _search(
    name: str, problem: Problem, run: Run, parameters: dict[str, int] | None = None
) -> Levels:
    found = make_algorithm(name, parameters or {}).solve(problem, run)
    assert isinstance(found, Levels)
    return found
