"""MI, the loss of mutual information between the original and the released attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.counts import entropy_of_counts, log2_ratio
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "mi",
    "How many bits of a cell's exact value are lost on average, given how common each value is.",
    original=True,
)
def mi(released: Released) -> float:
    """Return the weighted mean of -log2 Pr(exact value | closure) over all cells.

    The sum of log2 Pr(exact value) over all records is the entropy of the original column, so
    each closure only adds log2 of the share of records that it covers; a suppressed record, which
    covers all of them, adds nothing. Nobody needs to know which record is whose.
    """
    total = 0.0
    for place, (codes, weight) in enumerate(zip(released.codes, released.weights, strict=True)):
        entropy = entropy_of_counts(np.bincount(codes))
        name = released.domains[place].attribute.name
        logs = log2_ratio(released.covers[place], released.n, name)
        total += weight * (entropy + released.mean(place, logs, 0.0))
    # Rounding may leave a release without loss a hair below zero.
    return max(total, 0.0)
