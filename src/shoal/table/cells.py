"""Reading of cells: which are missing, what text they show, which number they stand for.

This is the one place that decides what a cell means. The encoder and the verifier both call it, so
they cannot come to different readings of the same column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import ValueReadError, option
from shoal.table.date_formats import likely_formats
from shoal.table.open_values import as_open_numbers, overlapping
from shoal.table.schema import Attribute, Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_EXACT_INTEGER = 2**53
# Exponents of a few digits, and not too many digits at all: reading a cell as an exact fraction
# takes as long as it has digits.
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?0*\d{1,3})?$"
_LONGEST_NUMBER = 1000
_ROWS_NAMED = 5
# Cells under a name of their own: a column may be called * or ^a$, which mean several columns.
_CELL = pl.col("cell")
# By name: not every polars has the shorter one.
_SHORT_FLOATS = ("Float16", "Float32")
_FRACTIONS = "%Y-%m-%d %H:%M:%S%.f"


@dataclass(frozen=True, slots=True)
class DistinctCells:
    """The distinct cells of a column and where they stand.

    Parameters
    ----------
    cells
        Distinct present cells, in order of first appearance, in the column's own type.
    codes
        For each row the place of its cell in ``cells``; ``len(cells)`` where it is missing.
    has_missing
        Whether any row is missing.
    """

    cells: pl.Series
    codes: NDArray[np.uint32]
    has_missing: bool

    def counted(self) -> tuple[pl.Series, NDArray[np.int64]]:
        """Return the distinct cells, and how many rows hold each."""
        return self.cells, np.bincount(self.codes, minlength=len(self.cells))[: len(self.cells)]

    def of_rows(self, rows: NDArray[np.int64]) -> DistinctCells:
        """Return the distinct cells of some rows, as :func:`distinct_cells` would find them."""
        codes = self.codes[rows]
        absent = len(codes)
        first = np.full(len(self.cells) + 1, absent)
        first[codes[::-1]] = np.arange(absent)[::-1]  # of equal codes the last one assigned stays
        held = np.flatnonzero(first[:-1] < absent)
        held = held[np.argsort(first[held])]
        place = np.full(len(self.cells) + 1, len(held), dtype=np.uint32)
        place[held] = np.arange(len(held))
        return DistinctCells(
            self.cells.gather(held), place[codes], has_missing=bool(first[-1] < absent)
        )


def texts(series: pl.Series) -> pl.Series:
    """Return the text that each cell shows, null where it is missing.

    An empty text is a missing cell, as it is in every CSV file. Times are shown no finer than the
    column has them: pandas keeps plain dates as midnights.
    """
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is None:
        series = series.dt.strftime(_finest_format(series))
    if series.dtype == pl.Object:  # which polars does not cast
        cells = [None if cell is None else str(cell) for cell in series.to_list()]
        series = pl.Series(series.name, cells, dtype=pl.String)
    shown = series if series.dtype == pl.String else series.cast(pl.String)
    return shown.set(shown == "", None) if (shown == "").any() else shown


def _finest_format(times: pl.Series) -> str:
    if (times == times.dt.truncate("1d")).all():
        return "%Y-%m-%d"
    return "%Y-%m-%d %H:%M:%S" if (times == times.dt.truncate("1s")).all() else _FRACTIONS


def distinct_cells(series: pl.Series) -> DistinctCells:
    """Return the distinct cells of a column with a code for each row."""
    name, series = series.name, series.alias("cell")  # as for expressions above
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.set(series.cast(pl.String) == "", None)
    cells = series.unique(maintain_order=True)
    if series.dtype == pl.String and (cells == "").any():  # among few, which is sooner found
        series, cells = texts(series), cells.filter(cells != "")
    has_missing = series.null_count() > 0
    cells = cells.drop_nulls() if has_missing else cells
    if len(cells) == 0:
        places = pl.zeros(len(series), dtype=pl.UInt32, eager=True)
    elif series.dtype == pl.String:  # which polars looks up fastest as categories
        places = series.cast(pl.Enum(cells)).to_physical()
    else:
        numbered = pl.Series(range(len(cells)), dtype=pl.UInt32)
        places = series.replace_strict(cells, numbered, default=None, return_dtype=pl.UInt32)
    if places.null_count():
        places = places.cast(pl.UInt32).fill_null(len(cells))
    codes = places.to_numpy().astype(np.uint32, copy=False)
    return DistinctCells(cells.alias(name), codes, has_missing=has_missing)


def numbers(
    distinct: DistinctCells, attribute: Attribute, *, open_values: bool = False
) -> NDArray[np.float64]:
    """Return the number each distinct cell stands for, as the attribute's reading says.

    Parameters
    ----------
    distinct
        The cells.
    attribute
        How they are read.
    open_values
        Whether ``90+`` is taken as a value beyond 90; otherwise such cells are not numbers.

    Raises
    ------
    ValueReadError
        If a cell cannot be read so, is NaN or infinite, or is too large to be held exactly. Rows
        are named by number, never by value.
    """
    cells = distinct.cells
    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    if attribute.reading is Reading.NUMBER:
        read, expected = _as_number(cells), "a number"
        if open_values and cells.dtype == pl.String:
            read = read.fill_null(as_open_numbers(cells))
            _refuse_overlap(distinct, cells, read, attribute)
    elif attribute.reading is Reading.DATE:
        read, expected = _as_days(cells, attribute.date_format), "a date"
    elif attribute.reading is Reading.DATETIME:
        read, expected = _as_seconds(cells, attribute.date_format), "a date and time"
    elif attribute.reading is Reading.RANK:
        ranks = pl.Series(range(len(attribute.order)), dtype=pl.Float64)
        read = cells.cast(pl.String).replace_strict(
            pl.Series(attribute.order, dtype=pl.String),
            ranks,
            default=None,
            return_dtype=pl.Float64,
        )
        expected = "one of the categories of its order"
    else:
        raise ValueReadError(f"Column {attribute.name!r} holds text, not numbers.")
    found = read.to_numpy()
    # Hardly ever is one bad, and NaN, which a null becomes, is below nothing.
    if read.null_count() == 0 and bool((np.abs(found) < LARGEST_EXACT_INTEGER).all()):
        return found
    name = attribute.name
    for bad, what in (
        (read.is_null(), f"holds cells that are not {expected}"),
        (~read.is_finite(), "holds NaN or infinite numbers"),
        (read.abs() >= LARGEST_EXACT_INTEGER,
         "holds numbers beyond 2^53, which cannot be held exactly"),
    ):  # fmt: skip
        _refuse(distinct, bad, f"Column {name!r} {what}", attribute)
    return found


def _refuse_overlap(
    distinct: DistinctCells, cells: pl.Series, read: pl.Series, attribute: Attribute
) -> None:
    """Refuse numbers beyond an open value: 97 in a column with 90+."""
    if cells.str.contains(r"[+<>≤≥]").any():
        what = f"Column {attribute.name!r} holds values that overlap: numbers beyond an open value"
        name = attribute.name
        remedy = (
            f"Code them alike with {option('top', {name: 90})} or {option('bottom', {name: 1})}, "
            f"or read the column another way with {option('kind', {name: 'categorical'})}."
        )
        _refuse(distinct, overlapping(cells, read), what, attribute, remedy)


def reads_as(shown: pl.Series, reading: Reading) -> pl.Series:
    """Return for each text whether it can be read so; NaN and infinity count as numbers."""
    if reading is Reading.NUMBER:
        return _as_number(shown).is_not_null()
    if reading is Reading.DATE:
        return _as_days(shown, None).is_not_null()
    return _as_seconds(shown, None).is_not_null()


def read_number(cells: pl.Series) -> pl.Series:
    """Return the number of each cell, an open value by what it counts as; null if it is none."""
    read = _as_number(cells)
    return read.fill_null(as_open_numbers(cells)) if cells.dtype == pl.String else read


def _computed(cells: pl.Series, expression: pl.Expr) -> pl.Series:
    """Return what an expression of ``_CELL`` gives for each cell."""
    frame = cells.to_frame("cell")
    return frame.select(expression).to_series().alias(cells.name)


def is_unbounded(stripped: pl.Expr) -> pl.Expr:
    """Return which texts without surrounding blanks are NaN or infinity, the digitless numbers."""
    low = stripped.str.to_lowercase().str.strip_chars_start("+-")
    return low.is_in(["nan", "inf", "infinity"])


def _as_number(cells: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        stripped = _CELL.str.strip_chars()
        unbounded = is_unbounded(stripped)
        number = stripped.str.contains(_NUMBER) & (stripped.str.len_bytes() <= _LONGEST_NUMBER)
        read = pl.when(number).then(stripped).cast(pl.Float64, strict=False)
        with_nan = pl.when(unbounded).then(float("nan")).otherwise(read)
        return _computed(cells, with_nan)
    if str(cells.dtype) in _SHORT_FLOATS:
        # The number that a short float shows, 0.1, not the nearest one that it can hold.
        cells = cells.cast(pl.String)
    return cells.cast(pl.Float64, strict=False)


def _as_days(cells: pl.Series, date_format: str | None) -> pl.Series:
    if cells.dtype == pl.String:
        stripped = _CELL.str.strip_chars()
        formats = (date_format or "%Y-%m-%d").split("|")
        parsed = [stripped.str.to_date(pattern, strict=False) for pattern in formats]
        cells = _computed(cells, pl.coalesce(parsed))
    return cells.cast(pl.Date, strict=False).cast(pl.Int32).cast(pl.Float64)


def _as_seconds(cells: pl.Series, date_format: str | None) -> pl.Series:
    if cells.dtype == pl.String:
        stripped = _CELL.str.strip_chars().str.replace("T", " ", literal=True)
        formats = (
            date_format.split("|")
            if date_format
            else ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
        )
        parsed = [
            stripped.str.to_date(pattern, strict=False).cast(pl.Datetime("us"))
            if "%H" not in pattern
            else stripped.str.to_datetime(pattern, strict=False, time_unit="us")
            for pattern in formats
        ]
        if date_format is None:
            zoned = stripped.str.replace("[Zz]$", "+00:00").str.to_datetime(
                "%Y-%m-%d %H:%M:%S%.f%:z", strict=False, time_unit="us"
            )
            parsed.append(zoned.dt.replace_time_zone(None))
        cells = _computed(cells, pl.coalesce(parsed))
    elif cells.dtype == pl.Date:
        cells = cells.cast(pl.Datetime("us"))
    return cells.dt.epoch("us").cast(pl.Float64) / 1e6


def _refuse(
    distinct: DistinctCells, bad: pl.Series, what: str, attribute: Attribute, remedy: str = ""
) -> None:
    if not bad.any():
        return
    places = bad.arg_true()
    rows = pl.Series(distinct.codes).is_in(places.cast(pl.UInt32).implode()).arg_true() + 1
    named = ", ".join(str(row) for row in rows.head(_ROWS_NAMED))
    more = f" and {len(rows) - _ROWS_NAMED} more" if len(rows) > _ROWS_NAMED else ""
    if attribute.reading not in (Reading.DATE, Reading.DATETIME):
        otherwise = ""
    elif attribute.date_format is None:
        # Where some are read, others are written in another way.
        shown = texts(distinct.cells).str.strip_chars()
        style = likely_formats(shown) or ("%d.%m.%Y" if bad.all() else "%Y-%m-%d|%d.%m.%Y")
        otherwise = f"say how dates are written with {_format(attribute.name, style)}, "
    else:
        otherwise = f"check {_format(attribute.name, attribute.date_format)}, "
    special = (
        " or values of their own with `special_values`"
        if attribute.reading is Reading.NUMBER
        else ""
    )
    raise ValueReadError(
        f"{what}: data row{'s' if len(rows) > 1 else ''} {named}{more}.",
        remedy=remedy
        or (
            f"Correct them, declare them missing with `null_values`{special}, {otherwise}or read "
            f"the column another way with {option('kind', {attribute.name: 'categorical'})}."
        ),
    )


def _format(column: str, date_format: str) -> str:
    return option("date_format", {column: date_format})


def present_numbers(series: pl.Series, attribute: Attribute) -> NDArray[np.float64]:
    """Return the numbers of the distinct present cells, or raise that some cannot be read."""
    cells = series.drop_nulls().unique()
    if cells.dtype == pl.String:
        cells = texts(cells).drop_nulls()
    try:
        # Where the cells stand matters only to name the rows of bad ones.
        return numbers(
            DistinctCells(cells, np.empty(0, dtype=np.uint32), has_missing=False),
            attribute,
            open_values=True,
        )
    except ValueReadError:
        return numbers(distinct_cells(series), attribute, open_values=True)
