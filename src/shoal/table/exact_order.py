"""The order of numbers to their last digit, where 64-bit floats and microseconds are too coarse.

``0.1`` and ``0.10000000000000001`` read as the same float, and so do two times that differ in a
nanosecond. Encoder and verifier both call it, so that a cell covers a value or does not, whatever
their floats say.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.schema import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_NUMBER = re.compile(r"\s*[+-]?(\d|\.\d)[\d.eE+-]*(?<!\+)\s*")
_BEYOND_MICROSECONDS = re.compile(r":\d\d\.\d{6}(\d+)")


def exact_ranks(
    shown: Sequence[str], read: NDArray[np.float64], reading: Reading
) -> NDArray[np.int64]:
    """Return the rank of each number among all; equal numbers share one, however spelled.

    Parameters
    ----------
    shown
        The text of each number.
    read
        The same numbers as :func:`shoal.table.cells.numbers` reads them.
    reading
        What the numbers are.

    Examples
    --------
    >>> texts = ["0.2", "0.10000000000000001", "0.1", "0.10"]
    >>> exact_ranks(texts, np.array([0.2, 0.1, 0.1, 0.1]), Reading.NUMBER).tolist()
    [2, 1, 0, 0]
    """
    _, rank, uses = np.unique(read, return_inverse=True, return_counts=True)
    rank = rank.astype(np.int64)
    step = np.zeros(len(rank), np.int64)
    spelled: dict[int, list[int]] = {}
    for place in np.flatnonzero(uses[rank] > 1).tolist():
        spelled.setdefault(int(rank[place]), []).append(place)
    for places in spelled.values():
        digits = [_digits(shown[place], reading) for place in places]
        order = {value: number for number, value in enumerate(sorted(set(digits)))}
        step[places] = [order[value] for value in digits]
    if step.any():
        _, rank = np.unique(np.stack((rank, step), axis=1), axis=0, return_inverse=True)
    return rank.astype(np.int64).ravel()


def _digits(text: str, reading: Reading) -> Decimal:
    """Return what orders two spellings of one float: all digits, or those beyond microseconds."""
    if reading is Reading.NUMBER and _NUMBER.fullmatch(text):
        return Decimal(text)
    if reading is Reading.DATETIME:
        beyond = _BEYOND_MICROSECONDS.search(text)
        return Decimal(f"0.{beyond[1]}") if beyond else Decimal(0)
    return Decimal(0)
