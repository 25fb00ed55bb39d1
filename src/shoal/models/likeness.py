"""Basic β-likeness: no class makes a sensitive value much likelier than the table does."""

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
    "beta-likeness",
    parameters=(Parameter("beta", Fraction(1, 10**9)),),
    example="2",
    meaning="In a class, no value has more than 1 + beta times its share in the table.",
    aliases={"basic-beta-likeness": ""},
)
@dataclass(frozen=True, slots=True, init=False)
class Likeness:
    """In every class (q - p) / p ≤ β for the share p of every value in the table, q in the class.

    Basic β-likeness of Cao and Karras (2012). Only gains count: a value may be rarer in a class,
    or absent. Monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    beta
        The largest relative gain.
    whole
        The share of each value in the original table.

    Examples
    --------
    >>> str(Likeness("diagnosis", 2))
    'beta-likeness:2@diagnosis'
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
        return self.whole * ((1 + float(self.beta)) * (1 + LEEWAY))

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
