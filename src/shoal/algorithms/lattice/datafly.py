"""`datafly`: the attribute with most distinct values is generalized first."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.lattice.task import MEASURES, LatticeTask

if TYPE_CHECKING:
    from shoal.algorithms.levels import Levels
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "datafly",
    family=Family.LATTICE,
    traits=Traits(
        summary="Generalize the attribute with most distinct values until the node is feasible.",
        use_when="you compare with the literature, or need a full-domain release of a large table "
        "at once",
        cost="sum of heights x n",
        paper="Sweeney, Datafly: a system for providing anonymity in medical data, 1998",
        measures=MEASURES,
        form=Form.FULL_DOMAIN,
    ),
)
class Datafly:
    """The first feasible node on one greedy path comes back; no guarantee of loss.

    The idea: the attribute with the most distinct values separates records most, so it takes the
    next step (the first of several such attributes), until the node is feasible. The measure plays
    no part. If records may be suppressed, the path goes on until nobody has to be, and the node of
    least total loss on it is taken. Time is O(n·m) for each step, and there are at most as many
    steps as all heights together; any number of attributes.
    """

    def solve(self, problem: Problem, run: Run) -> Levels:
        """Return the first sound node, or a better one further up."""
        task = LatticeTask.of(problem)
        distinct = [
            [len(np.unique(looks[codes])) for looks in ladder.looks]
            for ladder, codes in zip(task.ladders, problem.codes, strict=True)
        ]
        node = np.zeros(len(task.ladders), dtype=np.int64)
        best, least = task.heights, inf
        run.report(0.0)
        while True:
            judged = task.judge(node[None, :], run)
            if judged.sound[0]:
                if judged.loss[0] < least:
                    best, least = node.copy(), float(judged.loss[0])
                # Further up nobody may have to be suppressed, which may lose less in all.
                if judged.suppressed[0] == 0 or problem.suppress_for == "released":
                    break
            run.control.steps += 1
            run.report(float(node.sum() / max(task.heights.sum(), 1)))
            shown = [
                values[level] if level < height else 0
                for values, level, height in zip(distinct, node, task.heights, strict=True)
            ]
            node[int(np.argmax(shown))] += 1
        return task.answer(best, run)
