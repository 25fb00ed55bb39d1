"""wMI, a weighted mean of MI and PMI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.measures.measure import Weight, measure
from shoal.measures.mi import mi
from shoal.measures.pmi import pmi

if TYPE_CHECKING:
    from shoal.measures.released import Released


@measure(
    "wmi",
    "A compromise in bits between keeping exact values and keeping what they reveal about the "
    "target.",
    target=True,
    original=True,
    weight=Weight("the weight of mi", 0.5),
)
def wmi(released: Released, weight: float = 0.5) -> float:
    """Return ``weight`` · mi + (1 - ``weight``) · pmi."""
    return weight * mi(released) + (1 - weight) * pmi(released)
