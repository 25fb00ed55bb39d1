"""Classes as columns of a set-partitioning program."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Multisets of records, given by distinct rows, and what each costs: size times loss.

    Parameters
    ----------
    start
        Where each column begins among the entries, and where the last one ends.
    rows, counts
        Entry i says that the column holds ``counts[i]`` records of row ``rows[i]``; rows ascend.
    costs
        Loss of all records of each column together.
    """

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    costs: NDArray[np.float64]

    @classmethod
    def none(cls) -> Columns:
        """Return no columns."""
        return cls(
            np.zeros(1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
        )

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The column of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each column."""
        return np.bincount(self.owners, self.counts, minlength=len(self)).astype(np.int64)

    def take(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> Columns:
        """Return some of the columns."""
        places = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        lengths = np.diff(self.start)[places]
        start = np.concatenate(([0], np.cumsum(lengths)))
        entries = np.repeat(self.start[places] - start[:-1], lengths) + np.arange(start[-1])
        return Columns(start, self.rows[entries], self.counts[entries], self.costs[places])

    def keys(self) -> list[bytes]:
        """Return a name for each column; equal columns have equal names."""
        pairs = np.stack((self.rows, self.counts), axis=1)
        bounds = self.start.tolist()
        return [pairs[a:b].tobytes() for a, b in pairwise(bounds)]

    def matrix(self, rows: int) -> csr_array:
        """Return records of each row (across) in each column (down)."""
        return csr_array(
            (self.counts.astype(np.int64), self.rows, self.start), shape=(len(self), rows)
        )


def grouped(
    owners: NDArray[np.integer], rows: NDArray[np.integer], counts: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return start, rows and counts of columns, given the column of each entry, from 0 on.

    Partitions may list a row in a class by several entries, columns may not.
    """
    width = int(rows.max(initial=0)) + 1
    keys, place = np.unique(owners.astype(np.int64) * width + rows, return_inverse=True)
    number = int(owners.max(initial=-1)) + 1
    return (
        np.searchsorted(keys // width, np.arange(number + 1)).astype(np.int64),
        (keys % width).astype(np.int32),
        np.bincount(place, counts, minlength=len(keys)).astype(np.int32),
    )


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of all parts, one after another."""
    offsets = np.cumsum([0, *(len(part.rows) for part in parts)])
    return Columns(
        np.concatenate(
            [[0], *(part.start[1:] + offset for part, offset in zip(parts, offsets, strict=False))]
        ).astype(np.int64),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.costs for part in parts]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Rank-1 cuts: Σ g(w(S)) x_S ≤ g(w(all records)), w the sum of weights of records.

    With a divisor d and a remainder r, g(w) = (d - r)·⌊w / d⌋ + max(0, (w mod d) - r): the
    program's equalities by mixed-integer rounding. Since g(v) + g(w) ≤ g(v + w), every division
    into classes keeps them.

    Parameters
    ----------
    start
        Where each cut begins among the entries, and where the last one ends.
    rows, weights
        The rows that weigh something, and how much.
    divisors, remainders
        d and r of each cut, r from 0 to d - 1.
    """

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[np.int32]
    divisors: NDArray[np.int32]
    remainders: NDArray[np.int32]

    @classmethod
    def none(cls) -> Cuts:
        """Return no cuts."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(np.zeros(1, dtype=np.int64), empty, empty, empty, empty)

    def __len__(self) -> int:
        return len(self.divisors)

    def joined(self, more: Cuts) -> Cuts:
        """Return these and more cuts."""
        return Cuts(
            np.concatenate((self.start, more.start[1:] + len(self.rows))),
            np.concatenate((self.rows, more.rows)),
            np.concatenate((self.weights, more.weights)),
            np.concatenate((self.divisors, more.divisors)),
            np.concatenate((self.remainders, more.remainders)),
        )

    def take(self, chosen: NDArray[np.bool_]) -> Cuts:
        """Return some of the cuts."""
        kept = np.repeat(chosen, np.diff(self.start))
        start = np.concatenate(([0], np.cumsum(np.diff(self.start)[chosen])))
        return Cuts(
            start.astype(np.int64),
            self.rows[kept],
            self.weights[kept],
            self.divisors[chosen],
            self.remainders[chosen],
        )

    def limits(self, counts: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the right-hand sides, given the records of each row."""
        held = np.asarray(self._matrix(len(counts)) @ counts.astype(np.int64), dtype=np.int64)
        return _rounded(held, self.divisors, self.remainders)

    def of(self, columns: Columns, rows: int) -> csr_array:
        """Return the coefficients: cuts across, columns down."""
        held = csr_array(columns.matrix(rows) @ self._matrix(rows).T)
        held.data = _rounded(held.data, self.divisors[held.indices], self.remainders[held.indices])
        held.eliminate_zeros()
        return held

    def _matrix(self, rows: int) -> csr_array:
        return csr_array(
            (self.weights.astype(np.int64), self.rows, self.start), shape=(len(self), rows)
        )


def _rounded(
    weights: NDArray[np.int64], divisors: NDArray[np.int32], remainders: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return g of weights, exact in whole numbers."""
    whole, rest = np.divmod(weights, divisors)
    return (divisors - remainders) * whole + np.maximum(0, rest - remainders)
