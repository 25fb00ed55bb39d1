"""Average re-identification risk: the mean chance of picking out a person of a release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from shoal.models.release_model import ReleasedClasses
    from shoal.models.rounding import Number


@privacy_model(
    "average-risk",
    parameters=(Parameter("share", Fraction(1, 10**9), Fraction(1)),),
    example="0.05",
    meaning="The average chance of picking the right record of a person is at most this share: "
    "classes divided by records.",
    aliases={"average-reidentification-risk": ""},
    whole_release=True,
)
@dataclass(frozen=True, slots=True, init=False)
class AverageRisk:
    """The number of classes over the number of records is at most a share.

    A record of a class of f is picked out with chance 1/f; the mean of that over all records is the
    number of classes over the number of records.

    Parameters
    ----------
    share
        The largest mean chance.

    Examples
    --------
    >>> str(AverageRisk(0.05))
    'average-risk:0.05'
    """

    share: Fraction

    def __init__(self, share: Number) -> None:
        settle(self, None, share)

    def __str__(self) -> str:
        return spell(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """The options that must be set for it: none."""
        return ()

    def holds(self, classes: ReleasedClasses) -> bool:
        """Return whether there are few enough classes."""
        return len(classes.sizes) <= self.share * classes.records

    def enough(self, records: int) -> int:
        """Return the class size whose inverse is the share."""
        return min(ceil(1 / self.share), records)
