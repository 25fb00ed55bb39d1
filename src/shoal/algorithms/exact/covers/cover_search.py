"""The search for the cover of least loss: which sets of k records are released, and how often.

What a released record loses depends on the k originals that it covers, not on whose it is (see
``freeform/sets.py``). So a cover is a choice of sets of k records that places every record k times:
the program of a division, with k places for a record instead of one, and classes of exactly k.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.optimal.columns import Columns, grouped
from shoal.algorithms.exact.optimal.generation import Generator
from shoal.algorithms.exact.optimal.master import Program
from shoal.algorithms.exact.optimal.search import Search
from shoal.algorithms.freeform.sets import cover_of_sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.cover import Cover
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def cover_search(problem: Problem, run: Run, best: Cover) -> Search[Cover]:
    """Return the search for the cover of least loss, from one to start with."""
    # Equal records take k places each, together more than 32 bits can count.
    places = problem.k * problem.counts.astype(np.int64)
    program = Program(places, problem.n, problem.suppression_limit, times=problem.k)
    generator = Generator(problem, run, largest=problem.k, program=program)
    return Search(
        generator,
        best,
        columns_of_cover(best, generator),
        partial(_cover_of, problem, run),
        suppressed=problem.n - len(best.records),
    )


def columns_of_cover(cover: Cover, generator: Generator) -> Columns:
    """Return the sets of a cover as columns."""
    rows = generator.problem.folded.row_of[cover.records[cover.matches]]
    owners = np.repeat(np.arange(len(rows)), cover.k)
    grouping = grouped(owners, rows.ravel(), np.ones(rows.size, dtype=np.int32))
    return Columns(*grouping, generator.costs(*grouping))


def _cover_of(
    problem: Problem, run: Run, columns: Columns, withheld: NDArray[np.int64]
) -> Cover | None:
    """Return the cover that releases these sets; ``None`` if they make up none."""
    if (columns.sizes != problem.k).any():
        return None
    sets = np.repeat(columns.rows, columns.counts).reshape(-1, problem.k).astype(np.int64)
    out = withheld if len(withheld) else np.zeros(problem.rows, dtype=np.int64)
    return cover_of_sets(problem, sets, out, run)
