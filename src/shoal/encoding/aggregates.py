"""Aggregates: one statistic of a class in the place of its closure, over its records alone.

Every aggregate lies between those of any parts it is made from. So where two classes come to look
the same, the class that a reader sees has the aggregate that its cells show.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from shoal.encoding import notation
from shoal.encoding.domain import IntervalDomain
from shoal.encoding.recoding import SUPPRESSED
from shoal.errors import SchemaError
from shoal.table import Reading
from shoal.table.open_values import is_open

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain
    from shoal.encoding.recoding import ColumnRecoding

Aggregate = Literal["mean", "median", "mode", "midpoint"]

_NEARLY = 1e-7  # what a sum of days or seconds may lack to a whole one
FURTHER_DIGITS = 2
"""Digits that a mean shows beyond those of its column."""


def aggregate_cells(
    domain: Domain,
    column: ColumnRecoding,
    codes: NDArray[np.integer],
    unit: NDArray[np.int32],
    how: Aggregate,
) -> tuple[pl.Series, NDArray[np.bool_]]:
    """Return the aggregate of each unit, null where it shows nothing, and last that of ``*``.

    Parameters
    ----------
    codes
        For each record the code of its value.
    unit
        For each record its unit.

    Returns
    -------
    Series, array
        The cells, and which of them say that the value is missing.
    """
    name = domain.attribute.name
    silent = domain.star(column.closures)[column.index]
    shown = unit != SUPPRESSED
    held = pl.DataFrame({"unit": unit[shown], "code": codes[shown].astype(np.int64)})
    nothing = np.append(silent, True)
    if isinstance(domain, IntervalDomain) and any(map(is_open, domain.texts)):
        raise SchemaError(
            f"Column {name!r} holds open values such as 90+, which have no {how}.",
            remedy="Leave the column out of `aggregate`, or choose another notation.",
        )
    if how == "mode" or not isinstance(domain, IntervalDomain):
        mode = _most_frequent(held)
        if not isinstance(domain, IntervalDomain):
            texts = [notation.exact(domain.texts[code]) or None for code in mode.tolist()]
            cells = pl.Series(name, [*texts, notation.STAR], dtype=pl.String)
            return cells, np.zeros(len(cells), dtype=np.bool_)
        values = np.append(domain.numbers, np.nan)[np.minimum(mode, len(domain.numbers))]
    else:
        values = _statistic(held, np.append(domain.numbers, np.nan), how, domain)
    highest = held.group_by("unit").agg(pl.col("code").max()).sort("unit")["code"].to_numpy()
    missing = np.append((highest >= len(domain.numbers)) & ~silent, np.False_)
    # Digits of released records alone: one of a withheld record would show in every mean.
    spelled = [domain.texts[code] for code in held["code"].unique().to_list()]
    return _typed(domain, np.append(values, np.nan), nothing | missing, spelled), missing


def _most_frequent(held: pl.DataFrame) -> NDArray[np.int64]:
    """Return the most frequent code of each unit, the lowest of equals."""
    return (
        held.group_by("unit", "code")
        .len()
        .sort(["unit", "len", "code"], descending=[False, True, False])
        .unique("unit", keep="first", maintain_order=True)["code"]
        .to_numpy()
    )


def _statistic(
    held: pl.DataFrame, numbers: NDArray[np.float64], how: Aggregate, domain: IntervalDomain
) -> NDArray[np.float64]:
    places = np.minimum(held["code"].to_numpy(), len(numbers) - 1)
    # Measured from the middle of the column: sums of large numbers then lose no digits.
    origin = float(numbers[len(numbers) // 2]) if len(numbers) > 1 else 0.0
    value = pl.col("value")
    whole = domain.attribute.reading is not Reading.NUMBER
    median = value.quantile(0.5, "lower") if whole else value.median()
    statistic = {
        "mean": value.mean() + origin,
        "median": median + origin,
        "midpoint": (value.min() + value.max()) / 2 + origin,
    }[how]
    frame = held.with_columns(pl.Series("value", numbers[places] - origin))
    return frame.group_by("unit").agg(statistic.alias("value")).sort("unit")["value"].to_numpy()


def _typed(
    domain: IntervalDomain,
    values: NDArray[np.float64],
    silent: NDArray[np.bool_],
    texts: Iterable[str],
) -> pl.Series:
    name, reading = domain.attribute.name, domain.attribute.reading
    known = [
        None if nothing else value
        for value, nothing in zip(values.tolist(), silent.tolist(), strict=True)
    ]
    if reading is Reading.NUMBER:
        digits = digits_of(texts) + FURTHER_DIGITS
        rounded = [None if value is None else round(value, digits) for value in known]
        whole = all(value is None or value.is_integer() for value in rounded)
        series = pl.Series(name, rounded, dtype=pl.Float64)
        return series.cast(pl.Int64) if whole else series
    # Dates and categories are shown no finer than the column has them.
    down = [None if value is None else int(np.floor(value + _NEARLY)) for value in known]
    if reading is Reading.DATE:
        days = [None if day is None else date(1970, 1, 1) + timedelta(days=day) for day in down]
        return pl.Series(name, days, dtype=pl.Date)
    if reading is Reading.DATETIME:
        start = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
        times = [None if second is None else start + timedelta(seconds=second) for second in down]
        series = pl.Series(name, times, dtype=pl.Datetime("us"))
        if domain.time_zone is None:
            return series
        return series.dt.replace_time_zone("UTC").dt.convert_time_zone(domain.time_zone)
    ranked = [None if rank is None else domain.attribute.order[rank] for rank in down]
    return pl.Series(name, ranked, dtype=pl.String)


def digits_of(texts: Iterable[str]) -> int:
    """Return how many digits behind the point numbers need, at most 12.

    >>> digits_of(["37.0", "1.25", "2e3", ""])
    2
    """
    exponents = (Decimal(text).normalize().as_tuple().exponent for text in texts if text)
    return min(12, max((0, *(-int(exponent) for exponent in exponents))))
