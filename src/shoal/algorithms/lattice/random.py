"""`random`: nodes drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import (
    Family,
    Form,
    Traits,
    algorithm,
)
from shoal.algorithms.lattice.seen import DEFAULT_NODES, Ledger, default_budget
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_AT_ONCE = 64


@algorithm(
    "random",
    family=Family.LATTICE,
    traits=Traits(
        summary="Judge nodes drawn at random and keep the best.",
        use_when="you need the baseline that any lattice search must beat",
        cost=f"set by `steps` (nodes) or `time`; {DEFAULT_NODES:,} nodes by default",
        paper="The baseline of the KGen paper (De Pascale et al.)",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
        default_budget=default_budget,
    ),
)
class RandomSearch:
    """The best of the nodes drawn comes back, or the top if none of them is feasible.

    The idea: a yardstick for searches that claim to be clever. Every level of every attribute is
    drawn with equal chance; nodes drawn twice are judged once. Time is O(n·m) per node; any number
    of attributes. Steps are nodes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node that was met."""
        task = LatticeTask.of(problem)
        run.report(0.0)
        ledger = Ledger(task, run, np.zeros_like(task.heights))
        rng = run.generator()
        with run.until_stopped():
            while not ledger.is_over():
                nodes = rng.integers(0, task.heights + 1, (_AT_ONCE, len(task.ladders)))
                ledger.look(ledger.affordable(list(nodes)))
        return task.answer(ledger.best, run)
