"""Open values of a column of numbers: ``90+`` and ``<1`` stand for all numbers on one side.

An open value is a value of its own, beyond all numbers of its column: ``90+`` in a column that also
holds 97 would overlap it, and is refused. To measure widths it counts as one unit of its last
digit beyond its limit: ``90+`` as 91, ``<1`` as 0.
"""

from __future__ import annotations

import re

import polars as pl

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_UPWARD = rf"^\s*(?:(?:>=?|≥)\s*(?P<after>{_NUMBER})|(?P<before>{_NUMBER})\s*\+)\s*$"
_DOWNWARD = rf"^\s*(?:<=?|≤)\s*(?P<limit>{_NUMBER})\s*$"
_LIMIT = re.compile(_NUMBER)


def top_text(limit: str) -> str:
    """Return how a value at or above a limit is shown."""
    return f"{limit}+"


def bottom_text(limit: str) -> str:
    """Return how a value at or below a limit is shown."""
    return f"<={limit}"


def upward_limits(shown: pl.Series) -> pl.Series:
    """Return the limit of each text such as ``90+``, ``>90`` or ``>=90``; null for others."""
    groups = shown.str.extract_groups(_UPWARD).struct
    return groups.field("after").fill_null(groups.field("before"))


def downward_limits(shown: pl.Series) -> pl.Series:
    """Return the limit of each text such as ``<1`` or ``<=18``; null for others."""
    return shown.str.extract_groups(_DOWNWARD).struct.field("limit")


def is_open(text: str) -> int:
    """Return 1 for a value that is open upward, -1 for one that is open downward, else 0.

    >>> is_open("90+"), is_open("< 1"), is_open("35"), is_open("+35")
    (1, -1, 0, 0)
    """
    if re.match(_UPWARD, text):
        return 1
    return -1 if re.match(_DOWNWARD, text) else 0


def limit_of(text: str) -> str:
    """Return the number at which an open value begins or ends, as it is spelled.

    >>> limit_of("90+"), limit_of("< -1.5")
    ('90', '-1.5')
    """
    found = _LIMIT.search(text)
    assert found is not None
    return found[0]


def as_open_numbers(shown: pl.Series) -> pl.Series:
    """Return the number that each open value counts as, null for all other texts.

    >>> as_open_numbers(pl.Series(["90+", "<0.5", "35"])).to_list()
    [91.0, 0.4, None]
    """
    if not shown.str.contains(r"[+<>≤≥]").any():
        return pl.Series(shown.name, [None] * len(shown), dtype=pl.Float64)
    counted = []
    for limit, step in ((upward_limits(shown), 1.0), (downward_limits(shown), -1.0)):
        digits = limit.str.extract(r"\.(\d*)$", 1).str.len_chars().fill_null(0)
        unit = pl.Series([step * 10.0 ** -int(number) for number in digits], dtype=pl.Float64)
        number = (limit.cast(pl.Float64, strict=False) + unit).round(12)
        counted.append(number)
    return counted[0].fill_null(counted[1]).alias(shown.name)


def overlapping(shown: pl.Series, read: pl.Series) -> pl.Series:
    """Return which cells an open value of the column overlaps: numbers beyond its limit.

    Parameters
    ----------
    shown
        The texts of the distinct cells.
    read
        What they count as.
    """
    bad = pl.Series([False] * len(shown), dtype=pl.Boolean)
    for limits, above in ((upward_limits(shown), True), (downward_limits(shown), False)):
        if limits.null_count() == len(limits):
            continue
        limit = limits.cast(pl.Float64)
        bound = limit.min() if above else limit.max()
        plain = limits.is_null()
        beyond = (read > bound) if above else (read < bound)
        # Open values with other limits overlap each other.
        other = limit.is_not_null() & (limit != bound)
        bad = bad | (plain & beyond & ~_opposite(shown, above=above)) | other.fill_null(value=False)
    return bad.fill_null(value=False)


def _opposite(shown: pl.Series, *, above: bool) -> pl.Series:
    """Return which cells are open to the other side; their limits are compared by themselves."""
    return (downward_limits(shown) if above else upward_limits(shown)).is_not_null()
