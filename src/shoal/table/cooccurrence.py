"""Co-occurrence: what the records of each value of a column hold in another column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import ValueReadError
from shoal.table.cells import DistinctCells, distinct_cells, numbers
from shoal.table.kind_detection import detect
from shoal.table.leaf_values import distinct_leaves, leaf_codes
from shoal.table.schema import Attribute, Kind

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_BINS = 16
# Further columns add little, and every text column of a wide table is compared with each.
_MOST_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class CooccurrenceContext:
    """Columns whose values show which values of another column are alike; each is read once.

    Parameters
    ----------
    columns
        The columns; names must differ.
    """

    columns: tuple[pl.Series, ...] = ()
    _bins: dict[str, NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def beside(self, series: pl.Series) -> list[pl.Series]:
        """Return the columns but the one of this name: the first ones of a wide table."""
        return [other for other in self.columns if other.name != series.name][:_MOST_COLUMNS]

    def of(self, series: pl.Series) -> list[NDArray[np.int64]]:
        """Return for each column beside how many records of each value hold each value of it.

        Rows stand for the values in the order of their texts, columns for the values of the other
        column, or sixteen bins of them. Records without a value do not count.
        """
        distinct = distinct_cells(series)
        leaves, _, _ = distinct_leaves(distinct)
        mine, size = leaf_codes(distinct, leaves), len(leaves)
        present = mine < size
        tables = []
        for other in self.beside(series):
            if other.name not in self._bins:
                self._bins[other.name] = _bins_of(other)
            bins = self._bins[other.name]
            width = int(bins.max()) + 1
            flat = np.bincount(mine[present] * width + bins[present], minlength=size * width)
            tables.append(flat.reshape(size, width).astype(np.int64))
        return tables


def _bins_of(series: pl.Series) -> NDArray[np.int64]:
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
        return numbers(distinct, attribute, open_values=True)
    except ValueReadError:
        return (
            None  # how the column is read is decided elsewhere; here only its co-occurrence counts
        )
