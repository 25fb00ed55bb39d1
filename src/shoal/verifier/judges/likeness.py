"""β-likeness: a class raises the share of no value by much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import ROUNDING, judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge(
    "beta-likeness",
    figure="the largest relative gain of a value's share",
    lower_is_better=True,
)
def likeness(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare the largest (q - p) / p with β, p being the share in the table, q in the class."""
    beta = float(numbers[0])

    def figures(counts: NDArray[np.int64]) -> Judged:
        largest = gains(counts, column.shares).max(axis=1)
        return largest <= beta + ROUNDING * (1 + beta), largest

    return figures


def gains(counts: NDArray[np.int64], usual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (q - p) / p of every value, infinite where the table lacks a value of the class."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    gained = np.where(shares > 0, np.inf, 0.0)
    np.divide(shares - usual, usual, out=gained, where=usual > 0)
    return gained
