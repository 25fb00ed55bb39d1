"""The company that values of a column keep: what their records hold in another column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ValueReadError
from shoal.table.detect import detect
from shoal.table.leaves import distinct_leaves, leaf_codes
from shoal.table.schema import Attribute, Kind
from shoal.table.values import DistinctCells, distinct_cells, numbers

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_BINS = 16


def company_of(series: pl.Series, other: pl.Series) -> NDArray[np.int64]:
    """Return how many records of each value (rows) hold each value, or bin, of another column.

    Values stand in the order of their texts; records where the first column is missing do not
    count.
    """
    distinct = distinct_cells(series)
    leaves, _, _ = distinct_leaves(distinct)
    mine, size, bins = leaf_codes(distinct, leaves), len(leaves), _bins(other)
    width = int(bins.max()) + 1
    present = mine < size
    flat = np.bincount(mine[present] * width + bins[present], minlength=size * width)
    return flat.reshape(size, width).astype(np.int64)


def _bins(series: pl.Series) -> NDArray[np.int64]:
    """Return a small code for each row: its value, or one of sixteen bins; missing is the last."""
    distinct = distinct_cells(series)
    leaves, counts, places = distinct_leaves(distinct)
    held = np.array(counts, dtype=np.int64)
    bin_of = np.arange(len(leaves))
    if len(leaves) > _BINS:
        read = _numbers_if_any(series, distinct)
        if read is not None:
            order = np.argsort(read[places], kind="stable")
            before = np.cumsum(held[order]) - held[order]
            bin_of[order] = before * _BINS // held.sum()
        else:
            rank = np.empty(len(leaves), dtype=np.int64)
            rank[np.argsort(-held, kind="stable")] = np.arange(len(leaves))
            bin_of = np.minimum(rank, _BINS - 1)
    last = min(len(leaves), _BINS)
    return np.append(bin_of, last).astype(np.int64)[leaf_codes(distinct, leaves)]


def _numbers_if_any(series: pl.Series, distinct: DistinctCells) -> NDArray[np.float64] | None:
    found = detect(series)
    if found.kind is not Kind.NUMERIC or found.mixed:
        return None
    attribute = Attribute(series.name, Kind.NUMERIC, found.reading, order=found.order)
    try:
        return numbers(distinct, attribute)
    except ValueReadError:
        return None  # how the column is read is decided elsewhere; here it only lends company
