"""t-closeness with ordered distance: values far apart in their order count as far apart."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.models.protection import UNFITTED, ProtectedValues, Protection, shares_of
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.models.rounding import TOLERANCE
from shoal.table.value_order import order_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.rounding import Number
    from shoal.table import Table


@privacy_model(
    "ordered-t-closeness",
    parameters=(Parameter("t", Fraction(0), Fraction(1)),),
    example="0.2",
    meaning=(
        "The values of a class are distributed as in the table, within t; distances are those in "
        "their order."
    ),
)
@dataclass(frozen=True, slots=True, init=False)
class OrderedCloseness:
    """Every class is within t of the table, m ordered values being (i - j) / (m - 1) apart.

    The distance is the mean gap between the two cumulative distributions. Between two values that
    a class holds its cumulative share stays the same while the table's grows, so the sum over
    such a run follows from running sums of the latter: only values that a class holds are looked
    at, however many the table has. Monotone.

    Parameters
    ----------
    column
        The sensitive column; ``None`` for every one.
    t
        The largest distance.
    whole
        The share of each value in the original table; codes of values are their ranks.
    """

    column: str | None
    t: Fraction
    whole: NDArray[np.float64] = field(repr=False, compare=False)

    def __init__(
        self, column: str | None, t: Number, whole: NDArray[np.float64] = UNFITTED
    ) -> None:
        settle(self, column, t)
        object.__setattr__(self, "whole", whole)

    def __str__(self) -> str:
        return spell(self)

    def fit(self, table: Table, values: ProtectedValues) -> Protection:  # noqa: ARG002 (ranks are codes)
        """Return the model on the values of a table."""
        assert self.column is not None
        order = table.schema.sensitive_orders.get(self.column, ())
        ordered = order_values(table.frame[self.column], order)
        codes = ordered.ranks.astype(np.uint32)
        note = f"ordered-t-closeness takes the values of {self.column!r} in order {ordered.basis}."
        return Protection(replace(self, whole=shares_of(codes)), codes, (note,))

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
