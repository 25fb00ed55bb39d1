"""Freeform releases under a personal k: records that require more, with their neighbours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.cover_parts import CoverParts
from shoal.algorithms.freeform.records import restricted
from shoal.models import PersonalK

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.concealment import Concealment
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_Part = TypeVar("_Part", "Cover", "Concealment")
# Rows up to which the records are divided by `k-member`, which takes seconds there.
MOST_BY_K_MEMBER = 20_000
# Share of a search's budget that `refine` has to divide the records. Of .25, .5 and .7, half loses
# least on 3,000 records of Adult, k = 5, where a fourth or some 4 % ask for more.
DIVIDING_SHARE = 0.5


def ks_of_rows(problem: Problem) -> NDArray[np.int64] | None:
    """Return the k that each row requires; ``None`` if none requires more than the common one."""
    ks = np.full(problem.rows, problem.k, dtype=np.int64)
    for model, codes in zip(problem.models, problem.protected, strict=True):
        if isinstance(model, PersonalK):
            ks = np.maximum(ks, model.ks[codes])
    return ks if ks.max(initial=problem.k) > problem.k else None


def cover_in_parts(
    problem: Problem,
    ks: NDArray[np.int64],
    run: Run,
    solve: Callable[[Problem, Run], Cover],
    *,
    class_steps: int = 0,
) -> CoverParts:
    """Return covers in which each original has as many equally likely counterparts as it requires.

    Parameters
    ----------
    ks
        The k of each row, from :func:`ks_of_rows`.
    solve
        How a part is covered, with one k for all its records.
    class_steps
        For a search, how many steps of `refine` take as long as one of its own; else 0.
    """
    return CoverParts(tuple(solve_in_parts(problem, ks, run, solve, class_steps=class_steps)))


def solve_in_parts(
    problem: Problem,
    ks: NDArray[np.int64],
    run: Run,
    solve: Callable[[Problem, Run], _Part],
    *,
    class_steps: int = 0,
) -> list[_Part]:
    """Return solutions of disjoint parts, each with a k that none of its records exceeds.

    The idea: classes that are as large as their records require show which records are near a
    demanding one. Classes that require the same k are one part, which is covered with that k, so
    that records far from demanding ones keep the common k. A search spends half of its budget on
    these classes; better ones leave less to a large k. Suppression and the rest of the budget are
    shared out by the number of records.
    """
    parts, done = [], 0
    steps = run.budget.share(1.0 - DIVIDING_SHARE if class_steps else 1.0).steps
    for k, records in _divided(problem, ks, run, class_steps):
        size = len(records)
        own = run.budget.share(size / (problem.n - done))
        if steps is not None:
            own = replace(own, steps=max(1, steps * size // problem.n))
        limit = problem.suppression_limit * size // problem.n
        subproblem = replace(restricted(problem, records), k=k, suppression_limit=limit)
        with run.part(done / problem.n, (done + size) / problem.n):
            found = solve(subproblem, run.within(own))
        parts.append(replace(found, records=records[found.records]))
        done += size
    return parts


def _divided(
    problem: Problem, ks: NDArray[np.int64], run: Run, class_steps: int
) -> list[tuple[int, NDArray[np.int64]]]:
    """Return the ks of the parts, ascending, with the records of each, ascending."""
    classes = _classes(problem.without_suppression(), run, class_steps)
    class_of = classes.class_of_record(problem, run.generator())
    largest = np.zeros(classes.number, dtype=np.int64)
    np.maximum.at(largest, class_of, ks[problem.folded.row_of])
    k_of_record = largest[class_of]
    return [
        (int(k), np.flatnonzero(k_of_record == k).astype(np.int64)) for k in np.unique(k_of_record)
    ]


def _classes(problem: Problem, run: Run, class_steps: int) -> Partition:
    if class_steps and run.budget.is_limited:
        own = run.budget.share(DIVIDING_SHARE)
        if own.steps is not None:
            own = replace(own, steps=max(1, class_steps * own.steps))
        return solve_partition("refine", problem, run.child(own))
    name = "k-member" if problem.rows <= MOST_BY_K_MEMBER else "mondrian"
    return solve_partition(name, problem, run.child())
