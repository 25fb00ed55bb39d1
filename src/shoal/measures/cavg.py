"""CAVG, the normalized average class size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "cavg",
    "The average class size over k: 1 means classes are no larger than privacy demands.",
    classes=True,
)
def cavg(released: Released) -> float:
    """Return (released records / classes) / k; 0 when nothing is released."""
    sizes = released.sizes
    return float(sizes.mean()) / released.k if len(sizes) else 0.0
