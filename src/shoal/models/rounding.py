"""Numbers as users write and read them."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

# Sums of logarithms and shares are rounded; a difference below this is none.
TOLERANCE = 1e-9


def plain(value: Fraction) -> str:
    """Return a decimal number as one writes it.

    >>> from fractions import Fraction
    >>> plain(Fraction("1.30")), plain(Fraction(3))
    ('1.3', '3')
    """
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def cut_down(value: float) -> str:
    """Return a number with four decimals, never rounded up, so that it can be asked for.

    >>> cut_down(1.99999)
    '1.9999'
    """
    return f"{floor(value * 10_000) / 10_000:.4f}".rstrip("0").rstrip(".")
