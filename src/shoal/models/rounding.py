"""Numbers as users write and read them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import floor
from typing import TypeAlias

# Sums of logarithms and shares are rounded; a difference below this is none.
TOLERANCE = 1e-9
Number: TypeAlias = int | float | str | Decimal | Fraction


def exact(value: Number) -> Fraction | None:
    """Return a number as it is written, ``None`` if it is not a number.

    >>> exact(1.1), exact("0.30"), exact("many")
    (Fraction(11, 10), Fraction(3, 10), None)
    """
    if isinstance(value, Fraction):
        return value
    try:
        written = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return Fraction(written) if written.is_finite() else None


def plain(value: Fraction) -> str:
    """Return a decimal number as one writes it.

    >>> plain(Fraction("1.30")), plain(Fraction(3))
    ('1.3', '3')
    """
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def cut_down(value: float) -> str:
    """Return a number with four decimals, never rounded up, so that it can be requested.

    >>> cut_down(1.99999)
    '1.9999'
    """
    return f"{floor(value * 10_000) / 10_000:.4f}".rstrip("0").rstrip(".")
