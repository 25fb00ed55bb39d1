"""Ordered t-closeness: shares are carried along the order of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.table.value_order import order_values
from shoal.verifier.judges.closeness import gather, within
from shoal.verifier.judges.judge import judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, JudgedColumn


@judge("ordered-t-closeness", figure="the ordered distance from the table", lower_is_better=True)
def ordered_closeness(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare the work of carrying shares along the order with t; neighbours are 1 / (m - 1) apart.

    A value that the original lacks comes last.
    """
    order = column.schema.sensitive_orders.get(column.name, ())
    ranks = order_values(column.original, order).ranks
    rank_of_code = np.full(column.size, int(ranks.max()) + 1, np.int64)
    rank_of_code[column.codes] = ranks

    def distance(excess: NDArray[np.float64]) -> NDArray[np.float64]:
        in_order = gather(excess, rank_of_code)
        carried = np.abs(np.cumsum(in_order, axis=1)[:, :-1]).sum(axis=1)
        return np.asarray(carried / max(in_order.shape[1] - 1, 1), np.float64)

    return within(numbers[0], column.shares, distance)
