"""Texts that stand for a missing cell, in all columns or in one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EQUALS = re.compile(r"(?<!\\)=")
_BAR = re.compile(r"(?<!\\)\|")


def split_codes(null_values: Iterable[str]) -> tuple[list[str], dict[str, list[str]]]:
    r"""Return the codes of all columns, and those of single columns.

    >>> split_codes(["?", "age=97|98", "a\\=b"])
    (['?', 'a=b'], {'age': ['97', '98']})
    """
    everywhere: list[str] = []
    by_column: dict[str, list[str]] = {}
    for item in null_values:
        name, *codes = _EQUALS.split(item, maxsplit=1)
        if codes:
            listed = [code.strip().replace(r"\|", "|") for code in _BAR.split(codes[0])]
            by_column.setdefault(name.strip().replace(r"\=", "="), []).extend(listed)
        else:
            everywhere.append(item.replace(r"\=", "="))
    return everywhere, by_column


def without_codes(
    frame: pl.DataFrame, null_values: Sequence[str], *, empty: bool = False
) -> pl.DataFrame:
    """Return the frame with the cells that stand for a missing one replaced by null.

    Parameters
    ----------
    frame
        The table.
    null_values
        ``CODE``, or ``COLUMN=CODE|CODE``. Codes of all columns concern texts alone; those of one
        column also numbers and dates.
    empty
        Whether an empty text is a missing cell, as in a CSV file.

    Raises
    ------
    SchemaError
        If columns are named that the table does not have; all of them are named.
    """
    everywhere, by_column = split_codes(null_values)
    _require_columns(frame, by_column)
    anywhere = pl.Series([""] * empty + everywhere, dtype=pl.String)
    replaced = []
    for series in frame:
        marked = None
        if series.dtype == pl.String and len(anywhere):
            marked = series.is_in(anywhere.implode())
        if series.name in by_column:
            own = _holds(series, by_column[series.name])
            marked = own if marked is None else marked | own
        if marked is not None and marked.any():
            replaced.append(series.set(marked, None))
    return frame.with_columns(replaced) if replaced else frame


def _holds(series: pl.Series, codes: Sequence[str]) -> pl.Series:
    """Return which cells show one of the codes; a number shows every spelling of it."""
    if series.dtype.is_numeric():
        numbers = pl.Series(codes, dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
        return series.cast(pl.Float64, strict=False).is_in(numbers.implode())
    shown = series if series.dtype == pl.String else series.cast(pl.String)
    return shown.str.strip_chars().is_in(pl.Series(codes, dtype=pl.String).implode())


def _require_columns(frame: pl.DataFrame, by_column: Mapping[str, object]) -> None:
    unknown = [name for name in by_column if name not in frame.columns]
    if unknown:
        listed = ", ".join(map(repr, unknown))
        raise SchemaError(
            f"`null_values` names {listed}, but the table has no such "
            f"column{'s' if len(unknown) > 1 else ''}.",
            remedy=r"Check the names; a code that holds an equals sign is written \=.",
        )
