"""Branching: pairs of records in one class or not, and the number of classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.columns import Columns

# A pair of rows that are together in some of their classes only, or a number of classes: so many at
# most, or one more at least.
Doubt = tuple[int, int] | int

SMALL_SHARE = 1e-7
IN_DOUBT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """Pairs of rows with one record each that are kept together or apart; how many classes.

    ``most`` is ``None`` where only the program limits the number of classes.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    together: NDArray[np.uint8]
    fewest: int = 0
    most: int | None = None

    @classmethod
    def none(cls) -> Branches:
        """Return no branches."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(empty, empty, empty.astype(np.uint8))

    def __len__(self) -> int:
        return len(self.first) + (self.fewest > 0) + (self.most is not None)

    def joined(self, doubt: Doubt, *, upward: bool) -> Branches:
        """Return these branches and one more: together, or more classes, if upward."""
        if isinstance(doubt, int):
            if upward:
                return replace(self, fewest=doubt + 1)
            return replace(self, most=doubt)
        first, second = doubt
        return replace(
            self,
            first=np.append(self.first, np.int32(first)),
            second=np.append(self.second, np.int32(second)),
            together=np.append(self.together, np.uint8(upward)),
        )

    def allow(self, columns: Columns, rows: int, largest: int) -> NDArray[np.bool_]:
        """Return which columns keep to the branches."""
        if not len(self):
            return np.ones(len(columns), dtype=np.bool_)
        allowed = columns.sizes <= largest
        holds = columns.matrix(rows).tocsc()
        held = np.zeros((2, len(columns)), dtype=np.bool_)
        for first, second, together in zip(self.first, self.second, self.together, strict=True):
            held[:] = False
            for place, row in enumerate((first, second)):
                held[place, holds.indices[holds.indptr[row] : holds.indptr[row + 1]]] = True
            allowed &= held[0] == held[1] if together else ~(held[0] & held[1])
        return allowed

    def kept_in(self, rows: int) -> NDArray[np.bool_]:
        """Return which rows cannot be withheld: they are together with others."""
        kept = np.zeros(rows, dtype=np.bool_)
        for side in (self.first, self.second):
            kept[side[self.together == 1]] = True
        return kept


def doubts(
    columns: Columns, values: NDArray[np.float64], counts: NDArray[np.int32], most: int
) -> list[Doubt]:
    """Return what a fractional solution leaves open, what is most in doubt first."""
    used = np.flatnonzero(values > SMALL_SHARE)
    some = columns.take(used)
    single = csr_array(some.matrix(len(counts)) * (counts == 1))
    pairs = csr_array(single.T @ (single * values[used][:, None])).tocoo()
    upper = pairs.row < pairs.col
    rows, others, shares = pairs.row[upper], pairs.col[upper], pairs.data[upper]
    doubt = np.minimum(shares, 1.0 - shares)
    order = np.argsort(-doubt, kind="stable")[:most]
    found: list[Doubt] = [
        (int(rows[place]), int(others[place])) for place in order if doubt[place] > IN_DOUBT
    ]
    classes = float(values.sum())
    if abs(classes - round(classes)) > IN_DOUBT:
        found.insert(0, int(classes))
    return found
