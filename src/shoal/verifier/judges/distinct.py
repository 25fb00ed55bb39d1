"""Distinct l-diversity: a class holds at least l values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn


@judge("distinct-l-diversity", figure="the number of values")
def distinct(numbers: Sequence[Fraction], _column: JudgedColumn) -> Figures:
    """Count the values of every class."""
    (limit,) = numbers

    def figures(counts: NDArray[np.int64]) -> Judged:
        values = np.count_nonzero(counts, axis=1)
        return values >= float(limit), values.astype(float)

    return figures
