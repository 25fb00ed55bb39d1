"""Integer programs for a cover of least loss: over sets of records, and the paper's over pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_array

from shoal.algorithms.exact.linear_program import LinearProgram, ProgramBuilder
from shoal.algorithms.freeform.sets import loss_of_sets
from shoal.encoding.closures import Spans
from shoal.encoding.domain import IntervalDomain, SetDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain


def program_of_sets(problem: Problem, sets: NDArray[np.int64]) -> LinearProgram:
    """Return the program that chooses how often each set is released.

    Further columns say how many records of each row are suppressed, of which each loses 1.
    """
    number, k = sets.shape
    rows = problem.rows
    columns = np.repeat(np.arange(number), k)
    # A row that stands several times in a set is one coefficient.
    cells, times = np.unique(columns * rows + sets.ravel(), return_counts=True)
    start = np.searchsorted(cells, np.arange(number + 1) * rows)
    counts, limit = problem.counts.astype(np.float64), float(problem.suppression_limit)
    suppressed = np.stack([np.arange(rows), np.full(rows, rows)], axis=1)
    values = np.append(times, np.tile([k, 1], rows)).astype(np.float64)
    index = np.append(cells % rows, suppressed)
    starts = np.append(start, start[-1] + 2 * np.arange(1, rows + 1))
    return LinearProgram(
        cost=np.append(loss_of_sets(problem, sets), np.ones(rows)) / problem.n,
        low=np.zeros(number + rows),
        high=np.append(np.full(number, float(problem.n)), np.minimum(counts, limit)),
        integer=np.ones(number + rows, dtype=np.bool_),
        matrix=csc_array((values, index, starts), shape=(rows + 1, number + rows)),
        row_low=np.append(k * counts, 0.0),
        row_high=np.append(k * counts, limit),
    )


def _variable(program: ProgramBuilder, cost: float) -> int:
    """Add a variable between 0 and 1."""
    return int(program.add(1, 0.0, 1.0, cost)[0])


def _require(program: ProgramBuilder, terms: list[tuple[int, float]]) -> None:
    """Require that a sum of variables is not negative."""
    places, values = zip(*terms, strict=True)
    program.constrain(tuple(np.array([place]) for place in places), values, 0.0, np.inf)


def cover_program(problem: Problem) -> LinearProgram:
    """Return the program of the freeform paper (equations 4 to 11), over pairs of records.

    Of its first n x n columns ``i * n + l`` is 1 when released record i covers record l. Every
    released record covers its own: names can be given so, and it makes the closure of a
    hierarchical attribute the greatest of those with each member.
    """
    n = problem.n
    program = ProgramBuilder()
    covers = program.add(n * n, np.eye(n).ravel(), 1.0, 0.0, integer=True).reshape(n, n)
    for one in range(n):
        for each in (covers[one], covers[:, one]):
            program.constrain(tuple(each[:, None]), (1.0,) * n, problem.k, problem.k)
    rows = problem.folded.row_of
    for codes, domain, weight in zip(problem.codes, problem.domains, problem.weights, strict=True):
        values = codes[rows].astype(np.int64)
        for released in range(n):
            if isinstance(domain, SetDomain):
                share = weight * domain.step / n
                with_each = (values != values[released]).astype(float)
                terms = _close_set(program, problem, released, values, share)
            else:
                mine = np.full(n, values[released], dtype=np.int32)
                other = values.astype(np.int32)
                with_each = domain.loss(Spans(np.minimum(mine, other), np.maximum(mine, other)))
                terms = _close_span(
                    program, problem, released, values, domain, with_each, weight / n
                )
            if not terms:
                continue  # all records have the same value
            # Not in the paper: a closure loses no less than the mean of its members beside its
            # own. At k = 2 that makes the relaxation exact, beyond it halves the search.
            mean = [
                (released * n + original, -float(with_each[original]) / (problem.k - 1))
                for original in np.flatnonzero(with_each > 0).tolist()
            ]
            _require(program, [*terms, *mean])
    return program.build()


def _close_set(
    program: ProgramBuilder,
    problem: Problem,
    released: int,
    values: NDArray[np.int64],
    weight: float,
) -> list[tuple[int, float]]:
    """Add a variable for each value but the record's own: whether its set holds it (8, 9)."""
    terms = []
    for value in np.unique(values).tolist():
        if value == values[released]:
            continue
        held = _variable(program, weight)
        terms.append((held, 1.0))
        for original in np.flatnonzero(values == value).tolist():
            _require(program, [(held, 1.0), (released * problem.n + original, -1.0)])
    return terms


def _close_span(  # noqa: PLR0917 (one attribute of one record)
    program: ProgramBuilder,
    problem: Problem,
    released: int,
    values: NDArray[np.int64],
    domain: Domain,
    with_each: NDArray[np.float64],
    weight: float,
) -> list[tuple[int, float]]:
    """Add the loss of an interval or a node: at least that of each member beside its own (4-7)."""
    loss = _variable(program, weight)
    above = below = loss
    if isinstance(domain, IntervalDomain):
        above, below = _variable(program, 0.0), _variable(program, 0.0)
        _require(program, [(loss, 1.0), (above, -1.0), (below, -1.0)])
    for original in np.flatnonzero(with_each > 0).tolist():
        side = above if values[original] > values[released] else below
        if domain.missing in (values[original], values[released]):
            side = loss  # a missing cell beside numbers loses everything, on no side of them
        pair = [(side, 1.0), (released * problem.n + original, -float(with_each[original]))]
        _require(program, pair)
    return [(loss, 1.0)]
