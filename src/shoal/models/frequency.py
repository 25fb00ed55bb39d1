"""Frequency l-diversity: no private value has more than its share of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError
from shoal.models.rounding import cut_down, plain

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms


@dataclass(frozen=True, slots=True)
class FrequencyDiversity:
    """No value of a class has a share above 1/l; monotone.

    Shares are compared as exact fractions: with l = 1.1 a class of 11 may hold 10 alike.
    """

    column: str
    l: Fraction  # noqa: E741 (the literature's letter)

    def __str__(self) -> str:
        return f"frequency-l-diversity:{plain(self.l)}@{self.column}"

    @property
    def monotone(self) -> bool:
        """A value's share of a union is at most its greatest share of a part."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return in which classes the most frequent value is no more frequent than 1/l."""
        sizes, places = np.unique(histograms.sizes, return_inverse=True)
        allowed = [int(size // self.l) for size in sizes.tolist()]
        return histograms.largest <= np.array(allowed, dtype=np.int64)[places]

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return by how many records the most frequent value exceeds its share."""
        return np.maximum(histograms.largest - histograms.sizes / float(self.l), 0.0)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if a value is too frequent in the whole table."""
        size, largest = int(histogram.sum()), int(histogram.max())
        if size < self.l * largest:
            raise InfeasibleError(
                f"{self}: no release can meet it, since one value stands in "
                f"{100 * largest / size:.2f} % of the records.",
                remedy=f"The largest feasible l is {cut_down(size / largest)}.",
                feasible=size / largest,
            )
