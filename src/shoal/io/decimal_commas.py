"""Numbers with a decimal comma or marks between thousands, read as other tables write them."""

from __future__ import annotations

import re

import polars as pl

# Narrow and unbreakable blanks part thousands where others write a plain one.
_BLANKS = "[ \u00a0\u202f]"
_POINTS = r"^[+-]?\d+(\.\d+)?$"
_MAY_BE_WHOLE = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)$"
_COMMAS = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$"


def with_plain_numbers(
    frame: pl.DataFrame, decimal: str, thousands: str | None = None
) -> tuple[pl.DataFrame, list[str]]:
    """Return a table of texts whose numbers have points, and the columns that were changed.

    A column is changed if all its cells are numbers as these marks write them, open values such as
    ``90+`` among them; in any other column a comma is part of a text.

    Parameters
    ----------
    decimal
        The mark before decimals.
    thousands
        The mark between thousands; beside a decimal comma a point unless set.
    """
    thousands = thousands or ("." if decimal == "," else None)
    part = "" if thousands is None else _BLANKS if thousands == " " else re.escape(thousands)
    whole = rf"(\d{{1,3}}({part}\d{{3}})+|\d+)" if part else r"\d+"
    number = rf"^\s*[<>=≤≥]*\s*[+-]?{whole}({re.escape(decimal)}\d+)?\s*\+?\s*$"
    marks = rf"{re.escape(decimal)}|{part}" if part else re.escape(decimal)
    changed = []
    for series in frame:
        cells = series.drop_nulls()
        cells = cells.filter(cells != "")
        marked = len(cells) > 0 and cells.str.strip_chars().str.contains(marks).any()
        if marked and cells.str.contains(number).all():
            plain = series.str.strip_chars()
            plain = plain.str.replace_all(part, "") if part else plain
            plain = plain.str.replace(decimal, ".", literal=True)
            if not plain.eq_missing(series).all():
                changed.append(plain)
    return frame.with_columns(changed), [series.name for series in changed]


def columns_with_decimal_commas(frame: pl.DataFrame) -> list[str]:
    """Return the columns whose numbers seem to have a decimal comma.

    None if a column has decimal points, or if every comma may as well part thousands.
    """
    commas = []
    doubtful = True
    for series in frame:
        if series.dtype != pl.String:
            continue
        cells = series.drop_nulls().str.strip_chars()
        cells = cells.filter(cells != "")
        if len(cells) == 0 or not cells.str.contains(r"^[+-]?\d").all():
            continue
        if cells.str.contains(_POINTS).all() and not cells.str.contains(_MAY_BE_WHOLE).all():
            return []
        if cells.str.contains(_COMMAS).all() and cells.str.contains(",", literal=True).any():
            commas.append(series.name)
            doubtful &= bool(cells.str.contains(r"^[+-]?\d{1,3}(,\d{3})?$").all())
    return [] if doubtful else commas
