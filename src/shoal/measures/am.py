"""AM, the ambiguity metric."""

from __future__ import annotations

from math import log2
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released

LARGEST = float_info.max
MAX_EXPONENT = float_info.max_exp


@measure(
    "am",
    "How many combinations of values a released record may stand for, on average.",
    original=True,
)
def am(released: Released) -> float:
    """Return the mean over records of the product of closure sizes.

    A closure counts the distinct values of the table that it covers; a suppressed record covers
    them all. With hundreds of attributes the product may exceed what a float can hold; then the
    largest float is returned.
    """
    shown = ~released.blank
    product = np.zeros(int(shown.sum()))  # logarithms: factors of many attributes overflow
    everything = 0.0
    for domain, column in zip(released.domains, released.recoding.columns, strict=True):
        sizes = domain.sizes(column.closures)
        logs = np.log2(sizes, where=sizes > 0, out=np.full(len(sizes), -np.inf))
        product += logs[column.index][shown]
        everything += log2(int(domain.present.sum()))
    logs = np.append(product, everything)
    records = np.append(released.sizes, released.suppressed)
    most = float(logs[records > 0].max(initial=0.0))
    total = float(np.exp2(logs - most) @ records) / released.n
    beyond = total > 0 and most + log2(total) >= MAX_EXPONENT
    return LARGEST if beyond else total * 2.0**most
