"""Numbers with a decimal comma or marks between thousands, read as other tables write them."""

from __future__ import annotations

import re

import polars as pl

_NAMED = 5
# Narrow and unbreakable blanks part thousands where others write a plain one.
_BLANKS = "[ \u00a0\u202f]"
_POINTS = r"^[+-]?\d+(\.\d+)?$"
_MAY_BE_WHOLE = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)$"
_COMMAS = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$"


def with_plain_numbers(
    frame: pl.DataFrame, decimal: str, thousands: str | None = None
) -> tuple[pl.DataFrame, list[str]]:
    """Return a table whose numbers in texts have points, and notes on what was done.

    A column is changed if all its cells are numbers as these marks write them, open values such as
    ``90+`` among them; in any other column a comma is part of a text. If most are, a note names
    the rows that are not.

    Parameters
    ----------
    decimal
        The mark before decimals.
    thousands
        The mark between thousands; beside a decimal comma a point unless set.
    """
    number, part = _patterns(decimal, thousands)
    marks = rf"{re.escape(decimal)}|{part}" if part else re.escape(decimal)
    changed = []
    notes = []
    for series in frame.select(pl.col(pl.String)):
        other = ~series.str.contains(number) & (series != "")
        others = other.fill_null(value=False)
        numbers = series.filter(~others).drop_nulls()
        if not numbers.str.strip_chars().str.contains(marks).any():
            continue
        if others.any():
            if 2 * int(others.sum()) < int((series != "").sum()):
                notes.append(_left_alone(series.name, others))
            continue
        plain = series.str.strip_chars()
        plain = plain.str.replace_all(part, "") if part else plain
        plain = plain.str.replace(decimal, ".", literal=True)
        if not plain.eq_missing(series).all():
            changed.append(plain)
    if changed:
        listed = ", ".join(repr(series.name) for series in changed)
        spelling = "with a decimal point and without marks between thousands"
        notes.insert(0, f"Numbers of {listed} are read, and released, {spelling}.")
    return frame.with_columns(changed), notes


def columns_with_marks(
    frame: pl.DataFrame, decimal: str, thousands: str | None = None
) -> list[str]:
    """Return the columns of texts that :func:`with_plain_numbers` surely did not change yet."""
    number, part = _patterns(decimal, thousands)
    # A point may be one that was put there.
    marks = [
        mark for mark, used in ((",", decimal == ","), (part, thousands not in (None, "."))) if used
    ]
    found = []
    for series in frame.select(pl.col(pl.String)):
        cells = series.filter(series != "").str.strip_chars()
        if len(cells) and cells.str.contains("|".join(marks)).any():
            found += [series.name] * bool(cells.str.contains(number).all())
    return found


def _patterns(decimal: str, thousands: str | None) -> tuple[str, str]:
    """Return the pattern of a number, and that of the mark between thousands if there is one."""
    thousands = thousands or ("." if decimal == "," else None)
    part = "" if thousands is None else _BLANKS if thousands == " " else re.escape(thousands)
    whole = rf"(\d{{1,3}}({part}\d{{3}})+|\d+)" if part else r"\d+"
    number = rf"^\s*[<>=≤≥]*\s*[+-]?{whole}({re.escape(decimal)}\d+)?\s*\+?\s*$"
    return number, part


def _left_alone(name: str, others: pl.Series) -> str:
    rows = others.arg_true()
    named = ", ".join(str(row + 1) for row in rows.head(_NAMED))
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return (
        f"Column {name!r} is read as texts: most of its cells are numbers with these marks, but "
        f"not all (data row{'s' if len(rows) > 1 else ''} {named}{more}). Correct the others, or "
        "declare them with `null_values` or `special_values`."
    )


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
