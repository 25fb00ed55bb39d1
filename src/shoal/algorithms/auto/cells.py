"""A start for tables of many rows: cells of near records, each divided apart from the others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.constants import CELL_ROWS, CELLS_COMPARED, LEAST_CLASSES
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def divide_in_cells(
    problem: Problem, run: Run, cell_rows: int = CELL_ROWS, inside: str = "k-member"
) -> Partition:
    """Return classes that an algorithm finds in each cell of a coarse Mondrian cut.

    Cells meet every model, so each can be divided apart from the others; threads share them, and
    do not change the result. Time and memory are linear in the number of rows. Once the run's
    seconds are up, the cells that are left are cut further by `mondrian`: what was found counts.
    So they are with a limit of time once the first cells lose more than if `mondrian` cut them.
    """
    size = max(cell_rows * problem.n // max(problem.rows, 1), LEAST_CLASSES * problem.k)
    size = max(min(size, problem.n // 2), problem.k)
    keeping = {"models": "keep"} if problem.models else {}
    coarse = solve_partition("mondrian", replace(problem, k=size), run.child(), keeping)
    cuts = np.append(coarse.starts, len(coarse.rows))
    is_timed = run.budget.seconds is not None
    worse: list[bool] = []  # than `mondrian`, for each cell that was compared
    seeds = np.random.SeedSequence(run.seed).generate_state(coarse.number, np.uint64)

    def solve(cell: int) -> Partition:
        run.check()
        entries = slice(cuts[cell], cuts[cell + 1])
        rows, counts = coarse.rows[entries], coarse.counts[entries]
        alone = run.child(
            run.budget.fresh(),
            seed=int(seeds[cell]),
            threads=1,
            control=run.control.child(),
        )
        part = problem.part(rows, counts)
        if len(worse) >= CELLS_COMPARED and all(worse):
            cut = solve_partition("mondrian", part, alone, keeping)
            return replace(cut, rows=rows[cut.rows])
        try:
            with alone.at_most(run.budget.seconds_left):
                found = solve_partition(inside, part, alone)
        except ExpiredError:
            found = solve_partition("mondrian", part, alone, keeping)
        else:
            if is_timed and len(worse) < CELLS_COMPARED:
                cut = solve_partition("mondrian", part, alone, keeping)
                worse.append(_total(part, cut) < _total(part, found))
                found = cut if worse[-1] else found
        return replace(found, rows=rows[found.rows])

    with ThreadPoolExecutor(run.threads) as pool:
        found = list(pool.map(solve, range(coarse.number)))
    return _joined(found)


def _total(problem: Problem, found: Partition) -> float:
    totals = problem.objective().totals(found.rows, found.classes, found.counts, found.number)
    return float(np.asarray(totals).sum())


def _joined(parts: list[Partition]) -> Partition:
    numbers = np.cumsum([0, *(part.number for part in parts)])
    classes: list[NDArray[np.int64]] = [
        part.classes + first for part, first in zip(parts, numbers, strict=False)
    ]
    return Partition(
        np.concatenate([part.rows for part in parts]),
        np.concatenate(classes).astype(np.int32),
        np.concatenate([part.counts for part in parts]),
    )
