"""Numbers with a decimal comma, read as every other table writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_NUMBER = r"^\s*[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?\s*$"
_MARKED = r"[.,]"


def with_decimal_points(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return a table of texts whose numbers have points, and the columns that were changed.

    A column is changed if all its cells are numbers as ``1.234,5`` writes them; in any other column
    a comma is part of a text.
    """
    changed = []
    for series in frame:
        cells = series.drop_nulls()
        cells = cells.filter(cells != "")
        marked = len(cells) > 0 and cells.str.contains(_MARKED).any()
        if marked and cells.str.contains(_NUMBER).all():
            plain = series.str.replace_all(".", "", literal=True)
            changed.append(plain.str.replace(",", ".", literal=True))
    return frame.with_columns(changed), [series.name for series in changed]
