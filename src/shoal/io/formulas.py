"""Cells that a spreadsheet would run: marked in CSV files that are meant for one.

A cell or column name that begins with ``=``, ``+``, ``-`` or ``@`` is a formula to a spreadsheet
that opens a CSV file. A leading apostrophe makes it a text there. It is taken off again when Shoal
reads the release, so that cells compare equal; workbooks need no mark, since their texts are texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from shoal.io.databases import is_database
from shoal.io.formats import STANDARD_STREAM, Format, file_kind

if TYPE_CHECKING:
    from pathlib import Path

_RISKY = r"^'*[=+\-@\t\r]"
_MARKED = r"^''*[=+\-@\t\r]"
_NUMBER = r"^[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?$"


def is_csv(path: str | Path) -> bool:
    """Return whether a table is CSV text; standard output is."""
    if is_database(path):
        return False
    return str(path) == STANDARD_STREAM or file_kind(path).format is Format.CSV


def columns_with_formulas(frame: pl.DataFrame) -> list[str]:
    """Return the columns with a name or cells that a spreadsheet would take for formulas."""
    risky = {*_names_like_formulas(frame), *_columns_of_formulas(frame)}
    return [name for name in frame.columns if name in risky]


def _columns_of_formulas(frame: pl.DataFrame) -> list[str]:
    risky = frame.select(pl.col(pl.String).unique().str.contains(_RISKY).any())
    names = [column.name for column in risky if column.any()]
    return [name for name in names if _formulas(frame[name].unique()).any()]


def _names_like_formulas(frame: pl.DataFrame) -> list[str]:
    return [
        name for name in frame.columns if re.match(_RISKY, name) and not re.match(_NUMBER, name)
    ]


def with_marks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose formulas begin with an apostrophe; numbers are left alone."""
    marked = frame.with_columns(
        pl.when(_formulas(frame[name])).then("'" + frame[name]).otherwise(frame[name]).alias(name)
        for name in _columns_of_formulas(frame)
    )
    return marked.rename({name: f"'{name}" for name in _names_like_formulas(frame)})


def without_marks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table that :func:`with_marks` marked."""
    marked = pl.selectors.string()
    plain = frame.with_columns(
        pl.when(marked.str.contains(_MARKED)).then(marked.str.slice(1)).otherwise(marked)
    )
    return plain.rename({name: name[1:] for name in frame.columns if re.match(_MARKED, name)})


def _formulas(texts: pl.Series) -> pl.Series:
    return (texts.str.contains(_RISKY) & ~texts.str.contains(_NUMBER)).fill_null(value=False)
