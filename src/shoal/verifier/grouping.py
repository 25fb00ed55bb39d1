"""Groups of equal rows, and codes by which columns of two tables compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.table.cells import distinct_cells, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_KEY_LIMIT = 2**62
_COMPARED_BY_TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Object)


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows that are equal in some columns; groups ascend by the first column, then the next.

    Parameters
    ----------
    rows
        All rows, those of the first group first.
    starts
        Where each group starts in ``rows``, and last the number of rows.
    """

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rows of each group."""
        return np.diff(self.starts)

    @property
    def first(self) -> NDArray[np.int64]:
        """One row of each group."""
        return self.rows[self.starts[:-1]]

    def of_row(self) -> NDArray[np.int64]:
        """Return for each row its group."""
        groups = np.empty(len(self.rows), np.int64)
        groups[self.rows] = np.repeat(np.arange(len(self)), self.sizes)
        return groups


def group_rows(columns: Sequence[NDArray[np.integer[Any]]]) -> Groups:
    """Group rows that are equal in all columns; each column holds codes from 0 up.

    The codes of a row become one number as long as it fits, so one sort groups them all.
    """
    key = np.zeros(len(columns[0]), np.int64)
    span = 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if span * width > _KEY_LIMIT:
            names, key = np.unique(key, return_inverse=True)
            span = len(names)
        key *= width
        key += column
        span *= width
    rows = np.argsort(key)
    key = key[rows]
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
    return Groups(rows, starts)


def ranges(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all numbers from each first up to its last, that one left out, one run after another.

    >>> ranges(np.array([5, 0]), np.array([7, 1])).tolist()
    [5, 6, 0]
    """
    lengths = last - first
    offsets = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    return np.asarray(np.arange(lengths.sum()) + offsets, np.int64)


def comparable(original: pl.Series, released: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return two columns in a common type in which equal cells mean unchanged values.

    Columns of one type compare as they are. A text column of a release is read back as numbers or
    times when the original holds such and all of it can be; otherwise the texts that the cells
    show decide. An empty text and a missing cell are the same.
    """
    if original.dtype == released.dtype and original.dtype not in _COMPARED_BY_TEXT:
        return original, released
    if released.dtype == pl.String:
        shown = texts(released)
        read = _read_back(shown, original.dtype)
        if read is not None and read.null_count() == shown.null_count():
            return original, read
    return _shown(original), _shown(released)


def _shown(series: pl.Series) -> pl.Series:
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return pl.Series([None if cell is None else repr(cell) for cell in series.to_list()])
    return texts(series)


def _read_back(shown: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    if dtype.is_numeric():
        return shown.cast(dtype, strict=False)
    if dtype == pl.Time:
        return shown.str.to_time("%H:%M:%S%.f", strict=False)
    if isinstance(dtype, pl.Datetime):
        spaced = shown.str.replace("T", " ", literal=True)
        if dtype.time_zone is None:
            return spaced.str.to_datetime(
                "%Y-%m-%d %H:%M:%S%.f", time_unit=dtype.time_unit, strict=False
            )
        return spaced.str.to_datetime(
            "%Y-%m-%d %H:%M:%S%.f%z", time_unit=dtype.time_unit, strict=False
        ).dt.convert_time_zone(dtype.time_zone)
    return None


def common_codes(original: pl.Series, released: pl.Series) -> NDArray[np.uint32]:
    """Return codes of both columns, one after the other; equal codes mean unchanged values."""
    left, right = comparable(original, released)
    joint = pl.concat([left.alias("cell"), right.alias("cell")], rechunk=True)
    return distinct_cells(_shown(joint) if joint.dtype.is_nested() else joint).codes
