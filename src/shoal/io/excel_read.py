"""Excel workbooks: one sheet as a table, with the types its cells have."""

from __future__ import annotations

import datetime
import io
import logging
import zipfile
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError, did_you_mean, option
from shoal.io.compression import require_plausible_size
from shoal.io.delimited import check_column_names
from shoal.io.extras import extra_module
from shoal.io.missing_codes import split_codes
from shoal.io.opening import ABSENT, header_line, refuse_doubtful_header
from shoal.io.source import ReadOptions, Source
from shoal.io.workbook_xml import (
    DIGIT,
    SheetEntry,
    SheetXml,
    letters_of,
    read_sheet_xml,
    sheet_entries,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RELEASE_SHEET, FACTS_SHEET = "release", "facts"
_SAMPLE_ROWS = 201
_NAMED = 5
_FIRST_DAY = datetime.date(1899, 12, 31)
_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
# How the reader writes a date that stands among texts.
_MOMENT, _MIDNIGHT = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", r"^(\d{4}-\d\d-\d\d) 00:00:00$"
# Its warning about a column without any value would go to the screen.
logging.getLogger("fastexcel").addHandler(logging.NullHandler())


def read_workbook(data: bytes, where: str, options: ReadOptions) -> Source:
    """Return the table of one sheet.

    Parameters
    ----------
    data
        The bytes of the workbook.
    where
        What errors call it.
    options
        ``sheet`` and ``header`` say where the table is.

    Raises
    ------
    FileError
        If there are several sheets and none is named, the sheet holds no table, or holds merged
        cells, errors or formulas without a result; cells are named as Excel names them.
    """
    fastexcel = extra_module("fastexcel", "excel", where)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        unpacked = sum(part.file_size for part in archive.infolist())
        require_plausible_size(unpacked, len(data), where)
        entries = sheet_entries(archive)
        reader = fastexcel.read_excel(data)
    except FileError:
        raise
    except (zipfile.BadZipFile, fastexcel.FastExcelError, ValueError) as error:
        raise FileError(
            f"{where} is not a workbook that can be read.",
            remedy="Open it in Excel and save it as .xlsx, without a password.",
        ) from error
    entry = _chosen(entries, options.sheet, where)
    where = f"{where}, sheet {entry.name!r}"
    names, first_row = _header(reader, entry, options.header, where)
    check_column_names([name for name in names if name], where)
    found = read_sheet_xml(archive, entry, first_row)
    _refuse(found, options, where)
    frame, letters = _load(reader, entry, names, first_row, where)
    _refuse_blank_rows(frame, first_row, where)
    return _as_shown(frame, letters, found, where)


def _chosen(entries: Sequence[SheetEntry], wanted: str | None, where: str) -> SheetEntry:
    names = [entry.name for entry in entries]
    if wanted is not None:
        for entry in entries:
            if entry.name == wanted:
                return entry
        raise FileError(f"{where} has no sheet {wanted!r}.", remedy=did_you_mean(wanted, names))
    shown = [entry for entry in entries if entry.visible] or list(entries)
    if {RELEASE_SHEET, FACTS_SHEET} == {entry.name for entry in shown}:
        shown = [entry for entry in shown if entry.name == RELEASE_SHEET]
    if not shown:
        raise FileError(f"{where} has no sheets.", remedy="Give a workbook with a table.")
    if len(shown) > 1:
        listed = ", ".join(repr(entry.name) for entry in shown)
        raise FileError(
            f"{where} has {len(shown)} sheets: {listed}.",
            remedy=f"Name the one that holds the table, as in {option('sheet', shown[0].name)}.",
        )
    return shown[0]


def _header(
    reader: Any, entry: SheetEntry, header: str | None, where: str
) -> tuple[list[str], int]:
    """Return the column names, and the row of the sheet where records begin, from 1."""
    row = header_line(header)
    try:
        sample = reader.load_sheet(
            entry.name,
            header_row=None,
            skip_rows=(row or 1) - 1,
            n_rows=_SAMPLE_ROWS,
            dtypes="string",
        ).to_polars()
    except Exception as error:
        raise FileError(f"{where} cannot be read.", remedy="Save it again in Excel.") from error
    records = [[cell or "" for cell in record] for record in sample.rows()]
    if not records or not any(cell for record in records for cell in record):
        raise FileError(f"{where} is empty.", remedy="Give a table with a header and rows.")
    if header == ABSENT:
        return [f"column_{place + 1}" for place in range(sample.width)], 1
    if header is None and len(records) > 1:
        refuse_doubtful_header(records, 1, where, "row")
    first = row or 1
    return [name.strip() for name in records[0]], first + 1


def _refuse(found: SheetXml, options: ReadOptions, where: str) -> None:
    allowed, _ = split_codes(options.null_values)
    for cells, what, remedy in (
        (
            [] if any(code in allowed for code in _ERRORS) else found.errors,
            ("hold an error such as #N/A", "holds an error such as #N/A"),
            "Correct them, or read errors as missing with `null_values=['#N/A']`.",
        ),
        (
            found.uncalculated,
            ("hold formulas without a result", "holds a formula without a result"),
            "Open the workbook in Excel, let it calculate, and save it.",
        ),
        (
            found.merged,
            ("are merged, so that only the first of each holds a value",) * 2,
            "Unmerge them and write the value into every cell.",
        ),
    ):
        if cells:
            more = f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
            many = len(cells) > 1 or ":" in cells[0]
            raise FileError(
                f"{where}: cell{'s' if many else ''} {', '.join(cells[:_NAMED])}{more} "
                f"{what[0] if many else what[1]}.",
                remedy=remedy,
            )


def _load(
    reader: Any, entry: SheetEntry, names: Sequence[str], first_row: int, where: str
) -> tuple[pl.DataFrame, list[str]]:
    """Return the records, and by which letters Excel names their columns.

    A column without a name and without any cell is a gap beside the table, not a part of it.
    """
    try:
        loaded = reader.load_sheet(
            entry.name,
            column_names=[name or _unused(names, place) for place, name in enumerate(names)],
            skip_rows=first_row - 1,
            schema_sample_rows=None,
            skip_whitespace_tail_rows=True,
        )
        frame: pl.DataFrame = loaded.to_polars()
    except Exception as error:
        raise FileError(f"{where} cannot be read.", remedy="Save it again in Excel.") from error
    if frame.height == 0:
        raise FileError(
            f"{where} has a header but no rows.", remedy="Give a table with at least one row."
        )
    letters = [letters_of(column.absolute_index) for column in loaded.selected_columns]
    kept = [
        place
        for place, (name, series) in enumerate(zip(names, frame, strict=True))
        if name or series.null_count() < frame.height
    ]
    unnamed = [letters[place] for place in kept if not names[place]]
    if unnamed:
        many = len(unnamed) > 1
        raise FileError(
            f"{where}: column{'s' if many else ''} {', '.join(unnamed[:_NAMED])} "
            f"{'have' if many else 'has'} cells, but no name in row {first_row - 1}.",
            remedy="Name it in that row, or remove its cells.",
        )
    return frame[:, kept], [letters[place] for place in kept]


def _unused(names: Sequence[str], place: int) -> str:
    name = f"unnamed {place}"
    while name in names:
        name += "_"
    return name


def _refuse_blank_rows(frame: pl.DataFrame, first_row: int, where: str) -> None:
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true()
    if len(blank):
        named = ", ".join(str(row + first_row) for row in blank.head(_NAMED))
        more = f" and {len(blank) - _NAMED} more" if len(blank) > _NAMED else ""
        raise FileError(
            f"{where}: row{'s' if len(blank) > 1 else ''} {named}{more} "
            f"{'are' if len(blank) > 1 else 'is'} empty.",
            remedy="Remove empty rows: an empty row is not a person.",
        )


def _as_shown(frame: pl.DataFrame, named: Sequence[str], found: SheetXml, where: str) -> Source:
    """Return the table with whole numbers, dates and leading zeros as the sheet shows them."""
    columns = []
    notes = list(_about_hidden(frame, named, found, where))
    for letters, series in zip(named, frame, strict=True):
        if letters in found.padded:
            columns.append(_padded(series, found, letters, where))
            continue
        if series.dtype.is_numeric():
            _refuse_other_kinds(series, found, letters, where)
        columns.append(_narrowed(series))
        if letters in found.percent:
            notes.append(f"Column {series.name!r} shows percent; it is read as shares, 5% as 0.05.")
    return Source(pl.DataFrame(columns), notes=tuple(notes))


def _about_hidden(
    frame: pl.DataFrame, named: Sequence[str], found: SheetXml, where: str
) -> Iterator[str]:
    """Return a note about what nobody sees who looks at the sheet."""
    columns = [repr(n) for n, one in zip(frame.columns, named, strict=True) if one in found.hidden]
    rows, width = found.hidden_rows, len(columns)
    hidden = [f"{rows:,} row{'s' if rows > 1 else ''}"] * (rows > 0)
    hidden += [f"column{'s' if width > 1 else ''} {', '.join(columns)}"] * (width > 0)
    if hidden:
        yield f"{where} hides {' and '.join(hidden)}; what is hidden is read like the rest."


def _refuse_other_kinds(series: pl.Series, found: SheetXml, letters: str, where: str) -> None:
    """Raise if numbers are mixed with percent or truth values, which would be read as numbers."""
    truths = found.truths.get(letters, [])
    if truths:
        more = f" and {len(truths) - _NAMED} more" if len(truths) > _NAMED else ""
        raise FileError(
            f"{where}: column {series.name!r} holds numbers, but also TRUE or FALSE: "
            f"{', '.join(truths[:_NAMED])}{more}.",
            remedy="Correct these cells.",
        )
    percent = found.percent.get(letters, 0)
    if percent not in (0, len(series) - series.null_count()):
        raise FileError(
            f"{where}: column {series.name!r} shows percent in some cells and plain numbers in "
            "others, so that 5% and 5 cannot be distinguished from 0.05 and 5.",
            remedy="Give all its cells the same format.",
        )


def _padded(series: pl.Series, found: SheetXml, letters: str, where: str) -> pl.Series:
    drawn = found.padded[letters]
    if len(drawn) > 1 or "" in drawn or drawn.total() != len(series) - series.null_count():
        raise FileError(
            f"{where}: column {series.name!r} shows leading zeros in some cells by their format, "
            "and not in others.",
            remedy="Give all its cells the same format, or type them as texts.",
        )
    whole = _whole(series)
    if whole is None:
        raise FileError(
            f"{where}: column {series.name!r} shows leading zeros, but not all its numbers are "
            "whole or have at most 18 digits.",
            remedy="Correct them, or type them as texts.",
        )
    pattern = next(iter(drawn))
    cells = [None if number is None else _drawn(number, pattern) for number in whole.to_list()]
    return pl.Series(series.name, cells, dtype=pl.String)


def _drawn(number: int, pattern: str) -> str:
    """Return a number as its format draws it; digits in excess go where the first one goes."""
    count = pattern.count(DIGIT)
    digits = f"{abs(number):0{count}}"
    places = iter([digits[: len(digits) - count + 1], *digits[len(digits) - count + 1 :]])
    shown = "".join(next(places) if letter == DIGIT else letter for letter in pattern)
    return f"-{shown}" if number < 0 else shown


def _narrowed(series: pl.Series) -> pl.Series:
    """Return numbers that are all whole as integers, midnights as dates, times as times."""
    if series.dtype == pl.Float64:
        whole = _whole(series)
        return series if whole is None else whole
    if series.dtype == pl.String and series.str.contains(_MIDNIGHT).any():
        moments = series.filter(series.str.contains(_MOMENT))
        if moments.str.contains(_MIDNIGHT).all():  # the sheet shows dates
            return series.str.replace(_MIDNIGHT, "$1")
    if series.dtype == pl.Datetime and series.null_count() < len(series):
        if (series.dt.date() <= _FIRST_DAY).fill_null(value=True).all():
            return series.dt.time()
        if (series == series.dt.truncate("1d")).fill_null(value=True).all():
            return series.dt.date()
    return series


def _whole(series: pl.Series) -> pl.Series | None:
    """Return numbers as integers; ``None`` if one of them is not whole, or too large."""
    whole = series.cast(pl.Int64, strict=False)
    if whole.null_count() > series.null_count():
        return None
    return whole if (whole.cast(pl.Float64) == series).fill_null(value=True).all() else None
