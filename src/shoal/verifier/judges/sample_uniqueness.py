"""Sample uniqueness: the share of records that look like no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.judges.judge import release_judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from shoal.verifier.judges.judge import JudgedRelease


@release_judge("sample-uniqueness")
def sample_uniqueness(numbers: Sequence[Fraction], release: JudgedRelease) -> tuple[bool, str]:
    """Compare the records that are a group each with the share, in whole numbers."""
    records = int(release.sizes.sum())
    alone = sum(1 for size in release.sizes.tolist() if size == 1)
    holds = alone * numbers[0].denominator <= records * numbers[0].numerator
    return holds, f"{alone:,} of {records:,} records are unique"
