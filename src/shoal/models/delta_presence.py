"""δ-presence: a release reveals little about which people of a known population are in it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import ParameterError
from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from shoal.models.release_model import ReleasedClasses
    from shoal.models.rounding import Number


@privacy_model(
    "delta-presence",
    parameters=(
        Parameter("low", Fraction(0), Fraction(1)),
        Parameter("high", Fraction(0), Fraction(1)),
    ),
    example="0,0.5",
    meaning="To whoever knows a person of the population, the chance that this person is in the "
    "table is between low and high; needs `population` and `form` = full-domain.",
    whole_release=True,
)
@dataclass(frozen=True, slots=True, init=False)
class DeltaPresence:
    """For every class low ≤ records / people of the population that it covers ≤ high.

    Nergiz, Atzori and Clifton (2007). People whom no class covers are known to be absent: their
    chance is 0. Defined where every person is covered by one class at most, as in full-domain
    releases.

    Parameters
    ----------
    low, high
        Limits of the chance.

    Examples
    --------
    >>> str(DeltaPresence(0.1, 0.5))
    'delta-presence:0.1,0.5'
    """

    low: Fraction
    high: Fraction

    def __init__(self, low: Number, high: Number) -> None:
        settle(self, None, low, high)
        if self.low > self.high:
            raise ParameterError(
                f"Model {self}: low is above high.", remedy="Write the lower share first."
            )

    def __str__(self) -> str:
        return spell(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """The options that must be set for it."""
        return ("population",)

    def holds(self, classes: ReleasedClasses) -> bool:
        """Return whether the chance of every person of the population is within the limits."""
        assert classes.people is not None
        if classes.absent and self.low > 0:
            return False
        pairs = zip(classes.sizes.tolist(), classes.people.tolist(), strict=True)
        return all(self.low * people <= records <= self.high * people for records, people in pairs)

    def enough(self, records: int) -> int:
        """Return all records: then a single class is left."""
        return records
