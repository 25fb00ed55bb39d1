"""Scales: what the numbers behind a column are, and how intervals of them are named.

Numbers are exact fractions, so that 0.3 lies in ``[0.3..0.4)`` whatever binary floats make of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.errors import ParameterError
from shoal.hierarchies.names import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_EPOCH = date(1970, 1, 1).toordinal()
# An exponent or a number of more digits would take as long to read as it has digits.
_NUMBER = re.compile(r"[+-]?(\d{1,300}\.?\d{0,300}|\.\d{1,300})([eE][+-]?\d{1,3})?")
_FIRST_MONDAY = Fraction(-3)  # 1969-12-29, in days since 1970-01-01


class Scale(Protocol):
    """What numbers mean."""

    @property
    def origin(self) -> Fraction:
        """Where ranges of a fixed width are counted from."""

    def read(self, text: str) -> Fraction:
        """Return the number that a text of the user stands for."""

    def name(self, low: Fraction | None, high: Fraction | None) -> str:
        """Return the name of all numbers from ``low`` on and below ``high``; ``None`` is open."""

    def between(self, below: Fraction, above: Fraction) -> Fraction:
        """Return the roundest number that is larger than one and at most the other."""

    def holds(self, number: Fraction) -> bool:
        """Return whether named intervals mean this number, too."""


def exact(numbers: Iterable[float]) -> list[Fraction]:
    """Return floats as the decimal numbers that they are written as.

    >>> exact([0.1, -2.0])
    [Fraction(1, 10), Fraction(-2, 1)]
    """
    return [Fraction(repr(float(number))) for number in numbers]


def decimal(number: Fraction) -> str:
    """Return a number that has a finite decimal form, without an exponent.

    >>> decimal(Fraction(-25, 10)), decimal(Fraction(30))
    ('-2.5', '30')
    """
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    sign = "-" if number < 0 else ""
    whole = str(abs(int(number * 10**digits))).rjust(digits + 1, "0")
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


@dataclass(frozen=True, slots=True)
class NumberScale:
    """Plain numbers.

    Parameters
    ----------
    whole
        Whether all are whole: then ``[20..29]`` includes both ends, else ``[20..30)`` the lower.
    """

    whole: bool = False
    origin = Fraction(0)

    def read(self, text: str) -> Fraction:
        """Return the number that a text of the user stands for."""
        return read_number(text)

    def name(self, low: Fraction | None, high: Fraction | None) -> str:
        """Return ``[20..29]``, ``[20..30)``, ``20``, ``<20`` or ``>=30``."""
        if low is None or high is None:
            return _open(low, high, decimal)
        if self.whole and low.denominator == high.denominator == 1:
            if high - low == 1:
                return decimal(low)
            return f"[{decimal(low)}..{decimal(high - 1)}]"
        return f"[{decimal(low)}..{decimal(high)})"

    def between(self, below: Fraction, above: Fraction) -> Fraction:
        """Return the roundest number that is larger than one and at most the other."""
        largest = max(abs(below), abs(above), Fraction(above - below))
        power = floor(log10(float(largest))) + 1
        while True:
            for step in (Fraction(10) ** power, Fraction(10) ** power / 2):
                found = floor(above / step) * step
                if found > below:
                    return found
            power -= 1

    def holds(self, number: Fraction) -> bool:
        """Return whether named intervals mean this number: of whole ones, no other."""
        return not self.whole or number.denominator == 1


@dataclass(frozen=True, slots=True)
class DayScale:
    """Dates, as days since 1970-01-01; ranges of seven days are weeks from Monday on."""

    origin = _FIRST_MONDAY

    def read(self, text: str) -> Fraction:
        """Return the day of an ISO date."""
        try:
            return Fraction(date.fromisoformat(text.strip()).toordinal() - _EPOCH)
        except ValueError as error:
            raise ParameterError(
                f"{text!r} is not a date.", remedy="Write dates as 2025-12-31."
            ) from error

    def name(self, low: Fraction | None, high: Fraction | None) -> str:
        """Return ``[2021-03-01..2021-03-07]``, ``<2021-03-01`` or ``>=2021-03-08``."""
        if low is None or high is None:
            return _open(low, high, _iso)
        return f"[{_iso(low)}..{_iso(high - 1)}]"

    def between(self, below: Fraction, above: Fraction) -> Fraction:
        """Return the first day of a decade, year, quarter or month, if one separates the two."""
        month = int(np.datetime64(int(above), "D").astype("datetime64[M]").astype(np.int64))
        # Months are counted from 1970, in which a decade, a year and a quarter begin.
        for length in (120, 12, 3, 1):
            first = np.datetime64(month - month % length, "M").astype("datetime64[D]")
            found = Fraction(int(first.astype(np.int64)))
            if found > below:
                return found
        return above

    def holds(self, number: Fraction) -> bool:  # noqa: ARG002 (protocol)
        """Return that there is nothing between days."""
        return True


@dataclass(frozen=True, slots=True)
class RankScale:
    """Categories in an order, as their places in it."""

    order: Sequence[str]
    origin = Fraction(0)

    def read(self, text: str) -> Fraction:
        """Return the place of a category."""
        if text not in self.order:
            raise ParameterError(
                f"{text!r} is not one of the categories of the order.",
                remedy=f"Name the first category of a group, such as {self.order[-1]!r}.",
            )
        return Fraction(self.order.index(text))

    def name(self, low: Fraction | None, high: Fraction | None) -> str:
        """Return ``[first..last]``, or the category itself where there is only one."""
        first = 0 if low is None else max(0, int(low))
        last = len(self.order) if high is None else min(len(self.order), int(high))
        if last - first == 1:
            return self.order[first]
        return f"[{endpoint(self.order[first])}..{endpoint(self.order[last - 1])}]"

    def between(self, below: Fraction, above: Fraction) -> Fraction:  # noqa: ARG002 (protocol)
        """Return the higher one: places have no rounder ones between them."""
        return above

    def holds(self, number: Fraction) -> bool:  # noqa: ARG002 (protocol)
        """Return that there is nothing between places."""
        return True


def read_number(text: str) -> Fraction:
    """Return the number that a text of the user stands for, or raise that it is none."""
    try:
        if _NUMBER.fullmatch(text.strip()) is None:
            raise ValueError
        return Fraction(text.strip())
    except ValueError as error:
        raise ParameterError(
            f"{text!r} is not a number.", remedy="Write numbers such as 5, 0.5 or -10."
        ) from error


def endpoint(category: str) -> str:
    """Return a category as the end of an interval; dots that could be taken for its own escaped."""
    if ".." in category or category.startswith(".") or category.endswith("."):
        return category.replace("\\", r"\\").replace(".", r"\.")
    return category


def _iso(day: Fraction) -> str:
    return str(np.datetime64(int(day), "D"))


def _open(low: Fraction | None, high: Fraction | None, spell: Callable[[Fraction], str]) -> str:
    if low is not None:
        return f">={spell(low)}"
    return ROOT if high is None else f"<{spell(high)}"
