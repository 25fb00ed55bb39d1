"""Frequency l-diversity: no value has more than 1/l of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.judges.judge import judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge("frequency-l-diversity", figure="1 / the largest share of a value")
def frequency(numbers: Sequence[Fraction], _column: JudgedColumn) -> Figures:
    """Compare whole numbers of any size: 10 records of 11 are exactly 1 / 1.1 of them."""
    (limit,) = numbers

    def figures(counts: NDArray[np.int64]) -> Judged:
        sizes, largest = counts.sum(axis=1), counts.max(axis=1)
        holds = largest.astype(object) * limit.numerator <= sizes.astype(object) * limit.denominator
        return holds.astype(bool), sizes / largest

    return figures
