"""Enhanced β-likeness: frequent private values gain no more than their surprise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.bounded_shares import LEEWAY, beyond_limits
from shoal.models.protection import UNFITTED, ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "enhanced-beta-likeness",
    parameters=(Parameter("beta", Fraction(1, 10**9)),),
    example="2",
    meaning="No value of share p in the table has more than 1 + min(beta, -ln p) times p in a "
    "class.",
)
@dataclass(frozen=True, slots=True, init=False)
class EnhancedLikeness:
    """In every class (q - p) / p ≤ min(β, -ln p), p the share in the table, q in the class.

    Enhanced β-likeness of Cao and Karras (2012): a value above the share exp(-β) may gain less
    than β, so that none ever fills a class unless it fills the table. Monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    beta
        The largest relative gain, of values that are rare enough.
    whole
        The share of each value in the original table.

    Examples
    --------
    >>> str(EnhancedLikeness("diagnosis", 2))
    'enhanced-beta-likeness:2@diagnosis'
    """

    column: str | None
    beta: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)

    def __init__(
        self, column: str | None, beta: Number, whole: NDArray[np.float64] = UNFITTED
    ) -> None:
        settle(self, column, beta)
        object.__setattr__(self, "whole", whole)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(replace(self, whole=values.shares), values.codes)

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lowest share of each value: 0."""
        return np.zeros_like(self.whole)

    @property
    def highest(self) -> NDArray[np.float64]:
        """The highest share of each value."""
        gain = np.minimum(float(self.beta), -np.log(self.whole))
        return self.whole * ((1 + gain) * (1 + LEEWAY))

    @property
    def monotone(self) -> bool:
        """A value's share of a union is at most its greatest share of a part."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return in which classes no share is above its limit."""
        return beyond_limits(self, histograms) <= 0.0

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many records of each class are too many of their value."""
        return beyond_limits(self, histograms) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Pass: the whole table has the shares of the table."""
