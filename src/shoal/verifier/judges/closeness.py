"""t-closeness: a class mixes values as the original does; any two values are 1 apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.judges.judge import ROUNDING, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn

    Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@judge("t-closeness", figure="the distance from the table", lower_is_better=True)
def closeness(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare the share to be carried from value to value with t."""
    return within(numbers[0], column.shares, lambda excess: np.maximum(excess, 0.0).sum(axis=1))


def within(limit: Fraction, usual: NDArray[np.float64], distance: Distance) -> Figures:
    """Return the judge of classes that must be within a distance of the usual shares.

    ``distance`` takes, for every class, the excess of each value's share over its usual share, and
    returns the work of levelling it: shares times the way they are carried.
    """

    def figures(counts: NDArray[np.int64]) -> Judged:
        far = distance(counts / counts.sum(axis=1, keepdims=True) - usual)
        return far <= float(limit) + ROUNDING, far

    return figures


def gather(shares: NDArray[np.float64], above: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum the columns that have the same node above them; every node has one below."""
    order = np.argsort(above, kind="stable")
    starts = np.searchsorted(above[order], np.arange(above.max() + 1))
    return np.add.reduceat(shares[:, order], starts, axis=1)
