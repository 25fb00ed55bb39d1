"""PMI, private mutual information: what the released attributes still reveal about the target."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from shoal.measures.counts import entropy_of_counts
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from shoal.measures.released import Released


def utilities(released: Released) -> list[float]:
    """Return U_j for each attribute: the bits it reveals, as released, about the target value."""
    whole = entropy_of_counts(released.target_totals)
    return [whole - surprise for surprise in released.surprises]


@measure(
    "pmi",
    "How many bits of doubt about the target value a released cell leaves on average; "
    "lower is better for learning.",
    target=True,
    original=True,
)
def pmi(released: Released) -> float:
    """Return the weighted mean over attributes of -log2 Pr(target value | closure)."""
    return _weighted(released, released.surprises)


@measure(
    "pmi_mean",
    "How many bits a released attribute reveals about the target value, averaged over attributes; "
    "higher is better for learning.",
    target=True,
    original=True,
    higher_is_better=True,
)
def pmi_mean(released: Released) -> float:
    """Return the weighted mean of the utilities of attributes."""
    return _weighted(released, utilities(released))


@measure(
    "pmi_max",
    "How many bits the most informative released attribute reveals about the target value; higher "
    "is better for learning.",
    target=True,
    original=True,
    higher_is_better=True,
)
def pmi_max(released: Released) -> float:
    """Return the utility of the most informative attribute."""
    return max(utilities(released))


@measure(
    "pmi_l2",
    "What the released attributes reveal about the target value, informative ones counting more; "
    "higher is better for learning.",
    target=True,
    original=True,
    higher_is_better=True,
)
def pmi_l2(released: Released) -> float:
    """Return the root of the sum of squared utilities over the number of attributes."""
    found = utilities(released)
    return sqrt(sum(utility**2 for utility in found)) / len(found)


def _weighted(released: Released, figures: list[float]) -> float:
    return sum(w * figure for w, figure in zip(released.weights, figures, strict=True))
