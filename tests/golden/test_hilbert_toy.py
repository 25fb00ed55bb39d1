"""Table 1 of the sequential paper: what rescaling does for the Hilbert curve."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.algorithms import Problem, Run
from shoal.algorithms.cluster.hilbert import Hilbert
from shoal.encoding.domain import SuppressDomain
from shoal.encoding.encode import FoldedRows
from shoal.table import Attribute, Kind


def toy(k: int) -> Problem:
    """Return four rows of k/2 records each; the last column ranges over 0, 1 and 2."""
    rows = np.array([(0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 2), (1, 1, 1, 2)], dtype=np.uint8)
    domains = tuple(
        SuppressDomain(Attribute(name, Kind.SUPPRESS_ONLY), values, missing=None)
        for name, values in zip("abcd", ["01", "01", "01", "012"], strict=True)
    )
    folded = FoldedRows.of([np.repeat(column, k // 2) for column in rows.T])
    return Problem(
        codes=tuple(rows.T.copy()), domains=domains, weights=(0.25,) * 4, folded=folded, k=k
    )


@pytest.mark.parametrize("k", [2, 10, 50])
@pytest.mark.parametrize(("rescale", "cells"), [(False, 6), (True, 2)])
def test_suppressed_cells(k: int, rescale: bool, cells: int) -> None:
    problem = toy(k)
    classes = Hilbert(rescale=rescale).solve(problem, Run(seed=1))
    entries = classes.rows, classes.classes, classes.counts, classes.number
    assert 4 * problem.objective().totals(*entries).sum() == pytest.approx(cells * k)
