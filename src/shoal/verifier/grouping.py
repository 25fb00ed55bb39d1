"""Groups of equal rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_KEY_LIMIT = 2**62


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


def rank_within(group: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return how many entries of the same group stand before each one; groups are ascending.

    >>> rank_within(np.array([2, 2, 2, 5, 7, 7])).tolist()
    [0, 1, 2, 0, 0, 1]
    """
    begins = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])[: len(group)])
    return np.arange(len(group)) - np.repeat(begins, np.diff(np.append(begins, len(group))))
