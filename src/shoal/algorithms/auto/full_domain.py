"""The portfolio for full domains: a greedy path, then the whole lattice or descents in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.constants import FLASH_JUDGES, FLASH_SHARE, TRIAL_NODES
from shoal.algorithms.lattice.descents import Descents
from shoal.algorithms.lattice.genetics import reduction
from shoal.algorithms.lattice.seen import Ledger
from shoal.algorithms.lattice.task import LatticeTask
from shoal.algorithms.levels import Levels
from shoal.algorithms.run import Run
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem


def best_levels(problem: Problem, run: Run) -> Levels:
    """Return the best node found; proved optimal where the whole lattice can be searched.

    `datafly` gives a sound node at once. Where the budget is enough for it, or there is none,
    `flash` then searches a lattice of up to 67 million nodes to proof. A larger one is searched by
    descents until the budget is spent, or by `kgen` without one.
    """
    task = LatticeTask.of(problem)

    # Judged in a run of its own: after a stop, what was found so far is still to be judged.
    judging = Run(threads=run.threads)

    def loss(levels: Levels) -> float:
        return float(task.judge(np.array([levels.node]), judging).loss[0])

    contest: Contest[Levels] = Contest(run, loss)
    with run.part(0.0, 0.1):
        contest.enter("datafly", lambda: _search("datafly", problem, run.child(run.budget)))
    small = task.kernel.nodes(False) <= kernels.most_lattice_nodes
    with run.part(0.1, 1.0):
        if not run.budget.is_limited:
            name = "flash" if small else "kgen"
            if not run.control.stopping:
                contest.enter(name, lambda: _search(name, problem, run.child()))
        else:
            taken = 0
            if small and not _is_over(run) and _can_finish(task, run):
                own = run.child(run.budget.share(FLASH_SHARE))
                contest.enter("flash", lambda: _search("flash", problem, own))
                taken = run.control.steps
            if not contest.is_proved:
                _descend(task, contest, run, taken)
    run.report(1.0)
    return contest.best


def _is_over(run: Run) -> bool:
    return run.control.stopping or run.budget.seconds_left <= 0


def _can_finish(task: LatticeTask, run: Run) -> bool:
    """Return whether the budget is probably enough for `flash`, by what some nodes take."""
    expected = FLASH_JUDGES * task.nodes
    if run.budget.steps is not None:
        return expected <= FLASH_SHARE * run.budget.steps
    nodes = np.random.default_rng(0).integers(0, task.heights + 1, (TRIAL_NODES, len(task.heights)))
    began = run.budget.clock()
    try:
        task.judge(nodes, run)
    except Cancelled:
        run.check()
        return False
    seconds = (run.budget.clock() - began) / TRIAL_NODES
    return expected * seconds <= FLASH_SHARE * run.budget.seconds_left


def _descend(task: LatticeTask, contest: Contest[Levels], run: Run, taken: int) -> None:
    """Search by descents with what is left of the budget."""
    budget = run.budget
    if budget.steps is not None:
        budget = replace(budget, steps=max(0, budget.steps - taken))
    if _is_over(run) or budget.steps == 0:
        return
    alone = run.child(budget)
    start = np.array(contest.best.node)

    def work() -> Levels:
        ledger = Ledger(task, alone, reduction(task, alone))
        with alone.until_stopped():
            Descents(ledger, alone.generator()).search(start, task.heights)
        bound = ledger.least if ledger.exhausted else None
        return task.answer(ledger.best, alone, bound=bound)

    contest.enter("descents", work)
    run.control.steps += taken


def _search(name: str, problem: Problem, run: Run) -> Levels:
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Levels)
    return found
