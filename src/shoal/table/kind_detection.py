"""How a column is best read: as numbers, as dates, as ordered or as plain categories."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.table.cells import is_unbounded, read_number, reads_as, texts
from shoal.table.open_values import as_open_numbers, overlapping
from shoal.table.schema import Kind, Reading

# Rather an error with a remedy than a column of ages that a few typing errors turn into texts.
MIXED_SHARE = 0.25
MANY_CATEGORIES = 1_000
_MIXED_LEAST_NUMBERS = 3
_LEADING_ZERO = r"^\s*[+-]?0\d"
_OTHER_DATE = r"^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}[./]\d{1,2}[./]\d{1,2}$"


@dataclass(frozen=True, slots=True)
class Detected:
    """How a column is best read, and why.

    Parameters
    ----------
    kind, reading
        What a run would take it for.
    reason
        Why, in one sentence.
    order
        The categories of an ordered column, lowest first.
    mixed
        Whether nearly all of its values are numbers or dates, but some are not; then ``reading``
        is that of the many.
    others
        How many distinct values of a mixed column are not.
    """

    kind: Kind
    reading: Reading
    reason: str
    order: tuple[str, ...] = ()
    mixed: bool = False
    others: int = 0


_TEXTS = Detected(Kind.CATEGORICAL, Reading.TEXT, "its values are texts")


def is_readable(dtype: pl.DataType) -> bool:
    """Return whether cells of this type have a text, so that the column can be generalized."""
    nested = isinstance(dtype, pl.List | pl.Array | pl.Struct | pl.Binary | pl.Object)
    return not nested and dtype != pl.Duration


def detect(series: pl.Series, distinct: pl.Series | None = None) -> Detected:
    """Return how a column is best read.

    Parameters
    ----------
    series
        The column.
    distinct
        Its distinct present cells, if the caller has them already.
    """
    dtype = series.dtype
    if isinstance(dtype, pl.Enum):
        order = tuple(dtype.categories.to_list())
        return Detected(Kind.NUMERIC, Reading.RANK, "its categories are ordered", order)
    for found, kind, reading, reason in (
        (dtype.is_numeric(), Kind.NUMERIC, Reading.NUMBER, "it holds numbers"),
        (dtype == pl.Date, Kind.NUMERIC, Reading.DATE, "it holds dates"),
        (dtype == pl.Datetime, Kind.NUMERIC, Reading.DATETIME, "it holds dates with times"),
        (dtype == pl.Boolean, Kind.CATEGORICAL, Reading.TEXT, "it holds truth values"),
    ):
        if found:
            return Detected(kind, reading, reason)
    if not is_readable(dtype):
        return Detected(Kind.CATEGORICAL, Reading.TEXT, f"its cells are of the type {dtype}")
    if distinct is None:
        distinct = series.unique()
    present = texts(distinct)
    present = present.drop_nulls() if present.null_count() else present
    if len(present) == 0:
        return Detected(Kind.CATEGORICAL, Reading.TEXT, "all its cells are missing")
    return _detect_text(present)


def _detect_text(distinct: pl.Series) -> Detected:
    # Expressions are evaluated together: each query of polars has a cost of its own.
    frame, text = distinct.to_frame("text"), pl.col("text").str
    digits, unbounded = frame.select(
        text.contains(r"\d").any().alias("digits"),
        is_unbounded(text.strip_chars()).any().alias("unbounded"),
    ).row(0)
    if not digits and not unbounded:
        return _TEXTS
    leading_zero, other_dates = frame.select(
        text.contains(_LEADING_ZERO).any().alias("leading_zero"),
        text.contains(_OTHER_DATE).all().alias("other_dates"),
    ).row(0)
    if leading_zero and _all(distinct, Reading.NUMBER):
        return Detected(
            Kind.CATEGORICAL, Reading.TEXT, "its numbers have leading zeros, so they are codes"
        )
    several = len(distinct) > 1
    readings = {
        Reading.NUMBER: "numbers",
        Reading.DATE: "dates",
        Reading.DATETIME: "dates with times",
    }
    if not digits:
        readings = {Reading.NUMBER: "numbers"}  # NaN is one; no date is written without digits
    for reading, what in readings.items():
        fits = int(_fitting(distinct, reading).sum())
        if fits == len(distinct):
            overlap = _overlaps(distinct, reading)
            reason = "it holds numbers beyond an open value such as 90+"
            reason = reason if overlap else f"all its values are {what}"
            return Detected(Kind.NUMERIC, reading, reason, mixed=overlap)
        others = len(distinct) - fits
        few = max(1, int(MIXED_SHARE * len(distinct)))
        if several and fits >= _MIXED_LEAST_NUMBERS and others <= few:
            return Detected(
                Kind.NUMERIC,
                reading,
                f"{fits} of its {len(distinct)} values are {what}, but {others} "
                f"{'is' if others == 1 else 'are'} not",
                mixed=True,
                others=others,
            )
    if other_dates:
        return Detected(
            Kind.CATEGORICAL,
            Reading.TEXT,
            "its values look like dates, but not written as 2025-12-31",
        )
    return _TEXTS


def _fitting(distinct: pl.Series, reading: Reading) -> pl.Series:
    fits = reads_as(distinct, reading)
    if reading is not Reading.NUMBER or not fits.any():
        return fits
    # 90+ beside numbers is one of them; categories such as <18 and 65+ alone are none.
    return fits | as_open_numbers(distinct).is_not_null()


def _overlaps(distinct: pl.Series, reading: Reading) -> bool:
    return reading is Reading.NUMBER and bool(overlapping(distinct, read_number(distinct)).any())


def _all(distinct: pl.Series, reading: Reading) -> bool:
    return bool(reads_as(distinct, reading).all())


def numeric_reading(series: pl.Series) -> Reading:
    """Return the reading of a column that is declared numeric: the one that most values fit."""
    found = detect(series)
    if found.kind is Kind.NUMERIC:
        return found.reading
    distinct = texts(series.drop_nulls().unique()).drop_nulls()

    def fits(reading: Reading) -> int:
        return int(reads_as(distinct, reading).sum())

    # The first of equals wins, so that a column nothing fits is reported as not being numbers.
    return max((Reading.NUMBER, Reading.DATE, Reading.DATETIME), key=fits)
