"""Entropy diversity: how mixed the target values of a class are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.counts import entropy_of_counts
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "entropy_diversity",
    "How mixed the target values of a class are, in bits; 0 means that classes give them away.",
    target=True,
    higher_is_better=True,
    classes=True,
)
def entropy_diversity(released: Released) -> float:
    """Return the mean over classes of the entropy of the target values of a class.

    Every class counts once, whatever its size. Where no record shows anything, the whole table is
    the one class there is.
    """
    shown = np.flatnonzero(~released.blank)
    if not len(shown):
        return entropy_of_counts(released.target_totals)
    counts = released.target_counts
    sizes = released.recoding.sizes
    terms = counts.count * np.log2(sizes[counts.first] / counts.count)
    entropies = np.bincount(counts.first, terms, minlength=len(sizes))[shown] / sizes[shown]
    return float(entropies.mean())
