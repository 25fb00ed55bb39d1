"""A recoding: which closure each record shows in each attribute, whichever algorithm chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.encode import FoldedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain

SUPPRESSED = -1


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRecoding:
    """The closures of one attribute: the distinct ones, and which of them each unit shows."""

    closures: Closures
    index: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """The released quasi-identifiers as closures.

    A unit is a group of records that look the same: no two units show the same closures.

    Parameters
    ----------
    unit
        For each record its unit, or ``SUPPRESSED``.
    columns
        For each attribute its closures.
    sizes
        For each unit its number of records.
    matches
        Where records look as they like: for each record the k records that its cells were made
        to cover, negative if it is suppressed.
    """

    unit: NDArray[np.int32]
    columns: tuple[ColumnRecoding, ...]
    sizes: NDArray[np.int64]
    matches: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, unit: NDArray[np.int32], columns: Sequence[ColumnRecoding]) -> Recoding:
        """Merge units that look the same."""
        if len(columns[0].index):
            same = FoldedRows.of([column.index.astype(np.uint32) for column in columns])
            columns = [ColumnRecoding(c.closures, c.index[same.first]) for c in columns]
            # SUPPRESSED is -1: it takes the entry appended at the end.
            unit = np.append(same.row_of, np.int32(SUPPRESSED))[unit]
        kept = len(columns[0].index)
        sizes = np.bincount(unit[unit != SUPPRESSED], minlength=kept).astype(np.int64)
        return cls(unit.astype(np.int32), tuple(columns), sizes)

    def blank(self, domains: Sequence[Domain]) -> NDArray[np.bool_]:
        """Return which units show ``*`` in every attribute."""
        stars = [d.star(c.closures)[c.index] for c, d in zip(self.columns, domains, strict=True)]
        return np.asarray(np.logical_and.reduce(stars), dtype=np.bool_)

    def without_empty_units(self) -> Recoding:
        """Return the recoding without units that have no record, and closures of no unit."""
        held = self.sizes > 0
        # SUPPRESSED is -1: it takes the entry appended at the end.
        number = np.append(np.cumsum(held, dtype=np.int32) - 1, np.int32(SUPPRESSED))
        columns = []
        for column in self.columns:
            index = column.index[held]
            used = np.bincount(index) > 0
            place = np.cumsum(used, dtype=np.int32) - 1
            columns.append(ColumnRecoding(column.closures.take(np.flatnonzero(used)), place[index]))
        return Recoding(
            number[self.unit].astype(np.int32), tuple(columns), self.sizes[held], self.matches
        )

    @property
    def suppressed(self) -> int:
        """Number of records without a unit."""
        return int((self.unit == SUPPRESSED).sum())
