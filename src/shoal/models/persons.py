"""Counting persons instead of rows: a class must hold at least k different persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms


@dataclass(frozen=True, slots=True)
class DistinctPersons:
    """At least ``least`` different persons in every class; monotone.

    Without it, k rows of one hospital patient would pass for k patients.
    """

    column: str
    least: int

    def __str__(self) -> str:
        return f"{self.least} persons by {self.column!r}"

    @property
    def monotone(self) -> bool:
        """A union holds no fewer persons than either part."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes hold enough persons."""
        persons = np.bincount(histograms.owner, minlength=histograms.classes)
        return persons >= self.least

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many persons are lacking."""
        persons = np.bincount(histograms.owner, minlength=histograms.classes)
        return np.maximum(self.least - persons, 0).astype(np.float64)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if the whole table has too few persons."""
        persons = int(np.count_nonzero(histogram))
        if persons < self.least:
            raise InfeasibleError(
                f"k is {self.least}, but column {self.column!r} has only "
                f"{counted(persons, 'different person')}.",
                remedy=f"The largest feasible k is {persons}.",
                feasible=persons,
            )
