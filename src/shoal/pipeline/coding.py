"""Top and bottom coding: what lies at or beyond a limit is one value, before anything else runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import counted
from shoal.table.cells import read_number, texts
from shoal.table.open_values import bottom_text, top_text

if TYPE_CHECKING:
    from shoal.options import Job


def with_codes(source: pl.DataFrame, job: Job) -> pl.DataFrame:
    """Return a table whose numbers at or beyond a limit are open values, ``90+`` or ``<=18``.

    Columns that the table lacks, and cells that are not numbers, are left to the schema to refuse.
    """
    coded = []
    for name in {**job.top, **job.bottom}:
        if name not in source.columns or source.schema[name].is_nested():
            continue
        series = _plain(source[name])
        number, shown = read_number(series), texts(series)
        if name in job.top:
            shown = shown.set((number >= job.top[name]).fill_null(value=False), top_of(job, name))
        if name in job.bottom:
            low = (number <= job.bottom[name]).fill_null(value=False)
            shown = shown.set(low, bottom_of(job, name))
        coded.append(shown.alias(name))
    return source.with_columns(coded) if coded else source


def _plain(series: pl.Series) -> pl.Series:
    """Return categories as the texts that they are."""
    return series.cast(pl.String) if series.dtype in (pl.Categorical, pl.Enum) else series


def top_of(job: Job, column: str) -> str:
    """Return how the highest values of a column are shown."""
    return top_text(_spelled(job.top[column]))


def bottom_of(job: Job, column: str) -> str:
    """Return how the lowest values of a column are shown."""
    return bottom_text(_spelled(job.bottom[column]))


def _spelled(limit: float) -> str:
    return str(int(limit)) if float(limit).is_integer() else repr(float(limit))


def notes_on_codes(source: pl.DataFrame, job: Job) -> list[str]:
    """Return what the custodian should know: how many records were coded, and what that loses."""
    notes = []
    for side, limits in (("top", job.top), ("bottom", job.bottom)):
        for name, limit in limits.items():
            number = read_number(_plain(source[name])).drop_nulls()
            beyond = number.filter((number >= limit) if side == "top" else (number <= limit))
            width = (
                float(number.max() - number.min())  # type: ignore[operator,arg-type]
                if len(number)
                else 0.0
            )
            lost = float((beyond - limit).abs().sum()) / width / len(source) if width else 0.0
            notes.append(
                f"Column {name!r} is {side}-coded at {_spelled(limit)}: "
                f"{counted(len(beyond), 'record')}. That moves values by {100 * lost:.3f} % of the "
                "range on average, which the losses, measured on the coded column, do not count."
            )
    return notes
