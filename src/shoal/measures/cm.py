"""CM, the classification metric of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "cm",
    "The share of records whose target value would be guessed wrongly from the majority of their "
    "class.",
    target=True,
    classes=True,
)
def cm(released: Released) -> float:
    """Return the share of records that are suppressed or differ from their class's majority."""
    counts = released.target_counts
    majority = np.zeros(len(released.blank), dtype=np.int64)
    np.maximum.at(majority, counts.first, counts.count)
    return (released.n - int(majority.sum())) / released.n
