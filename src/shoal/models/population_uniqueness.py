"""Population uniqueness: few people of the population are estimated to be unique in it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.models.registry import Parameter, privacy_model, settle, spell

if TYPE_CHECKING:
    from shoal.models.release_model import ReleasedClasses
    from shoal.models.rounding import Number


# Estimates are found by searches that end a little apart; the verifier has one of its own.
_MARGIN = Fraction(1, 100)


@privacy_model(
    "population-uniqueness",
    parameters=(Parameter("share", Fraction(0), Fraction(1)),),
    example="0.01",
    meaning="At most this share of the population is unique, as estimated by the rule of Dankar "
    "et al.; needs `sampling_fraction`.",
    whole_release=True,
)
@dataclass(frozen=True, slots=True, init=False)
class PopulationUniqueness:
    """The estimated share of the population that is unique is at most a share.

    The estimate is Pitman's for sampling fractions up to 0.1, otherwise the lower of Zayatz' and of
    the SNB model's (Dankar et al., 2012). It is 0 where no record of the release is unique.

    Parameters
    ----------
    share
        The largest share.

    Examples
    --------
    >>> str(PopulationUniqueness(0.01))
    'population-uniqueness:0.01'
    """

    share: Fraction

    def __init__(self, share: Number) -> None:
        settle(self, None, share)

    def __str__(self) -> str:
        return spell(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """The options that must be set for it."""
        return ("sampling_fraction",)

    def holds(self, classes: ReleasedClasses) -> bool:
        """Return whether the estimate is low enough, clearly; ``None`` is no estimate."""
        estimate = classes.uniqueness
        return estimate is not None and estimate <= self.share * (1 - _MARGIN)

    def enough(self, records: int) -> int:  # noqa: ARG002
        """Return 2: then no record is unique."""
        return 2
