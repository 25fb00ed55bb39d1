"""Covers that kernels find, by the name of their method. Kernels: cpp/src/cover/."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.records import unfolded

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Solve = Callable[[Problem, Run], Cover]


def lexicographic_rows(problem: Problem) -> NDArray[np.int32]:
    """Return the distinct rows in lexicographic order, attributes of few values first."""
    by_size = np.argsort([domain.size for domain in problem.domains], kind="stable")
    return np.lexsort([problem.codes[j] for j in reversed(by_size)]).astype(np.int32)


def cover_by(method: str) -> Solve:
    """Return the solver that a method of the kernel is."""

    def solve(problem: Problem, run: Run) -> Cover:
        members = kernels.cover(
            problem.records(),
            problem.k,
            method,
            lexicographic_rows(problem),
            threads=run.threads,
            control=run.control,
        )
        return Cover.of_rows(problem, members)

    return solve


def pair_by(method: str) -> Solve:
    """Return the solver whose covers are symmetric: who covers a record is covered by it.

    Such covers distinguish equal records, so the kernel gets them as rows of their own.
    """

    def solve(problem: Problem, run: Run) -> Cover:
        single = unfolded(problem)
        members = kernels.cover(
            single.records(),
            problem.k,
            method,
            lexicographic_rows(single),
            threads=run.threads,
            control=run.control,
        )
        records = np.arange(problem.n, dtype=np.int64)
        return Cover(records, members.reshape(problem.n, problem.k))

    return solve
