"""The gap between a loss and its lower bound, defined once."""

from __future__ import annotations


def best_bound(*bounds: float | None) -> float | None:
    """Return the highest of the lower bounds that are known."""
    return max((bound for bound in bounds if bound is not None), default=None)


def gap_of(loss: float, bound: float) -> float:
    """Return the share of a loss that may be avoidable: 0 is the best possible.

    >>> gap_of(0.5, 0.375)
    0.25
    """
    return max(0.0, (loss - bound) / loss) if loss > 0 else 0.0
