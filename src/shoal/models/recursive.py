"""Recursive (c, l)-diversity: a class is not dominated by its most frequent values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError
from shoal.models.protection import ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "recursive-l-diversity",
    parameters=(
        Parameter("c", Fraction(1, 10**9)),
        Parameter("l", Fraction(1), whole=True),
    ),
    example="3,2",
    meaning=(
        "The most frequent value of a class occurs less than c times as often as all values from "
        "the l-th on."
    ),
)
@dataclass(frozen=True, slots=True, init=False)
class RecursiveDiversity:
    """In every class r_1 < c (r_l + r_{l+1} + …), r_i the count of its i-th most frequent value.

    Monotone: the most frequent value of a union counts at most r_1 + r_1', and its l - 1 most
    frequent values leave at least what those of the parts leave.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    c, l
        The numbers of the inequality.
    """

    column: str | None
    c: Fraction
    l: int  # noqa: E741 (the literature's letter)

    def __init__(self, column: str | None, c: Number, l: Number) -> None:  # noqa: E741
        settle(self, column, c, l)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(self, values.codes)

    @property
    def monotone(self) -> bool:
        """See the class."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return in which classes r_1 < c (r_l + r_{l+1} + …)."""
        rests, places = np.unique(self._rests(histograms), return_inverse=True)
        limits = [ceil(self.c * rest) for rest in rests.tolist()]
        return histograms.largest < np.array(limits, dtype=np.int64)[places]

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return by how many records the most frequent value exceeds its limit."""
        limits = float(self.c) * self._rests(histograms)
        return np.maximum(histograms.largest - limits, 0.0)

    def _rests(self, histograms: ClassHistograms) -> NDArray[np.int64]:
        """Return r_l + r_{l+1} + … of each class."""
        order = np.lexsort((-histograms.count, histograms.owner))
        owner, count = histograms.owner[order], histograms.count[order]
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
        rests = np.bincount(owner, count * (rank >= self.l - 1), minlength=histograms.classes)
        return rests.astype(np.int64)

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Raise ``InfeasibleError`` if the whole table does not meet it."""
        counts = sorted(histogram[histogram > 0].tolist(), reverse=True)
        rests = [sum(counts[first:]) for first in range(len(counts))]
        met = [place + 1 for place, rest in enumerate(rests) if counts[0] < self.c * rest]
        if self.l in met:
            return
        largest = max(met, default=0)
        remedy = (
            f"With c = {plain(self.c)} the largest feasible l is {largest}."
            if largest
            else f"No l is feasible with c = {plain(self.c)}."
        )
        if self.l <= len(counts):
            remedy += f" With l = {self.l}, c must be above {counts[0] / rests[self.l - 1]:.4f}."
        raise InfeasibleError(
            f"{self}: no release can meet it, since not even the whole table as one class does.",
            remedy=remedy,
            feasible=largest,
        )
