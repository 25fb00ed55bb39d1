"""t-closeness with ordered distance: values far apart in their order count as far apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.rounding import TOLERANCE, plain

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms


@dataclass(frozen=True, slots=True)
class OrderedCloseness:
    """Every class is within t of the table, m ordered values being (i - j) / (m - 1) apart.

    The distance is the mean gap between the two cumulative distributions. Between two values that
    a class holds its cumulative share stays the same while the table's grows, so the sum over
    such a run follows from running sums of the latter: only values that a class holds are looked
    at, however many the table has. Monotone.

    Parameters
    ----------
    whole
        The share of each value in the original table; codes of values are their ranks.
    """

    column: str
    t: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"ordered-t-closeness:{plain(self.t)}@{self.column}"

    @property
    def monotone(self) -> bool:
        """A mixture of classes is no further from the table than the furthest of them."""
        return True

    def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
        """Return which classes are close enough."""
        return self.distances(histograms) <= float(self.t) + TOLERANCE

    def distances(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the distance of each class from the table."""
        steps = len(self.whole) - 1
        if steps == 0:
            return np.zeros(histograms.classes)
        owner, value = histograms.owner, histograms.value
        table = np.cumsum(self.whole)[:-1]
        below = np.concatenate(([0.0], np.cumsum(table)))
        heads = np.concatenate(([True], owner[1:] != owner[:-1]))
        tails = np.append(heads[1:], True)
        # Cumulative share of the class from each of its values up to the next.
        reached = np.cumsum(histograms.count)
        before = (reached - histograms.count)[heads][np.cumsum(heads) - 1]
        share = (reached - before) / histograms.sizes[owner]
        last = np.where(tails, steps, np.append(value[1:], steps))
        start = np.minimum(value, steps)
        turn = np.clip(np.searchsorted(table, share), start, last)
        gap = share * (2 * turn - start - last) + below[start] + below[last] - 2 * below[turn]
        gap += np.where(heads, below[start], 0.0)
        return np.bincount(owner, gap, minlength=histograms.classes) / steps

    def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
        """Return the distance beyond t, times the records of each class."""
        return np.maximum(self.distances(histograms) - float(self.t), 0.0) * histograms.sizes

    def require_feasible(self, histogram: NDArray[np.int64]) -> None:
        """Pass: the whole table is at distance 0 from itself."""
