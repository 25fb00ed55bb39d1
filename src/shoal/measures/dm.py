"""DM, the discernibility metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "dm",
    "Each record counts the records that it cannot be distinguished from; a suppressed one counts "
    "n.",
    classes=True,
)
def dm(released: Released) -> float:
    """Return the sum of squared class sizes, plus n for each suppressed record."""
    sizes = released.sizes.astype(float)
    return float(sizes @ sizes) + float(released.suppressed) * released.n
