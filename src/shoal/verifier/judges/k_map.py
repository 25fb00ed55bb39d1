"""k-map: the cells of every record cover k people of the population."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.judges.judge import release_judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from shoal.verifier.judges.judge import JudgedRelease


@release_judge("k-map", needs="population")
def k_map(numbers: Sequence[Fraction], release: JudgedRelease) -> tuple[bool, str]:
    """Compare the fewest people that a group covers with k."""
    assert release.people is not None
    fewest = int(release.people.min())
    return fewest >= numbers[0], f"every record covers at least {fewest:,} people"
