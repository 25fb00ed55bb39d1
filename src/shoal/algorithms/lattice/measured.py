"""Objectives that the kernel does not know: every sound node by the evaluator of releases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.lattice.seen import most_checks
from shoal.algorithms.levels import Levels
from shoal.measures import Released, TargetColumn, find_measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.algorithms.lattice.task import LatticeTask
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.encoding.ladder import Ladder

    Node = NDArray[np.integer]

MEASURES = ("am", "cavg", "cm", "cm_fields", "gcp_released", "kl", "los", "pmi", "wmi")
# These grow from any node to those above it, as long as nothing is suppressed: coarser classes
# stand for more combinations, hold more minorities, and tell less.
_GROWING = {"am", "cm", "kl", "pmi", "wmi"}
_AT_ONCE = 256


@dataclass(frozen=True, slots=True, eq=False)
class NodeMeasure:
    """The measure of a problem at any of its nodes: slow, and the same figure as the facts tell."""

    problem: Problem
    ladders: tuple[Ladder, ...]
    codes: tuple[NDArray[np.integer], ...]
    target: TargetColumn | None

    @classmethod
    def of(cls, problem: Problem, ladders: tuple[Ladder, ...]) -> NodeMeasure:
        """Return the measure of a problem."""
        row_of = problem.folded.row_of
        target = None
        if problem.target is not None:
            values = problem.target[row_of]
            target = TargetColumn("target", values, values)
        return cls(problem, ladders, tuple(codes[row_of] for codes in problem.codes), target)

    def judge(self, node: Node) -> tuple[float, float]:
        """Return the loss of a sound node, and what no node at or above it can go below.

        A node at which nobody shows anything is infinitely bad: measures of what is shown would
        find no fault with it. Where it is the only one, it is still the answer.
        """
        problem = self.problem
        made = Levels.of(problem, node.tolist(), self.ladders)
        released = Released(
            problem.domains,
            problem.weights,
            self.codes,
            made.recode(problem, np.random.default_rng(0)),
            problem.n,
            problem.k,
            self.target,
        )
        if released.suppressed == problem.n:
            return inf, -inf
        loss = float(find_measure(problem.measure).evaluate(released))
        return loss, self._floor(loss, released)

    def _floor(self, loss: float, released: Released) -> float:
        name = self.problem.measure.partition(":")[0]
        if name not in _GROWING:
            return -inf
        if released.suppressed == 0:
            return loss
        # A suppressed record costs these no less than it would at any node: without its cost
        # what is left grows.
        share = released.suppressed / released.n
        if name == "cm":
            return loss - share
        if name == "am":
            return loss - share * float(np.prod([one.present.sum() for one in released.domains]))
        # What is suppressed here may tell more at a node above it.
        return -inf


def search_by_measure(task: LatticeTask, way: str, run: Run) -> Levels:
    """Return the best node: soundness by a search of the kernel, losses by the evaluator.

    Nodes are looked at by height. What a node cannot go below, no node above it can, so those
    that cannot win any more are left out.
    """
    nodes, complete = _candidates(task, way, run)
    measure = task.measure
    assert measure is not None
    best, least = task.heights, inf
    strides = _strides(task)
    bounds: dict[int, float] = {}
    checks = run.control.steps
    most = inf if run.budget.steps is None else run.budget.steps
    finished = False
    with run.until_stopped():
        for begin in range(0, len(nodes), _AT_ONCE):
            some = nodes[begin : begin + _AT_ONCE]
            sound = task.is_sound(some, run)
            for node, holds in zip(some, sound.tolist(), strict=True):
                if checks >= most or run.remaining() <= 0:
                    complete = False
                    break
                run.check()
                key = int(node @ strides)
                below = strides[node > 0]
                bound = max((bounds.get(key - int(step), -inf) for step in below), default=-inf)
                if holds and bound < least:
                    checks += 1
                    loss, floor = measure.judge(node)
                    bound = max(bound, floor)
                    if loss < least:
                        best, least = node, loss
                bounds[key] = bound
            run.control.steps, run.control.loss = checks, least
            run.report(min(1.0, (begin + len(some)) / len(nodes)))
            if not complete:
                break
        finished = True
    complete = complete and finished
    if not complete:
        run.note(
            f"{way} was stopped after {checks:,} nodes; the best of them is released, but a "
            "better one may exist."
        )
    proved = complete and way != "samarati" and least < inf
    return task.answer(best, run, bound=least if proved else None)


def _strides(task: LatticeTask) -> NDArray[np.int64]:
    """Return what one level of each attribute adds to the number of a node."""
    levels = task.heights + 1
    return np.append(np.cumprod(levels[:0:-1])[::-1], 1)


def _candidates(task: LatticeTask, way: str, run: Run) -> tuple[NDArray[np.int64], bool]:
    """Return the nodes that may be sound, lowest first, and whether no other is."""
    levels = (task.heights + 1).tolist()
    if way == "exhaustive":
        return _by_height(np.array(list(product(*map(range, levels))), dtype=np.int64)), True
    limits = (run.threads, run.remaining(), most_checks(run), run.control)
    if way == "samarati":
        node, _, checks, complete = task.kernel.search(way, *limits)
        run.control.steps = checks
        height = int(node.sum()) if len(node) else int(task.heights.sum())
        every: Iterable[tuple[int, ...]] = product(*map(range, levels))
        same = [one for one in every if sum(one) == height]
        return np.array(same, dtype=np.int64), complete
    holding, checks, complete = task.kernel.holding(way, *limits)
    run.control.steps = checks
    return _by_height(np.stack(np.unravel_index(holding, levels), axis=1)), complete


def _by_height(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    return nodes[np.argsort(nodes.sum(axis=1), kind="stable")]
