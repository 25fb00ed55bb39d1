"""Frequency l-diversity: no sensitive value has more than its share of a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError
from shoal.models.protection import ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import cut_down

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "frequency-l-diversity",
    parameters=(Parameter("l", Fraction(1)),),
    example="1.3",
    meaning="No value occurs in more than 1/l of the records of a class.",
    aliases={"alpha-k-anonymity": "with l = 1/alpha", "(alpha,k)-anonymity": "with l = 1/alpha"},
)
@dataclass(frozen=True, slots=True, init=False)
class FrequencyDiversity:
    """No value of a class has a share above 1/l; monotone.

    Shares are compared as exact fractions: with l = 1.1 a class of 11 may hold 10 alike.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    l
        1/l is the largest share of a value. (α, k)-anonymity is the same with α = 1/l.
    """

    column: str | None
    l: Fraction  # noqa: E741 (the literature's letter)

    def __init__(self, column: str | None, l: Number) -> None:  # noqa: E741
        settle(self, column, l)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(self, values.codes)

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
                f"{self}: no release can meet it, since one value occurs in "
                f"{100 * largest / size:.2f} % of the records.",
                remedy=f"The largest feasible l is {cut_down(size / largest)}.",
                feasible=size / largest,
            )
