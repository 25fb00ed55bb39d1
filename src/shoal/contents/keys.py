"""Codes that stand for one record or one person: nearly all different, or each in few records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from shoal.contents.finding import Content, Finding, percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.contents.values import Values

_LEAST_CELLS = 20
_NEARLY_UNIQUE = 0.9
_REPEATING = 0.15
_LEAST_REPEATING = 100
_LEAST_RANDOM = 50
_MOST_RECORDS = 50
_EXAMINED = 400
_MOST_SYMBOLS = 0.8
_SHORTEST_RANDOM = 8
_SHORTEST_RANDOM_NUMBER = 9
_DIGITS = re.compile(r"\d+")
_HEXADECIMAL = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_CODE = r"^[\w./:-]+$"
_LENGTHS = 7, 64
_HAS_DIGIT = r"\d"
_DECIMAL = r"^[+-]?\d*[.,]\d+$"
_DATE = r"^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[T ].*)?$"
_COMPACT_DATE = (
    r"^(?:(?:19|20|21)\d{2}(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d{2})$"
)


def keys(values: Values) -> Iterable[Finding]:
    """Find codes that distinguish records or persons.

    Measured quantities are nearly unique as well; so decimal numbers and dates are left out, and
    whole numbers count only if they number the records, or are long and not rounded.
    """
    if values.cells < _LEAST_CELLS or values.number < _LEAST_CELLS // 2:
        return
    if values.has_digits:
        if values.share(values.matching(_DECIMAL) | values.matching(_DATE)) > 0.1:
            return
        if values.share(values.matching(_COMPACT_DATE)) > 0.9:
            return
    reason = None
    numbers = values.numbers
    if numbers is not None:
        reason = _number_key(values, numbers)
    elif values.unique_share >= _NEARLY_UNIQUE:
        reason = f"{percent(values.unique_share)} of its values are different"
    elif values.unique_share >= _REPEATING and values.number >= _LEAST_REPEATING:
        long = values.matching_of_length(_CODE, *_LENGTHS)
        codes = values.share(long & values.matching(_HAS_DIGIT))
        if codes >= _NEARLY_UNIQUE:
            reason = f"each of its codes occurs in {1 / values.unique_share:.1f} records on average"
    many = values.number >= _LEAST_RANDOM and values.cells <= _MOST_RECORDS * values.number
    if reason is None and many and _look_random(values):
        reason = "its codes look drawn at random, as digests and numbers of people do"
    if reason is not None:
        yield Finding(Content.KEY, values.unique_share, reason)


def _look_random(values: Values) -> bool:
    """Return whether long codes of one length show nearly every digit at nearly every place.

    Codes of things share their beginnings, and amounts are of different lengths.
    """
    texts = values.distinct.head(_EXAMINED).to_list()
    lengths = [len(text) for text in texts]
    joined = "".join(texts)
    if _DIGITS.fullmatch(joined):
        # Of a number with zeros in front one digit is lost now and then.
        symbols, shortest, differing = 10, _SHORTEST_RANDOM_NUMBER, 1
    elif _HEXADECIMAL.fullmatch(joined):
        symbols, shortest, differing = 16, _SHORTEST_RANDOM, 0
    else:
        return False
    length = min(lengths)
    if length < shortest or max(lengths) > length + differing:
        return False
    places = zip(*(text[-length:] for text in texts), strict=True)
    varied = sum(len(set(place)) >= _MOST_SYMBOLS * symbols for place in places)
    return varied >= _MOST_SYMBOLS * length


def _number_key(values: Values, numbers: NDArray[np.float64]) -> str | None:
    if not (numbers == np.round(numbers)).all():
        return None
    whole = np.abs(numbers)
    spread = float(numbers.max() - numbers.min()) + 1
    # A sample of consecutive numbers spans about as much as the column has values.
    if values.number == values.cells and 0.98 * values.number <= spread <= 1.001 * values.number:
        return "it numbers the records"
    rounded = float((whole % 10 == 0).mean())
    long = float((whole >= 10**6).mean())
    if rounded > 0.2:
        return None
    if values.unique_share >= _NEARLY_UNIQUE:
        lengths = np.floor(np.log10(np.maximum(whole, 1)))
        same_length = float((lengths == np.median(lengths)).mean())
        if long >= 0.8 or (same_length >= 0.97 and whole.min() >= 10**4):
            return f"{percent(values.unique_share)} of its long numbers are different"
    elif values.unique_share >= _REPEATING and values.number >= _LEAST_REPEATING and long >= 0.8:
        return (
            f"each of its long numbers occurs in {1 / values.unique_share:.1f} records on average"
        )
    return None
