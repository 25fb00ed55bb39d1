"""Types of cells that a format has no place for: lists are written as JSON, others are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError
from shoal.io.frames import polars_parts

if TYPE_CHECKING:
    from collections.abc import Collection

_WHAT: dict[Any, tuple[str, str]] = {
    pl.Binary: ("bytes", "decode them into texts first"),
    pl.Duration: ("durations", "turn them into numbers first, such as seconds"),
    pl.Object: ("Python objects", "turn them into texts first"),
}
BYTES, DURATIONS, OBJECTS = _WHAT


def refuse_types(frame: pl.DataFrame, form: str, types: Collection[Any]) -> None:
    """Raise if a column holds cells of a type that a format lacks, in lists or structs or alone.

    Parameters
    ----------
    frame
        The table to be written.
    form
        What errors call the format.
    types
        Which of bytes, durations and objects it lacks.

    Raises
    ------
    FileError
        If there is such a column; it is named.
    """
    for name, dtype in frame.schema.items():
        for part in polars_parts(dtype):
            if part.base_type() in types:
                what, remedy = _WHAT[part.base_type()]
                nowhere = part == OBJECTS
                instead = remedy if nowhere else f"write Parquet instead, or {remedy}"
                raise FileError(
                    f"Column {name!r} holds {what}, which {form} cannot hold.",
                    remedy=f"{instead[0].upper()}{instead[1:]}.",
                )


def refuse_unbounded(frame: pl.DataFrame, form: str, *, infinite: bool = True) -> None:
    """Raise if a column holds NaN or infinite numbers, which a format would make missing.

    Parameters
    ----------
    frame
        The table to be written.
    form
        What errors call the format.
    infinite
        Whether infinite numbers are refused, too.

    Raises
    ------
    FileError
        If there is such a column; it is named.
    """
    for series in frame:
        if series.dtype.is_float():
            bad = series.is_nan() | (series.is_infinite() if infinite else False)
            if bad.any():
                raise _unbounded(series.name, form, infinite=infinite)
        elif series.dtype.is_nested() and any(
            part.is_float() for part in polars_parts(series.dtype)
        ):
            as_json(series, form)


def as_json(series: pl.Series, form: str) -> pl.Series:
    """Return a column of lists or structs as JSON text.

    Raises
    ------
    FileError
        If they hold NaN or infinite numbers, which JSON lacks.
    """
    try:
        cells = [
            None
            if cell is None
            else json.dumps(cell, ensure_ascii=False, allow_nan=False, default=str)
            for cell in series.to_list()
        ]
    except ValueError:
        raise _unbounded(series.name, form) from None
    return pl.Series(series.name, cells, dtype=pl.String)


def with_lists_as_json(frame: pl.DataFrame, form: str) -> pl.DataFrame:
    """Return a table whose lists and structs are JSON text."""
    return frame.with_columns(as_json(series, form) for series in frame if series.dtype.is_nested())


def _unbounded(name: str, form: str, *, infinite: bool = True) -> FileError:
    what = "NaN or infinite numbers" if infinite else "NaN"
    return FileError(
        f"Column {name!r} holds {what}, which {form} cannot hold.",
        remedy="Write Parquet instead, or make them missing first.",
    )
