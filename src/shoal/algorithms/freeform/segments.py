"""Tables cut into segments whose records are covered apart from the others, in parallel."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.kernel_covers import lexicographic_rows
from shoal.algorithms.freeform.records import restricted
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal._core import kernels
    from shoal.algorithms.freeform.kernel_covers import Solve
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_SECONDS_BETWEEN_LOOKS = 0.1


def segments(problem: Problem, size: int) -> list[NDArray[np.int64]]:
    """Cut the records, in lexicographic order, into segments; the last may be longer by half."""
    place = np.empty(problem.rows, dtype=np.int64)
    place[lexicographic_rows(problem)] = np.arange(problem.rows)
    order = np.argsort(place[problem.folded.row_of], kind="stable").astype(np.int64)
    number = max(1, (problem.n + size // 2) // size)
    if problem.n - (number - 1) * size < problem.k:
        number = max(1, number - 1)
    return [
        order[i * size : (i + 1) * size if i + 1 < number else problem.n] for i in range(number)
    ]


def in_segments(
    problem: Problem, run: Run, solve: Solve, parts: Sequence[NDArray[np.int64]]
) -> Cover:
    """Return the cover of which every part of the records has its own, solved in parallel."""
    if len(parts) == 1:
        return solve(problem, run)
    controls = [run.control.child() for _ in parts]

    def solve_part(number: int) -> Cover:
        own = run.child(run.budget, threads=1, control=controls[number])
        return solve(restricted(problem, parts[number]), own)

    with ThreadPoolExecutor(run.threads) as pool:
        futures: list[Future[Cover]] = [pool.submit(solve_part, i) for i in range(len(parts))]
        try:
            _watch(run, futures, controls)
        except BaseException:
            for future in futures:
                future.cancel()
            for control in controls:
                control.cancel()
            raise
    found = [future.result() for future in futures]
    run.control.steps = sum(control.steps for control in controls)
    matches = np.empty((problem.n, problem.k), dtype=np.int32)
    for part, cover in zip(parts, found, strict=True):
        matches[part] = part[cover.matches]
    return Cover(np.arange(problem.n, dtype=np.int64), matches)


def _watch(run: Run, futures: Sequence[Future[Cover]], controls: Sequence[kernels.Control]) -> None:
    while True:
        done, waiting = wait(futures, _SECONDS_BETWEEN_LOOKS, FIRST_EXCEPTION)
        for future in done:
            future.result()
        run.report(sum(control.progress for control in controls) / len(controls))
        if run.control.stopping:
            raise Cancelled("The run was interrupted before every segment was covered.")
        if not waiting:
            return
