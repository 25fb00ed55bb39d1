"""`random`: nodes drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEFAULT_NODES = 5_000
_AT_ONCE = 64


@algorithm(
    "random",
    family=Family.LATTICE,
    traits=Traits(
        summary="Judge nodes drawn at random and keep the best.",
        cost=f"--steps N nodes ({DEFAULT_NODES:,} without it) or --time S",
        paper="The baseline of the KGen paper (De Pascale et al.)",
        anytime=True,
        random=True,
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
    ),
)
class RandomSearch:
    """The best of the nodes that were drawn comes back, or the top if none of them is sound.

    The idea: a yardstick for searches that claim to be clever. Every level of every attribute is
    drawn with equal chance; nodes drawn twice are judged once. Time O(n·m) a node; any number of
    attributes. Steps are nodes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the best node that was met."""
        task = LatticeTask.of(problem)
        rng = run.generator()
        budget = DEFAULT_NODES if run.steps is None and run.seconds is None else run.steps
        best, least = task.heights, float(task.judge(task.heights[None, :], run).loss[0])
        seen: set[bytes] = set()
        drawn = 0
        run.report(0.0)
        while (budget is None or drawn < budget) and run.remaining() > 0:
            size = _AT_ONCE if budget is None else min(_AT_ONCE, budget - drawn)
            nodes = rng.integers(0, task.heights + 1, (size, len(task.ladders))).astype(np.uint8)
            drawn += size
            fresh = [node for node in nodes if node.tobytes() not in seen]
            seen.update(node.tobytes() for node in fresh)
            if fresh:
                judged = task.judge(np.stack(fresh), run)
                place = int(np.argmin(judged.loss))
                if judged.loss[place] < least:
                    best, least = fresh[place].astype(np.int64), float(judged.loss[place])
            run.control.steps = drawn
            run.control.loss = least
            run.report(min(1.0, drawn / budget) if budget else 0.0)
            if len(seen) == task.nodes:
                break
        return task.answer(best, run)
