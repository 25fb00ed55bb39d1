"""Average risk: the mean chance of picking out a record by its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.judges.judge import release_judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from shoal.verifier.judges.judge import JudgedRelease


@release_judge("average-risk")
def average_risk(numbers: Sequence[Fraction], release: JudgedRelease) -> tuple[bool, str]:
    """Compare classes over records with the share, in whole numbers."""
    classes, records = len(release.sizes), int(release.sizes.sum())
    holds = classes * numbers[0].denominator <= records * numbers[0].numerator
    return holds, f"the average risk is {classes / records:.6g}: {classes:,} of {records:,}"
