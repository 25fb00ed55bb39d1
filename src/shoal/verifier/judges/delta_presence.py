"""δ-presence: how surely a person of the population is in the table."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.verifier.judges.judge import release_judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.judges.judge import JudgedRelease


@release_judge("delta-presence", numbers=2, needs="population")
def delta_presence(numbers: Sequence[Fraction], release: JudgedRelease) -> tuple[bool, str]:
    """Compare records over people of every group with both limits; uncovered people have 0.

    Where a person is covered by several groups their chance is not defined.
    """
    assert release.people is not None
    assert release.covered is not None
    low, high = numbers
    if (release.covered > 1).any():
        return False, "people are covered by several classes, so that no chance is defined for them"
    chances = [
        Fraction(records, people) if people else Fraction(2)
        for records, people in zip(release.sizes.tolist(), release.people.tolist(), strict=True)
    ]
    if (release.covered == 0).any():
        chances.append(Fraction(0))
    least, most = min(chances), max(chances)
    detail = (
        f"the chance of a person of the population is from {float(least):.6g} to {float(most):.6g}"
    )
    return low <= least and most <= high, detail
