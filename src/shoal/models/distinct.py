"""Distinct l-diversity: every class holds at least l different private values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms


@dataclass(frozen=True, slots=True)
class DistinctDiversity:
    """At least l different values in every class; monotone.

    A missing cell is a value of its own.
    """

    column: str
    l: int  # noqa: E741 (the literature's letter)

    def __str__(self) -> str:
        return f"distinct-l-diversity:{self.l}@{self.column}"

    @property
    def monotone(self) -> bool:
        """A union holds every value of its parts."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes hold enough values."""
        return np.bincount(histograms.owner, minlength=histograms.classes) >= self.l

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many values are lacking."""
        values = np.bincount(histograms.owner, minlength=histograms.classes)
        return np.maximum(self.l - values, 0).astype(np.float64)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if the whole table has too few values."""
        values = int(np.count_nonzero(histogram))
        if values < self.l:
            raise InfeasibleError(
                f"{self}: no release can meet it, since the column has only {values} values.",
                remedy=f"The largest feasible l is {values}.",
                feasible=values,
            )
