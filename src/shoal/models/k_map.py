"""k-map: every record looks like at least k people of a known population."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from shoal.models.release_model import ReleasedClasses
    from shoal.models.rounding import Number


@privacy_model(
    "k-map",
    parameters=(Parameter("k", Fraction(2), whole=True),),
    example="5",
    meaning="The cells of every record cover at least k people of the population; needs "
    "`population`.",
    whole_release=True,
)
@dataclass(frozen=True, slots=True, init=False)
class KMap:
    """The cells of every record cover at least k people of a population that the table is part of.

    Parameters
    ----------
    k
        How many people.

    Examples
    --------
    >>> str(KMap(5))
    'k-map:5'
    """

    k: int

    def __init__(self, k: Number) -> None:
        settle(self, None, k)

    def __str__(self) -> str:
        return spell(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """The options that must be set for it."""
        return ("population",)

    def holds(self, classes: ReleasedClasses) -> bool:
        """Return whether every class covers enough people."""
        assert classes.people is not None
        return bool((classes.people >= self.k).all())

    def enough(self, records: int) -> int:
        """Return k: the members of a class are people of the population."""
        return min(self.k, records)
