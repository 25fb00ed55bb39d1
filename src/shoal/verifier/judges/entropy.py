"""Entropy l-diversity: the values of a class are as mixed as l equally frequent ones."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import ROUNDING, judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge("entropy-l-diversity", figure="exp(entropy)")
def entropy(numbers: Sequence[Fraction], _column: JudgedColumn) -> Figures:
    """Compare the entropy of every class with log l."""
    limit = log(numbers[0]) if numbers[0] > 0 else 0.0

    def figures(counts: NDArray[np.int64]) -> Judged:
        shares = counts / counts.sum(axis=1, keepdims=True)
        mixed = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
        return mixed >= limit - ROUNDING, np.exp(mixed)

    return figures
