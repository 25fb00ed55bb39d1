"""The portfolio for full domains: a greedy path, then the whole lattice or a genetic search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.algorithm import make_algorithm
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.lattice.task import LatticeTask
from shoal.algorithms.levels import Levels

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def best_levels(problem: Problem, run: Run) -> Levels:
    """Return the best node found; the best there is, by proof, where the lattice can be searched.

    `datafly` gives a sound node at once; `flash` then searches a lattice of up to 67 million
    nodes, `kgen` a larger one.
    """
    task = LatticeTask.of(problem)

    def loss(levels: Levels) -> float:
        return float(task.judge(np.array([levels.node]), run).loss[0])

    contest: Contest[Levels] = Contest(run, loss)
    small = task.kernel.nodes(False) <= kernels.most_lattice_nodes
    with run.part(0.0, 0.1):
        contest.enter("datafly", lambda: _search("datafly", problem, run.child(run.budget)))
    name = "flash" if small else "kgen"
    if not run.control.stopping and run.budget.seconds_left > 0:
        with run.part(0.1, 1.0):
            contest.enter(name, lambda: _search(name, problem, run.child(run.budget)))
    run.report(1.0)
    return contest.best


def _search(name: str, problem: Problem, run: Run) -> Levels:
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Levels)
    return found
