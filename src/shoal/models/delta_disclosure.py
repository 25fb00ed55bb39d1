"""δ-disclosure privacy: no class makes a sensitive value much likelier or much rarer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING

from shoal.models.bounded_shares import LEEWAY, beyond_limits
from shoal.models.protection import UNFITTED, ProtectedValues, Protection
from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "delta-disclosure",
    parameters=(Parameter("delta", Fraction(1, 10**9)),),
    example="1.5",
    meaning="The share of every value in a class is within a factor of exp(delta) of its share in "
    "the table.",
    aliases={"delta-disclosure-privacy": ""},
)
@dataclass(frozen=True, slots=True, init=False)
class DeltaDisclosure:
    """In every class |ln(share in the class / share in the table)| < δ, for every value; monotone.

    A value of the table that a class lacks breaks the model, whatever δ, as in the definition of
    Brickell and Shmatikov (2008): every class holds every value.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    delta
        The logarithm (natural) of the factor.
    whole
        The share of each value in the original table.

    Examples
    --------
    >>> str(DeltaDisclosure("diagnosis", 1.5))
    'delta-disclosure:1.5@diagnosis'
    """

    column: str | None
    delta: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)

    def __init__(
        self, column: str | None, delta: Number, whole: NDArray[np.float64] = UNFITTED
    ) -> None:
        settle(self, column, delta)
        object.__setattr__(self, "whole", whole)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002
        """Return the model on the values of a table."""
        return Protection(replace(self, whole=values.shares), values.codes)

    @property
    def lowest(self) -> NDArray[np.float64]:
        """The lowest share of each value."""
        # Powers of e with rational exponents are irrational: no share equals a limit exactly.
        return self.whole * (exp(-min(float(self.delta), 700.0)) * (1 - LEEWAY))

    @property
    def highest(self) -> NDArray[np.float64]:
        """The highest share of each value."""
        return self.whole * (exp(min(float(self.delta), 700.0)) * (1 + LEEWAY))

    @property
    def monotone(self) -> bool:
        """A value's share of a union lies between its shares of the parts."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return in which classes every share is within its limits."""
        return beyond_limits(self, histograms) <= 0.0

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return how many records of each class are too many or too few of their value."""
        return beyond_limits(self, histograms) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Pass: the whole table has the shares of the table."""
