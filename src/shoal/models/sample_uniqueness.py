"""Sample uniqueness: few records of a release look like no other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from shoal.models.release_model import ReleasedClasses
    from shoal.models.rounding import Number


@privacy_model(
    "sample-uniqueness",
    parameters=(Parameter("share", Fraction(0), Fraction(1)),),
    example="0.01",
    meaning="At most this share of the records look like no other record.",
    whole_release=True,
)
@dataclass(frozen=True, slots=True, init=False)
class SampleUniqueness:
    """At most a share of the records are in classes of one.

    Parameters
    ----------
    share
        The largest share. With k of 2 or more no record is unique.

    Examples
    --------
    >>> str(SampleUniqueness(0.01))
    'sample-uniqueness:0.01'
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
        """Return whether few enough records are unique."""
        return int((classes.sizes == 1).sum()) <= self.share * classes.records

    def enough(self, records: int) -> int:  # noqa: ARG002
        """Return 2: then no record is unique."""
        return 2
