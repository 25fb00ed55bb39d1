"""The open ends of a column of numbers: ``90+`` and ``<1``, found in it or made by coding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.table.cells import DistinctCells, numbers, read_number
from shoal.table.schema import Attribute, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

_UPWARD = re.compile(r"(?:>=?|≥)\s*([+-]?[\d.]+)|([+-]?[\d.]+)\s*\+")
_DOWNWARD = re.compile(r"(?:<=?|≤)\s*([+-]?[\d.]+)")


@dataclass(frozen=True, slots=True)
class OpenSides:
    """At which numbers a column is open, if it is.

    Parameters
    ----------
    top, bottom
        Limits of the open values, ``None`` on a side that is not open.
    coded
        Whether each side is open because numbers beyond its limit were coded.
    """

    top: float | None = None
    bottom: float | None = None
    coded: tuple[bool, bool] = (False, False)

    @classmethod
    def of(cls, attribute: Attribute, texts: Iterable[str]) -> OpenSides:
        """Return the open sides of a column of which these are the texts."""
        if attribute.reading is not Reading.NUMBER:
            return cls()
        top = None if attribute.top is None else float(attribute.top)
        bottom = None if attribute.bottom is None else float(attribute.bottom)
        coded = (bottom is not None, top is not None)
        for text in texts:
            up, down = _limit(_UPWARD, text), _limit(_DOWNWARD, text)
            top = up if top is None else top
            bottom = down if bottom is None else bottom
        return cls(top, bottom, coded)

    def bounds(self, low: str, high: str) -> tuple[str, str]:
        """Return the ends of an interval; a bound that is not there is that of an open value.

        Where a side is coded, no number of the column lies at its limit: ``90`` without an upper
        bound is ``90+`` itself.
        """
        lowest = "" if self.bottom is None else f"<={self.bottom!r}"
        highest = "" if self.top is None else f"{self.top!r}+"
        if not high and highest:
            high = highest
            low = highest if self.coded[1] and _number(low) == self.top else low
        if not low and lowest:
            low = lowest
            high = lowest if self.coded[0] and _number(high) == self.bottom else high
        return low, high

    def side(self, text: str) -> int:
        """Return 1 or -1 for an open value of this column, else 0."""
        if self.top is not None and _limit(_UPWARD, text) == self.top:
            return 1
        return -1 if self.bottom is not None and _limit(_DOWNWARD, text) == self.bottom else 0

    def side_of(self, text: str, number: float) -> int:
        """Return on which open side an original lies, 0 if on none."""
        if self.is_beyond(number):
            return 1 if self.top is not None and number >= self.top else -1
        return self.side(text)

    def is_beyond(self, number: float) -> bool:
        """Return whether a number had to be coded, so that no cell may show it."""
        low, high = self.coded
        above = high and self.top is not None and number >= self.top
        return above or (low and self.bottom is not None and number <= self.bottom)


def numbers_of_originals(distinct: DistinctCells, attribute: Attribute) -> NDArray[np.float64]:
    """Return the numbers of a column of the original.

    Where it is coded, open values may stand beside numbers beyond them: coding makes them one.
    """
    if attribute.top is None and attribute.bottom is None:
        return numbers(distinct, attribute, open_values=True)
    read = read_number(distinct.cells)
    if read.null_count():
        return numbers(distinct, attribute, open_values=True)
    return read.to_numpy()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _limit(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return float(next(group for group in found.groups() if group is not None))
    except ValueError:
        return None
