"""Writing of workbooks: the table with its types, and a sheet with the facts about it."""

from __future__ import annotations

import datetime
from typing import IO, TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError
from shoal.io.cell_types import BYTES, DURATIONS, OBJECTS, refuse_types, with_lists_as_json
from shoal.io.excel_read import FACTS_SHEET, RELEASE_SHEET
from shoal.io.extras import extra_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 1_048_576, 16_384, 32_767
# Excel holds numbers as doubles and shows fifteen digits: longer ones would come back changed.
_MOST_EXACT = 10**15
# Excel takes 1900 for a leap year, so days before March 1900 are not the days they seem.
_FIRST_EXACT_DAY = datetime.date(1900, 3, 1)
_WIDEST, _NARROWEST, _SAMPLE = 60, 8, 1000
# A text that begins so is run as a formula when a cell is edited or pasted elsewhere.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class _ExactFloat(float):
    """A float with all its digits: XlsxWriter formats numbers with 16, and some need 17."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return float.__repr__(self)


def write_workbook(
    frame: pl.DataFrame, file: IO[bytes], where: str, facts: Mapping[str, Any] | None = None
) -> None:
    """Write a table as a workbook; equal tables give equal bytes.

    Numbers, dates, times and truth values keep their type, everything else is text, which is
    never taken for a formula. The header is bold and stays in sight.

    Parameters
    ----------
    frame
        The table.
    file
        Where it goes.
    where
        What errors call it.
    facts
        Figures for a second sheet, one line per figure.

    Raises
    ------
    FileError
        If a sheet cannot hold the table.
    """
    xlsxwriter = extra_module("xlsxwriter", "excel", where)
    refuse_types(frame, "a workbook", (BYTES, DURATIONS, OBJECTS))
    frame = with_lists_as_json(frame, "a workbook")
    _refuse_too_large(frame, where)
    workbook = xlsxwriter.Workbook(
        file,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    workbook.set_properties({"created": datetime.datetime(2000, 1, 1)})  # noqa: DTZ001 - no time
    _write_table(workbook, frame)
    if facts is not None:
        _write_facts(workbook, facts)
    workbook.close()


def _refuse_too_large(frame: pl.DataFrame, where: str) -> None:
    if frame.height >= MOST_ROWS or frame.width > MOST_COLUMNS:
        raise FileError(
            f"{where} cannot be written: a sheet holds {MOST_ROWS - 1:,} rows and "
            f"{MOST_COLUMNS:,} columns, the table has {frame.height:,} and {frame.width:,}.",
            remedy="Write CSV or Parquet instead.",
        )
    empty = [
        (series.is_null() | (series == "")) if series.dtype == pl.String else series.is_null()
        for series in frame
    ]
    blank = (
        pl.DataFrame(empty).select(pl.all_horizontal(pl.all())).to_series().sum() if empty else 0
    )
    if blank:
        raise FileError(
            f"{where} cannot be written: a sheet cannot distinguish records without any value "
            f"from empty rows, and the table has {blank:,}.",
            remedy="Write Parquet instead.",
        )
    for series in frame:
        if series.dtype != pl.String:
            continue
        for found, what in (
            (
                series.str.len_chars() > LONGEST_TEXT,
                (f"texts longer than {LONGEST_TEXT:,} characters"),
            ),
            (series.str.contains("\0", literal=True), "NUL characters"),
        ):
            if found.any():
                raise FileError(
                    f"{where} cannot be written: column {series.name!r} holds {what}.",
                    remedy="Write Parquet instead.",
                )


def _write_table(workbook: Any, frame: pl.DataFrame) -> None:
    sheet = workbook.add_worksheet(RELEASE_SHEET)
    bold = workbook.add_format({"bold": True, "bottom": 1})
    for place, name in enumerate(frame.columns):
        sheet.write_string(0, place, name, bold)
    for place, series in enumerate(frame):
        width = _write_column(workbook, sheet, place, series)
        sheet.set_column(place, place, max(width, len(series.name) + 2, _NARROWEST))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, frame.height, max(0, frame.width - 1))


def _write_column(workbook: Any, sheet: Any, place: int, series: pl.Series) -> int:
    """Write the cells of a column below its name, and return how wide it should be."""
    kind, pattern = _cell_kind(series)
    write = getattr(sheet, f"write_{kind}")
    form = workbook.add_format({"num_format": pattern}) if pattern else None
    quoted = workbook.add_format({"quote_prefix": True})
    cells = (_texts(series) if kind == "string" else series).to_list()
    if series.dtype.is_float() and kind == "number":
        cells = [None if cell is None else _ExactFloat(cell) for cell in cells]
    for row, cell in enumerate(cells, start=1):
        if cell is None or cell == "":
            continue
        risky = kind == "string" and cell.startswith(FORMULA_STARTS)
        write(row, place, cell, quoted if risky else form)
    longest = _texts(series.head(_SAMPLE)).str.len_chars().max()
    return min(_WIDEST, (longest if isinstance(longest, int) else 0) + 2)


def _cell_kind(series: pl.Series) -> tuple[str, str | None]:
    """Return how cells are written (what Excel cannot hold is text), and their format."""
    dtype = series.dtype
    kind: tuple[str, str | None] = "string", None
    if dtype == pl.Boolean:
        kind = "boolean", None
    elif dtype.is_integer() and _all(series, lambda cell: cell.abs() < _MOST_EXACT):
        kind = "number", "0"
    elif dtype.is_float() and _all(series, lambda cell: cell.is_finite()):
        kind = "number", None
    elif dtype == pl.Time and _all(series, _whole_milliseconds):
        kind = "datetime", "hh:mm:ss"
    elif dtype == pl.Date and _all(series, lambda cell: cell >= _FIRST_EXACT_DAY):
        kind = "datetime", "yyyy-mm-dd"
    elif isinstance(dtype, pl.Datetime) and dtype.time_zone is None:
        exact = _all(series, lambda cell: cell == cell.dt.truncate("1ms"))
        if exact and _all(series, lambda cell: cell.dt.date() >= _FIRST_EXACT_DAY):
            kind = "datetime", "yyyy-mm-dd hh:mm:ss"
    return kind


def _whole_milliseconds(cell: pl.Expr) -> pl.Expr:
    return cell.cast(pl.Int64) % 1_000_000 == 0


def _all(series: pl.Series, test: Callable[[pl.Expr], pl.Expr]) -> bool:
    return bool(series.to_frame().select(test(pl.col(series.name)).all()).item())


def _texts(series: pl.Series) -> pl.Series:
    if series.dtype == pl.Time:  # a cast would drop the fraction of the second
        return series.dt.strftime("%H:%M:%S%.f")
    return series if series.dtype == pl.String else series.cast(pl.String)


def _write_facts(workbook: Any, facts: Mapping[str, Any]) -> None:
    sheet = workbook.add_worksheet(FACTS_SHEET)
    sheet.set_column(0, 0, 32)
    sheet.set_column(1, 1, 90)
    bold = workbook.add_format({"bold": True, "bottom": 1})
    wrapped = workbook.add_format({"text_wrap": True, "valign": "top"})
    sheet.write_string(0, 0, "fact", bold)
    sheet.write_string(0, 1, "value", bold)
    for row, (name, value) in enumerate(_flat(facts), start=1):
        sheet.write_string(row, 0, name, wrapped)
        if isinstance(value, int | float) and not isinstance(value, bool):
            sheet.write_number(row, 1, value)
        else:
            sheet.write_string(row, 1, str(value)[:LONGEST_TEXT], wrapped)
    sheet.freeze_panes(1, 0)


def _flat(facts: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        elif isinstance(value, list | tuple):
            yield f"{above}{name}", "; ".join(map(str, value))
        elif value is not None:
            yield f"{above}{name}", value
