"""Problems of some of the records, and covers between records and distinct rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.encode import FoldedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.cover import Cover
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def restricted(problem: Problem, records: NDArray[np.int64]) -> Problem:
    """Return the problem of some of the records, in their order."""
    rows, inverse, counts = np.unique(
        problem.folded.row_of[records], return_inverse=True, return_counts=True
    )
    row_of = inverse.astype(np.int32)
    first = np.full(len(rows), len(records), dtype=np.int32)
    np.minimum.at(first, row_of, np.arange(len(records), dtype=np.int32))
    return replace(
        problem,
        codes=tuple(codes[rows] for codes in problem.codes),
        folded=FoldedRows(row_of, first, counts.astype(np.int32)),
        models=(),
        protected=(),
        target=None,
        suppression_limit=0,
    )


def shuffled(problem: Problem, run: Run) -> tuple[Problem, NDArray[np.int64]]:
    """Return the problem with its records in random order, and which record stands where.

    Covers distinguish equal records, and ties are broken by the order of records: were it that of
    the source, whoever knows the source could tell whose released record is whose.
    """
    order = run.generator().permutation(problem.n).astype(np.int64)
    row_of = problem.folded.row_of[order]
    first = np.full(problem.rows, problem.n, dtype=np.int32)
    np.minimum.at(first, row_of, np.arange(problem.n, dtype=np.int32))
    folded = FoldedRows(row_of, first, problem.folded.counts)
    return replace(problem, folded=folded), order


def in_order(cover: Cover, order: NDArray[np.int64]) -> Cover:
    """Return a cover of shuffled records as one of the records in their own order."""
    records = order[cover.records]
    place = np.argsort(records)
    new = np.empty_like(place)
    new[place] = np.arange(len(place))
    matches = new[cover.matches[place]].astype(np.int32)
    matches[:, 1:] = np.sort(matches[:, 1:], axis=1)
    return replace(cover, records=records[place], matches=matches)


def unfolded(problem: Problem) -> Problem:
    """Return the problem with a row for every record, equal or not."""
    rows = problem.folded.row_of
    single = np.arange(problem.n, dtype=np.int32)
    return replace(
        problem,
        codes=tuple(codes[rows] for codes in problem.codes),
        folded=FoldedRows(single, single, np.ones(problem.n, dtype=np.int32)),
    )


def records_without(problem: Problem, out: NDArray[np.integer], run: Run) -> NDArray[np.int64]:
    """Return all records but so many of each row, drawn from its equals; ascending."""
    mixed = run.generator().permutation(problem.n)
    order = mixed[np.argsort(problem.folded.row_of[mixed], kind="stable")]
    row = problem.folded.row_of[order]
    counts = problem.counts.astype(np.int64)
    rank = np.arange(problem.n) - (np.cumsum(counts) - counts)[row]
    return np.sort(order[rank >= out[row]]).astype(np.int64)


def rows_of(problem: Problem, cover: Cover) -> NDArray[np.int32]:
    """Return a cover of records as kernels take it: the rows of released records, by their own."""
    by_row = np.argsort(problem.folded.row_of, kind="stable")
    members = problem.folded.row_of[cover.matches[by_row]]
    return np.ascontiguousarray(members.ravel(), dtype=np.int32)
