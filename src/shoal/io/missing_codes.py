"""Texts that stand for a missing cell, and codes beside numbers that say why there is none.

A column of numbers may hold codes such as ``N`` for "not applicable". Declared as special values
they become a category of their own: the column keeps its numbers, and ``COLUMN_special`` holds the
code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EQUALS = re.compile(r"(?<!\\)=")
_BAR = re.compile(r"(?<!\\)\|")
_SUFFIX = "_special"


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
        ``CODE``, or ``COLUMN=CODE|CODE``. A number is a code in whatever way it is spelled.
    empty
        Whether an empty text is a missing cell, as in a CSV file.

    Raises
    ------
    SchemaError
        If columns are named that the table does not have; all of them are named.
    """
    everywhere, by_column = split_codes(null_values)
    _require_columns(frame, by_column)
    anywhere = [""] * empty + everywhere
    if anywhere and pl.String in frame.dtypes:
        texts = pl.col(pl.String)
        coded = texts.is_in(anywhere)
        if frame.select(pl.any_horizontal(coded.any())).item():
            frame = frame.with_columns(pl.when(~coded).then(texts))
    replaced = []
    for series in frame:
        codes = by_column.get(series.name, [])
        if series.dtype != pl.String and not series.dtype.is_nested():
            codes = codes + everywhere  # among texts they are replaced already
        marked = _holds(series, codes) if codes else None
        if marked is not None and marked.any():
            replaced.append(series.set(marked, None))
    return frame.with_columns(replaced) if replaced else frame


def special_column(name: str) -> str:
    """Return the column that holds the special values of another."""
    return f"{name}{_SUFFIX}"


def with_special_columns(frame: pl.DataFrame, special_values: Sequence[str]) -> pl.DataFrame:
    """Return the frame with special values in columns of their own, after all others.

    Where a cell is special, the column of numbers is missing and its special column shows the code;
    elsewhere the special column is missing.

    Parameters
    ----------
    frame
        The table.
    special_values
        ``COLUMN=CODE|CODE``, as the user writes them.

    Raises
    ------
    SchemaError
        If a code names no column, a column is not in the table, or the new one already is.
    """
    by_column = special_codes(special_values)
    _require_columns(frame, by_column, "special_values")
    added = []
    for name, codes in by_column.items():
        if special_column(name) in frame.columns:
            raise SchemaError(
                f"The special values of {name!r} go into a column {special_column(name)!r}, which "
                "the table already has.",
                remedy="Rename that column first.",
            )
        special = pl.Series(special_column(name), [None], dtype=pl.String)
        special = special.new_from_index(0, frame.height)
        for code in codes:
            special = special.set(_holds(frame[name], [code]).fill_null(value=False), code)
        added += [frame[name].set(special.is_not_null(), None), special]
    return frame.with_columns(added)


def special_codes(special_values: Iterable[str]) -> dict[str, list[str]]:
    """Return the special values of each column.

    >>> special_codes(["weeks=N|R"])
    {'weeks': ['N', 'R']}

    Raises
    ------
    SchemaError
        If one is not ``COLUMN=CODE|CODE``.
    """
    everywhere, by_column = split_codes(special_values)
    empty = [name for name, codes in by_column.items() if not all(codes)]
    if everywhere or empty:
        raise SchemaError(
            f"`special_values` {', '.join(map(repr, everywhere + empty))}: not COLUMN=CODE|CODE.",
            remedy="Name the column of numbers and its codes, as in weeks=N|R.",
        )
    return by_column


def recoded(
    frame: pl.DataFrame,
    null_values: Sequence[str],
    special_values: Sequence[str],
    *,
    empty: bool = False,
) -> pl.DataFrame:
    """Return the frame with missing cells as null and special values in columns of their own."""
    frame = without_codes(frame, null_values, empty=empty)
    return with_special_columns(frame, special_values) if special_values else frame


def recoded_once(
    frame: pl.DataFrame,
    null_values: Sequence[str],
    special_values: Sequence[str],
    *,
    partial: bool = False,
) -> pl.DataFrame:
    """Return a frame of a caller as :func:`recoded`, who may have read it with these very codes.

    Null stays null, and a special column that is there already is taken as it is.

    Parameters
    ----------
    frame, null_values, special_values
        As for :func:`recoded`.
    partial
        Whether the frame may lack columns that codes name, because they are those of another one.
    """
    special_codes(special_values)  # raises if one is not COLUMN=CODE|CODE
    held = set(frame.columns)
    if partial:
        null_values = [item for item in null_values if split_codes([item])[1].keys() <= held]
        special_values = [item for item in special_values if split_codes([item])[1].keys() <= held]
    pending = [
        item
        for item in special_values
        if not {special_column(name) for name in split_codes([item])[1]} & held
    ]
    return recoded(frame, null_values, pending)


def _holds(series: pl.Series, codes: Sequence[str]) -> pl.Series:
    """Return which cells show one of the codes; a number shows every spelling of it."""
    if series.dtype in (pl.Binary, pl.Object):
        return pl.repeat(value=False, n=len(series), eager=True)
    if series.dtype.is_numeric():
        numbers = pl.Series(codes, dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
        return series.cast(pl.Float64, strict=False).is_in(numbers.implode())
    shown = series if series.dtype == pl.String else series.cast(pl.String)
    return shown.str.strip_chars().is_in(pl.Series(codes, dtype=pl.String).implode())


def _require_columns(
    frame: pl.DataFrame, by_column: Mapping[str, object], named_by: str = "null_values"
) -> None:
    unknown = [name for name in by_column if name not in frame.columns]
    if unknown:
        listed = ", ".join(map(repr, unknown))
        raise SchemaError(
            f"`{named_by}` names {listed}, but the table has no such "
            f"column{'s' if len(unknown) > 1 else ''}.",
            remedy=r"Check the names; a code that holds an equals sign is written \=.",
        )
