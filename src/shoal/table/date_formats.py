"""Formats of dates: those that users name, and those in which cells seem to be written."""

from __future__ import annotations

import re

import polars as pl

from shoal.errors import SchemaError, option

_LETTERS = (
    ("yyyy", "%Y"), ("yy", "%y"), ("jjjj", "%Y"), ("jj", "%y"), ("aaaa", "%Y"),
    ("mmm", "%b"), ("mm", "%m"), ("dd", "%d"), ("tt", "%d"), ("jj", "%d"),
    ("hh", "%H"), ("ss", "%S"),
)  # fmt: skip
_DIRECTIVE = re.compile(r"%[-_0]?[A-Za-z]|%\.\d?f|%:z|%%")


def require_date_format(column: str, date_format: str) -> None:
    """Raise :class:`SchemaError` if a format holds no directive; suggest what was probably meant.

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


ISO = "2025-12-31"
SLASHES = "31/12/2025 or 12/31/2025"
STYLES = {
    ISO: r"^\d{4}-\d{1,2}-\d{1,2}$",
    "31.12.2025": r"^\d{1,2}\.\d{1,2}\.\d{2,4}$",
    SLASHES: r"^\d{1,2}/\d{1,2}/\d{2,4}$",
    "31-12-2025": r"^\d{1,2}-\d{1,2}-\d{2,4}$",
    "2025/12/31": r"^\d{4}/\d{1,2}/\d{1,2}$",
    "2025.12.31": r"^\d{4}\.\d{1,2}\.\d{1,2}$",
    "20251231": r"^(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$",
}
"""Styles in which dates are written, each by an example and by the pattern of its texts."""
_LEAST_DIGITS = 4  # of all styles

_FORMATS = {
    ISO: ("%Y-%m-%d",),
    "31.12.2025": ("%d.%m.%Y",),
    SLASHES: ("%d/%m/%Y", "%m/%d/%Y"),
    "31-12-2025": ("%d-%m-%Y", "%m-%d-%Y"),
    "2025/12/31": ("%Y/%m/%d",),
    "2025.12.31": ("%Y.%m.%d",),
    "20251231": ("%Y%m%d",),
}
_FOUR_DIGITS = 1000  # a year below was written with two digits


def counted_styles(shown: pl.Series) -> dict[str, int]:
    """Return how many texts are dates in each style, the commonest first.

    >>> import polars as pl
    >>> counted_styles(pl.Series(["2025-12-31", "31.12.2025", "30.12.2025", "x"]))
    {'31.12.2025': 2, '2025-12-31': 1}
    """
    frame, text = shown.to_frame("text"), pl.col("text").str
    if (frame.select(text.count_matches(r"\d").max()).item() or 0) < _LEAST_DIGITS:
        return {}  # the patterns of all styles take longer to compile
    matched = [text.contains(pattern).sum().alias(style) for style, pattern in STYLES.items()]
    counts = frame.select(matched).row(0, named=True)
    return {
        style: counts[style] for style in sorted(counts, key=lambda s: -counts[s]) if counts[style]
    }


def formats_of_style(shown: pl.Series, style: str) -> list[str]:
    """Return the formats that read all texts of a style; several where day and month are unclear.

    None does where years have two digits.

    >>> import polars as pl
    >>> formats_of_style(pl.Series(["01/31/2025", "x"]), SLASHES)
    ['%m/%d/%Y']
    """
    cells = shown.filter(shown.str.contains(STYLES[style]).fill_null(value=False))
    fitting = []
    for one in _FORMATS[style]:
        read = cells.str.to_date(one, strict=False).dt.year()
        if (read >= _FOUR_DIGITS).fill_null(value=False).all():
            fitting.append(one)
    return fitting


def likely_formats(shown: pl.Series) -> str | None:
    """Return the formats of texts that are dates in some style, in the order to try them.

    >>> import polars as pl
    >>> likely_formats(pl.Series(["2025-12-31", "31.12.2025"]))
    '%Y-%m-%d|%d.%m.%Y'
    """
    styles = counted_styles(shown)
    return "|".join(usual_format(shown, style) for style in styles) or None


def usual_format(shown: pl.Series, style: str) -> str:
    """Return the first format that reads all texts of a style; the usual one if none does."""
    return next(iter(formats_of_style(shown, style)), _FORMATS[style][0])
