"""Divisions of a table as columns and as partitions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.optimal.choosing import USUAL_LIMITS, ChoosingLimits
from shoal.algorithms.exact.optimal.columns import Columns, grouped
from shoal.algorithms.exact.optimal.generation import Generator
from shoal.algorithms.exact.optimal.search import Search
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def division_search(
    problem: Problem,
    run: Run,
    best: Partition,
    *,
    quick: bool = False,
    allowed: Callable[[Columns], NDArray[np.bool_]] | None = None,
    limits: ChoosingLimits = USUAL_LIMITS,
) -> Search[Partition]:
    """Return the search for the division of least loss; its options are those of the search."""
    generator = Generator(problem, run)
    return Search(
        generator,
        best,
        columns_of(best, generator),
        partial(_division_of, problem),
        suppressed=best.suppressed,
        quick=quick,
        allowed=allowed,
        limits=limits,
    )


def _division_of(
    problem: Problem, columns: Columns, withheld: NDArray[np.int64]
) -> Partition | None:
    partition = partition_of(columns, withheld)
    return partition if is_division(partition, problem) else None


def columns_of(partition: Partition, generator: Generator) -> Columns:
    """Return the classes of a partition as columns."""
    kept = partition.classes != SUPPRESSED
    grouping = grouped(partition.classes[kept], partition.rows[kept], partition.counts[kept])
    return Columns(*grouping, generator.costs(*grouping))


def partition_of(columns: Columns, withheld: NDArray[np.int64]) -> Partition:
    """Return columns as a partition."""
    gone = np.flatnonzero(withheld)
    return Partition.of(
        np.concatenate((columns.rows, gone)),
        np.concatenate((columns.owners, np.full(len(gone), SUPPRESSED))),
        np.concatenate((columns.counts, withheld[gone])),
    )


def is_division(partition: Partition, problem: Problem) -> bool:
    """Return whether every record is placed once, in classes of at least k, within the limit."""
    placed = np.bincount(partition.rows, partition.counts, minlength=problem.rows)
    return bool(
        np.array_equal(placed, problem.counts)
        and partition.sizes.min(initial=problem.n) >= problem.k
        and partition.suppressed <= problem.suppression_limit
    )
