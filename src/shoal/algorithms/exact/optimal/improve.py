"""`improve`: better classes for a given partition, neighbourhood by neighbourhood."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.exact.optimal.conditions import allowed_columns
from shoal.algorithms.exact.optimal.divisions import division_search
from shoal.algorithms.exact.optimal.root import solve
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Class = tuple[NDArray[np.int32], NDArray[np.int32]]

# A neighbourhood is large enough that exchanges among several classes show.
CLASSES_A_REGION = 10
STEPS_A_REGION = 150_000


def improve(
    problem: Problem,
    partition: Partition,
    run: Run,
    *,
    pool: Sequence[Partition] = (),
    region: int | None = None,
) -> Partition:
    """Return a partition that loses no more than the given one, and often less.

    The idea: around each class in turn, its nearest classes are dissolved, and their records are
    divided again by the program of `optimal` over a pool: the classes themselves, those of other
    partitions that fit, and those that pricing finds worth while there. What is better is kept.
    Classes keep at least k records and every model; suppressed records stay suppressed.

    Parameters
    ----------
    problem, partition
        The problem, and an answer that meets k and every model.
    run
        Budget, threads and cancellation. Without a limit every neighbourhood is gone through
        until none gives anything.
    pool
        Other partitions of the same problem, whose classes may be used.
    region
        Records of a neighbourhood; ten classes of least size unless given.

    Returns
    -------
    Partition
        ``partition`` itself if nothing better was found; another one carries no proof.
    """
    work = _Neighbourhoods(problem, partition, pool, region or CLASSES_A_REGION * problem.k)
    waiting = deque(work.classes)
    most = run.budget.steps
    spent = 0
    while waiting:
        run.check()
        if run.remaining() <= 0 or (most is not None and spent >= most):
            break
        left = STEPS_A_REGION if most is None else min(STEPS_A_REGION, most - spent)
        seed = waiting.popleft()
        if seed not in work.classes:
            continue
        try:
            fresh, taken = work.divide_around(seed, run.within(replace(run.budget, steps=left)))
        except Cancelled:
            if run.control.abandoned:
                raise
            break  # with what was gained so far
        spent += taken
        waiting += fresh
    run.control.steps = spent
    return work.partition() if work.gained else partition


class _Neighbourhoods:
    """Classes that come and go; their numbers are never used twice."""

    def __init__(
        self, problem: Problem, partition: Partition, pool: Sequence[Partition], region: int
    ) -> None:
        self.problem = problem
        self.region = region
        self.gained = False
        gone = partition.classes == SUPPRESSED
        self.suppressed = (partition.rows[gone], partition.counts[gone])
        self.classes = dict(enumerate(_classes_of(partition)))
        self.number = len(self.classes)
        self.others = [one for other in pool for one in _classes_of(other)]
        # The rows of a region stay the same while its classes do: no need to look at it twice.
        self.done: set[tuple[int, ...]] = set()

    def partition(self) -> Partition:
        """Return the classes as they are now."""
        parts = list(self.classes.values())
        owners = np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in parts])
        return Partition.of(
            np.concatenate([*(rows for rows, _ in parts), self.suppressed[0]]),
            np.concatenate([owners, np.full(len(self.suppressed[0]), SUPPRESSED)]),
            np.concatenate([*(counts for _, counts in parts), self.suppressed[1]]),
        )

    def divide_around(self, seed: int, run: Run) -> tuple[list[int], int]:
        """Divide the classes around one again; return new classes and the steps it took."""
        near = self._around(seed)
        key = tuple(sorted(near))
        if key in self.done:
            return [], 0
        self.done.add(key)
        chosen = [self.classes[each] for each in near]
        rows, local = np.unique(np.concatenate([each for each, _ in chosen]), return_inverse=True)
        counts = np.concatenate([each for _, each in chosen])
        owners = np.repeat(np.arange(len(near)), [len(each) for each, _ in chosen])
        held = np.bincount(local, counts).astype(np.int32)
        now = Partition.of(local, owners, counts)
        subproblem = self.problem.part(rows, held)
        search = division_search(
            subproblem,
            run,
            now,
            quick=True,
            allowed=partial(allowed_columns, subproblem) if subproblem.models else None,
        )
        for fitting in self._fitting(rows, held):
            search.know_class(*fitting)
        before = search.upper
        solve(search)
        if search.upper >= before:
            return [], search.steps
        self.gained = True
        for each in near:
            del self.classes[each]
        fresh = []
        for found, its_counts in _classes_of(search.best):
            fresh.append(self.number)
            self.classes[self.number] = (rows[found].astype(np.int32), its_counts)
            self.number += 1
        return fresh, search.steps

    def _around(self, seed: int) -> list[int]:
        """Return a class and those nearest to it, as many as make a region."""
        numbers = list(self.classes)
        place = numbers.index(seed)
        apart = ClosuresOfClasses(self.problem, self.partition()).losses_with(place)
        apart[place] = -1.0
        near: list[int] = []
        records = 0
        for each in np.argsort(apart, kind="stable").tolist():
            near.append(numbers[each])
            records += int(self.classes[numbers[each]][1].sum())
            if records >= self.region:
                break
        return near

    def _fitting(self, rows: NDArray[np.int32], held: NDArray[np.int32]) -> list[Class]:
        """Return classes of the pool that consist of these rows, by their places."""
        fitting = []
        for each, counts in self.others:
            place = np.searchsorted(rows, each)
            inside = place < len(rows)
            if inside.all() and (rows[place] == each).all() and (counts <= held[place]).all():
                fitting.append((place.astype(np.int32), counts))
        return fitting


def _classes_of(partition: Partition) -> list[Class]:
    kept = np.flatnonzero(partition.classes != SUPPRESSED)
    cuts = np.searchsorted(partition.classes[kept], np.arange(1, partition.number))
    return [(partition.rows[part], partition.counts[part]) for part in np.split(kept, cuts)]
