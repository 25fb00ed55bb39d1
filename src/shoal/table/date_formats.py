"""Formats of dates as users write them, checked before any cell is read."""

from __future__ import annotations

import re

from shoal.errors import SchemaError, option

_LETTERS = (
    ("yyyy", "%Y"), ("yy", "%y"), ("jjjj", "%Y"), ("jj", "%y"), ("aaaa", "%Y"),
    ("mmm", "%b"), ("mm", "%m"), ("dd", "%d"), ("tt", "%d"), ("jj", "%d"),
    ("hh", "%H"), ("ss", "%S"),
)  # fmt: skip
_DIRECTIVE = re.compile(r"%[-_0]?[A-Za-z]|%\.\d?f|%:z|%%")


def require_date_format(column: str, date_format: str) -> None:
    """Raise :class:`SchemaError` if a format holds no directive, and tell what was probably meant.

    >>> require_date_format("born", "%d.%m.%Y|%Y-%m-%d")
    """
    for one in date_format.split("|"):
        if _DIRECTIVE.search(one):
            continue
        meant = one.lower()
        for letters, directive in _LETTERS:
            if directive not in meant:
                meant = meant.replace(letters, directive)
        likely = meant if _DIRECTIVE.search(meant) else "%d.%m.%Y"
        raise SchemaError(
            f"Column {column!r}: the date format {one!r} names no part of a date.",
            remedy=f"Write %d for the day, %m for the month, %Y for the year, as in "
            f"{option('date_format', {column: likely})}.",
        )
