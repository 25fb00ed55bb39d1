"""δ-disclosure privacy: a class neither raises nor lowers the share of a value by much."""

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
    "delta-disclosure",
    figure="|ln(share in the class / share in the table)| of a value",
    lower_is_better=True,
)
def delta_disclosure(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare the logarithm of the ratio of shares with δ.

    It is infinite for a value of the table that the class lacks, and the other way round.
    """
    delta = float(numbers[0])
    usual = column.shares

    def figures(counts: NDArray[np.int64]) -> Judged:
        shares = counts / counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.abs(np.log(shares) - np.log(usual))
        # Neither here nor there: it discloses nothing.
        apart[:, usual == 0] = np.where(counts[:, usual == 0] > 0, np.inf, 0.0)
        furthest = apart.max(axis=1)
        return furthest < delta + ROUNDING, furthest

    return figures
