"""Branching on pairs of records: in one class, or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """Pairs of rows with one record each that are kept together or apart."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    together: NDArray[np.uint8]

    @classmethod
    def none(cls) -> Branches:
        """Return no branches."""
        empty = np.zeros(0, dtype=np.int32)
        return cls(empty, empty, empty.astype(np.uint8))

    def __len__(self) -> int:
        return len(self.first)

    def joined(self, first: int, second: int, *, together: bool) -> Branches:
        """Return these branches and one more."""
        return Branches(
            np.append(self.first, np.int32(first)),
            np.append(self.second, np.int32(second)),
            np.append(self.together, np.uint8(together)),
        )

    def allow(self, columns: Columns, rows: int) -> NDArray[np.bool_]:
        """Return which columns keep to the branches."""
        allowed = np.ones(len(columns), dtype=np.bool_)
        if not len(self):
            return allowed
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


def fractional_pair(
    columns: Columns, values: NDArray[np.float64], counts: NDArray[np.int32]
) -> tuple[int, int] | None:
    """Return the pair of rows of one record each whose being together is most in doubt."""
    used = np.flatnonzero(values > 1e-7)
    some = columns.take(used)
    single = csr_array(some.matrix(len(counts)) * (counts == 1))
    pairs = csr_array(single.T @ (single * values[used][:, None])).tocoo()
    upper = pairs.row < pairs.col
    rows, others, shares = pairs.row[upper], pairs.col[upper], pairs.data[upper]
    doubt = np.minimum(shares, 1.0 - shares)
    if doubt.max(initial=0.0) < 1e-6:
        return None
    place = int(np.argmax(doubt))
    return int(rows[place]), int(others[place])
