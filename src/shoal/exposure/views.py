"""Ways to look at a column: as it is, in bins of its order, and by the parts of its texts.

A measured quantity hardly repeats, and neither does a code with a running number in it. What they
say about a quasi-identifier shows in their bins, and in the parts that texts are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.table.cells import DistinctCells, distinct_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_MANY = 100
_RARE = 5
_RECORDS_PER_BIN = 40
_MOST_BINS = 1_000
_SEPARATORS = r"[^\p{L}\p{N}]+"
_MOST_PARTS = 4
_PREFIXES = (2, 4)


def views_of(distinct: DistinctCells) -> Iterator[NDArray[np.int64]]:
    """Yield the codes of a column's cells, and of what its values can be summed up to."""
    cells, codes = distinct.cells, distinct.codes.astype(np.int64)
    yield codes
    values = len(cells)
    if values <= _MANY:
        return
    numbers = _ordered(cells)
    if numbers is not None:
        yield in_bins(numbers, codes, len(codes))
    elif cells.dtype == pl.String and values * _RARE > len(codes):
        yield from _parts(cells, codes)


def views_of_attribute(distinct: DistinctCells) -> Iterator[NDArray[np.int64]]:
    """Yield the same of a quasi-identifier, and the month and the day of its dates.

    Spans of years hide neither from a column that shows them.
    """
    yield from views_of(distinct)
    cells = distinct.cells
    days = cells if cells.dtype in (pl.Date, pl.Datetime) else _iso_days(cells)
    if days is None:
        return
    codes = distinct.codes.astype(np.int64)
    for part in (days.dt.month(), days.dt.day()):
        if part.n_unique() > 1:
            yield np.append(part.cast(pl.Int64).to_numpy(), 0)[codes]


def comparable_cells(series: pl.Series) -> DistinctCells:
    """Return the distinct cells of a column of any type; missing ones are a value like others."""
    return distinct_cells(_plain(series))


def in_bins(
    numbers: NDArray[np.float64], codes: NDArray[np.int64], records: int
) -> NDArray[np.int64]:
    """Return for each record the bin of its value; bins hold about equally many records."""
    held = np.bincount(codes, minlength=len(numbers) + 1)[: len(numbers)]
    order = np.argsort(numbers, kind="stable")
    bins = int(np.clip(records // _RECORDS_PER_BIN, 2, _MOST_BINS))
    before = np.cumsum(held[order]) - held[order]
    bin_of = np.empty(len(numbers) + 1, dtype=np.int64)
    bin_of[order] = before * bins // max(int(held.sum()), 1)
    bin_of[-1] = bins  # missing
    return np.asarray(bin_of[codes])


def _ordered(cells: pl.Series) -> NDArray[np.float64] | None:
    """Return the place of each cell in the order of a quantity, or None if it is none."""
    if cells.dtype.is_temporal():
        return cells.to_physical().cast(pl.Float64).to_numpy()
    read = cells.cast(pl.Float64, strict=False)
    if read.null_count() == 0:
        return read.fill_nan(0.0).to_numpy()
    days = _iso_days(cells)
    return None if days is None else days.to_physical().cast(pl.Float64).to_numpy()


def _iso_days(cells: pl.Series) -> pl.Series | None:
    """Return texts as days if all of them are."""
    if cells.dtype != pl.String or len(cells) == 0:
        return None
    days = cells.str.strip_chars().str.to_date("%Y-%m-%d", strict=False)
    return days if days.null_count() == 0 else None


def _parts(cells: pl.Series, codes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    split = cells.str.replace_all(_SEPARATORS, " ").str.strip_chars().str.split(" ")
    most = split.list.len().max()
    shown = [cells.str.slice(0, length) for length in _PREFIXES]
    if isinstance(most, int) and most > 1:
        shown += [split.list.get(part, null_on_oob=True) for part in range(min(most, _MOST_PARTS))]
    for part in shown:
        distinct = distinct_cells(part)
        if 1 < len(distinct.cells) < len(cells) // 2:
            place = np.append(distinct.codes.astype(np.int64), len(distinct.cells))
            yield place[codes]


def _plain(series: pl.Series) -> pl.Series:
    dtype: Any = series.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        shown = [None if cell is None else repr(cell) for cell in series.to_list()]
        return pl.Series(series.name, shown, dtype=pl.String)
    if dtype in (pl.Duration, pl.Time):
        return series.to_physical()
    return series
