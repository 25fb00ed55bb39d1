"""Lower bounds as people read them."""

from __future__ import annotations

from math import floor

_DIGITS = 10_000


def shown_bound(bound: float) -> str | None:
    """Return a lower bound with four digits, or ``None`` if that leaves nothing of it.

    It is rounded down: rounded up it would say more than was proved.

    >>> shown_bound(0.02088), shown_bound(0.00004)
    ('0.0208', None)
    """
    # A sum of floats may lie a hair below the digits that it stands for.
    digits = floor(bound * _DIGITS + 1e-9)
    return f"{digits / _DIGITS:.4f}" if digits > 0 else None
