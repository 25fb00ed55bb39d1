"""Enhanced β-likeness: a frequent value may gain less than β."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import ROUNDING, judge
from shoal.verifier.judges.likeness import gains

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge(
    "enhanced-beta-likeness",
    figure="the smallest beta that is met",
    lower_is_better=True,
)
def enhanced_likeness(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare (q - p) / p with β, and with -ln p; where that is exceeded, no β is met."""
    beta = float(numbers[0])
    usual = column.shares
    surprise = -np.log(np.where(usual > 0, usual, 1.0))

    def figures(counts: NDArray[np.int64]) -> Judged:
        gained = gains(counts, usual)
        unmet = (gained > surprise + ROUNDING * (1 + surprise)).any(axis=1)
        largest = np.where(unmet, np.inf, np.maximum(gained.max(axis=1), 0.0))
        return largest <= beta + ROUNDING * (1 + beta), largest

    return figures
