"""Solving under a highest level: records that may not share a class are solved apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import Form
from shoal.algorithms.partition import Partition
from shoal.algorithms.solution import without_proof
from shoal.encoding.domain import TreeDomain
from shoal.encoding.encode import FoldedRows
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import InfeasibleError, ParameterError
from shoal.models import ClassHistograms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.algorithm import Algorithm
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution
    from shoal.encoding.domain import Domain


def solve_within_levels(chosen: Algorithm, problem: Problem, run: Run) -> Solution:
    """Solve a problem so that no class shows a level above the highest of its column.

    Two records whose values have different nodes at the highest level cannot be in one class, so
    that the groups of those that can are problems of their own. A group that is smaller than k, or
    breaks a model as a whole, is suppressed. Lattices have no nodes beyond the limits, and are
    searched as they are.

    Raises
    ------
    InfeasibleError
        If more records would have to be suppressed than may be.
    """
    limits = [domain.levels for domain in problem.domains if isinstance(domain, TreeDomain)]
    if chosen.traits.form is Form.FULL_DOMAIN:
        return chosen.solve(problem, run)
    groups = kept_apart(problem.domains, problem.codes)
    if groups is not None:
        return _solve_apart(chosen, problem, run, groups)
    solution = chosen.solve(problem, run)
    # What an algorithm proves without looking at the lowest level need not hold under it.
    return without_proof(solution) if any(lowest for lowest, _ in limits) else solution


def kept_apart(
    domains: Sequence[Domain], codes: Sequence[NDArray[np.unsignedinteger]]
) -> FoldedRows | None:
    """Return the rows grouped by their nodes at the highest levels, if there are such limits."""
    nodes = [
        domain.ancestors[domain.levels[1]][column].astype(np.uint32)
        for domain, column in zip(domains, codes, strict=True)
        if isinstance(domain, TreeDomain) and domain.levels[1] < len(domain.ancestors) - 1
    ]
    return FoldedRows.of(nodes) if nodes else None


def _solve_apart(chosen: Algorithm, problem: Problem, run: Run, groups: FoldedRows) -> Partition:
    owner = groups.row_of
    sizes = np.bincount(owner, problem.counts).astype(np.int64)
    sound = _sound(problem, owner, sizes)
    left = problem.suppression_limit - int(sizes[~sound].sum())
    if left < 0:
        raise InfeasibleError(
            f"Under `max_level`, {problem.suppression_limit - left:,} records are in groups of "
            f"fewer than {problem.k} or in groups that break a model, but only "
            f"{problem.suppression_limit:,} may be suppressed.",
            remedy="Raise `max_level`, or `suppression`.",
        )
    alone = np.flatnonzero(~sound[owner])
    entries = [(alone, np.full(len(alone), SUPPRESSED), problem.counts[alone])]
    todo = int(sizes[sound].sum())
    done = steps = classes = 0
    for group in np.flatnonzero(sound).tolist():
        rows = np.flatnonzero(owner == group)
        records = int(sizes[group])
        subproblem = replace(
            problem.part(rows, problem.counts[rows]), suppression_limit=left * records // todo
        )
        with run.part(done / todo, (done + records) / todo):
            found = chosen.solve(subproblem, run.within(run.budget.share(records / (todo - done))))
        if not isinstance(found, Partition):
            raise ParameterError(f"{chosen.name} does not divide records into classes.")
        named = np.where(found.classes == SUPPRESSED, SUPPRESSED, found.classes + classes)
        entries.append((rows[found.rows], named, found.counts))
        classes += found.number
        done += records
        steps += run.control.steps
    run.control.steps = steps
    return Partition.of(*(np.concatenate(parts) for parts in zip(*entries, strict=True)))


def _sound(
    problem: Problem, owner: NDArray[np.integer], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which groups could be a class each."""
    sound = np.asarray(sizes >= problem.k)
    for model, values in zip(problem.models, problem.protected, strict=True):
        sound &= model.holds(ClassHistograms.of(owner, values, problem.counts, len(sizes)))
    return sound
