"""Groups of equal rows, and codes by which columns of two tables compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.table.values import distinct_cells, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_KEY_LIMIT = 2**62
_SPELLED_THE_SAME = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows that are equal in some columns.

    Parameters
    ----------
    of_row
        For each row its group.
    first
        For each group one of its rows.
    sizes
        For each group its number of rows.
    """

    of_row: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all rows ordered by group, and where each group starts among them."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        return np.argsort(self.of_row, kind="stable"), starts


def group_rows(columns: Sequence[NDArray[np.int64]]) -> Groups:
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
        key = key * width + column
        span *= width
    _, first, of_row, sizes = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return Groups(of_row.astype(np.int64), first, sizes)


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

    Columns of one type compare as they are. A text column of a release is read back in the
    original's numeric type when all of it can be; otherwise the texts that the cells show decide.
    An empty text and a missing cell are the same.
    """
    if original.dtype == released.dtype and original.dtype not in _SPELLED_THE_SAME:
        return original, released
    if released.dtype == pl.String and (
        original.dtype.is_numeric() or original.dtype.is_temporal()
    ):
        shown = texts(released)
        read = shown.cast(original.dtype, strict=False)
        if read.null_count() == shown.null_count():
            return original, read
    return texts(original), texts(released)


def common_codes(original: pl.Series, released: pl.Series) -> list[NDArray[np.int64]]:
    """Return codes of both columns in which equal codes mean unchanged values."""
    left, right = comparable(original, released)
    joint = pl.concat([left.alias("cell"), right.alias("cell")], rechunk=True)
    if joint.dtype.is_nested() or joint.dtype == pl.Object:
        joint = pl.Series([None if cell is None else repr(cell) for cell in joint.to_list()])
    codes = distinct_cells(joint).codes.astype(np.int64)
    return [codes[: len(original)], codes[len(original) :]]
