"""AM, the ambiguity metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "am",
    "How many combinations of values a released record may stand for, on average.",
    original=True,
)
def am(released: Released) -> float:
    """Return the mean over records of the product of closure sizes.

    A closure counts the distinct values of the table that it covers; a suppressed record covers
    them all.
    """
    shown = ~released.blank
    product = np.ones(int(shown.sum()))
    everything = 1.0
    for domain, column in zip(released.domains, released.recoding.columns, strict=True):
        product *= domain.sizes(column.closures)[column.index][shown]
        everything *= float(domain.present.sum())
    total = float(product @ released.sizes) + everything * released.suppressed
    return total / released.n
