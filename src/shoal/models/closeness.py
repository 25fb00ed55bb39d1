"""t-closeness with equal distance: sensitive values of a class are distributed as in the table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.protection import UNFITTED, ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


def equal_distances(histograms: ClassHistograms, whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the sum of |share in the class - share in the table|, for each class.

    Values that a class lacks add their share in the table, so only those it has are looked at.
    """
    shares = histograms.count / histograms.sizes[histograms.owner]
    usual = whole[histograms.value]
    terms = np.abs(shares - usual) - usual
    sums = np.bincount(histograms.owner, terms, minlength=histograms.classes)
    return np.asarray(0.5 * (1.0 + sums), np.float64)


@privacy_model(
    "t-closeness",
    parameters=(Parameter("t", Fraction(0), Fraction(1)),),
    example="0.2",
    meaning=(
        "The values of a class are distributed as in the table, within t; all values are equally "
        "far apart."
    ),
)
@dataclass(frozen=True, slots=True, init=False)
class Closeness:
    """Every class is within t of the table, all values being equally far apart; monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    t
        The largest distance.
    whole
        The share of each value in the original table.
    """

    column: str | None
    t: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)

    def __init__(
        self, column: str | None, t: Number, whole: NDArray[np.float64] = UNFITTED
    ) -> None:
        settle(self, column, t)
        object.__setattr__(self, "whole", whole)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(replace(self, whole=values.shares), values.codes)

    @property
    def monotone(self) -> bool:
        """A mixture of classes is no further from the table than the furthest of them."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes are close enough."""
        return equal_distances(histograms, self.whole) <= float(self.t) + TOLERANCE

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the distance beyond t, times the records of each class."""
        far = equal_distances(histograms, self.whole)
        return np.maximum(far - float(self.t), 0.0) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Pass: the whole table is at distance 0 from itself."""
