"""Recursive (c, l)-diversity: the most frequent value counts less than c times the rarer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge(
    "recursive-l-diversity",
    figure="the most frequent value over the sum from the l-th on",
    lower_is_better=True,
    numbers=2,
)
def recursive(numbers: Sequence[Fraction], _column: JudgedColumn) -> Figures:
    """Compare r_1 with c (r_l + r_{l+1} + …), as whole numbers of any size."""
    c, rank = numbers[0], max(int(numbers[1]) - 1, 0)

    def figures(counts: NDArray[np.int64]) -> Judged:
        descending = -np.sort(-counts, axis=1)
        most = descending[:, 0]
        rest = descending[:, rank:].sum(axis=1)
        holds = most.astype(object) * c.denominator < rest.astype(object) * c.numerator
        ratios = np.full(len(most), np.inf)
        np.divide(most, rest, out=ratios, where=rest > 0)
        return holds.astype(bool), ratios

    return figures
