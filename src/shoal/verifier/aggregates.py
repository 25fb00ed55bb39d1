"""Columns that show a statistic of each class: whether it is that of the class, and of it alone.

Statistics are recomputed from the originals of the records in each class that the release shows.
Only a row map tells which these are; the two tables alone do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.table.cells import distinct_cells, numbers, texts
from shoal.table.schema import Attribute, Kind, Reading
from shoal.verifier.cells import ANYTHING
from shoal.verifier.coverage import Coverage, Intervals, read_numbers
from shoal.verifier.released import missing_flag, read_flag
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.grouping import Groups

_NAME = "statistics of classes"
# A mean shows two digits more than its column; sums of floats are not exact to their last bit.
_FURTHER_DIGITS = 2
_MOST_DIGITS = 12
_SLACK = 1e-9
_NEARLY_WHOLE = 1e-6


@dataclass(frozen=True, slots=True)
class AggregatedColumn:
    """One quasi-identifier of both tables that the release shows as a statistic.

    Parameters
    ----------
    how
        Which statistic: mean, median, mode or midpoint.
    values
        For each original row its number, or the rank of its text; NaN if it is missing.
    shown
        For each cell code of the coverage the number or rank that it shows, NaN if it shows none.
    digits
        For each original row the digits behind the point that its number has; ``None`` where
        statistics are rounded down.
    coverage
        A cell covers whatever is not missing, or, as a mode of texts, anything.
    """

    how: str
    values: NDArray[np.float64]
    shown: NDArray[np.float64]
    digits: NDArray[np.int64] | None
    coverage: Coverage


def read_aggregate(
    attribute: Attribute,
    how: str,
    original: pl.Series,
    released: pl.DataFrame,
    declared: Collection[str],
) -> AggregatedColumn:
    """Return a column that shows a statistic; cells that are none are unreadable."""
    if original.dtype in (pl.Categorical, pl.Enum):
        original = original.cast(pl.String)
    read = _read_numeric if attribute.kind is Kind.NUMERIC else _read_texts
    return read(attribute, how, original, released, declared)


def _read_numeric(
    attribute: Attribute,
    how: str,
    original: pl.Series,
    released: pl.DataFrame,
    declared: Collection[str],
) -> AggregatedColumn:
    distinct = distinct_cells(original)
    values = np.append(numbers(distinct, attribute), np.nan)[distinct.codes]
    cells = distinct_cells(texts(released[attribute.name]))
    flag = read_flag(released, missing_flag(attribute, released, declared))
    both = distinct_cells(pl.Series(cells.codes.astype(np.int64) * 3 + flag))
    spelled = cells.cells.to_list()
    # Whatever the format of the column, typed dates are released.
    number = np.append(read_numbers(spelled, replace(attribute, date_format=None)), np.nan)
    low, high = np.zeros(len(both.cells), np.int32), np.full(len(both.cells), -1, np.int32)
    starred = np.zeros(len(both.cells), bool)
    unreadable: dict[int, str] = {}
    shown = np.full(len(both.cells), np.nan)
    for code, pair in enumerate(both.cells.to_list()):
        cell, missing = divmod(pair, 3)
        if cell == len(spelled) and missing < 2:
            low[code], high[code] = missing, 1
            starred[code] = not missing
        elif missing or np.isnan(number[cell]):
            unreadable[code] = f"not {attribute.reading} as the column demands"
        else:
            high[code] = 0
            shown[code] = number[cell]
    digits = None
    if attribute.reading is Reading.NUMBER:
        exponents = (
            Decimal(text.strip()).normalize().as_tuple().exponent
            for text in texts(distinct.cells).to_list()
        )
        digits = np.array([*(-int(exponent) for exponent in exponents), 0])[distinct.codes]
    coverage = Coverage(
        attribute=attribute,
        values=np.isnan(values).astype(np.uint32),
        positions=np.array([0, 1], np.int32),
        cells=both.codes,
        starred=starred,
        unreadable=unreadable,
        covering=Intervals(low, high),
    )
    return AggregatedColumn(how, values, shown, digits, coverage)


def _read_texts(
    attribute: Attribute,
    how: str,
    original: pl.Series,
    released: pl.DataFrame,
    declared: Collection[str],  # noqa: ARG001 (texts need no column of flags)
) -> AggregatedColumn:
    distinct = distinct_cells(original)
    known = texts(distinct.cells).to_list()
    tree = attribute.hierarchy
    order = sorted(
        set(known), key=(lambda text: text) if tree is None else tree.position.__getitem__
    )
    # A missing value is one like the others, the last in order.
    rank: dict[str | None, int] = {text: place for place, text in enumerate([*order, None])}
    values = np.array([rank[text] for text in [*known, None]], np.float64)[distinct.codes]
    cells = distinct_cells(texts(released[attribute.name]))
    spelled: list[str | None] = [*cells.cells.to_list(), None]
    shown = np.full(len(spelled), np.nan)
    unreadable: dict[int, str] = {}
    for code, text in enumerate(spelled):
        value = text[1:] if text is not None and text.startswith("\\") else text
        if text == ANYTHING:
            continue
        if value not in rank:
            unreadable[code] = "a value that the original does not have"
        else:
            shown[code] = rank[value]
    coverage = Coverage(
        attribute=attribute,
        values=(values == len(order)).astype(np.uint32),
        positions=np.array([0, 1], np.int32),
        cells=cells.codes,
        starred=np.array([text == ANYTHING for text in spelled], bool),
        unreadable=unreadable,
        covering=Intervals(np.zeros(len(spelled), np.int32), np.ones(len(spelled), np.int32)),
    )
    return AggregatedColumn(how, values, shown, np.zeros(len(values), np.int64), coverage)


def check_aggregates(
    columns: Sequence[AggregatedColumn], groups: Groups, witness: NDArray[np.int64] | None
) -> Check:
    """Check that each class shows the statistics of its own originals, recomputed."""
    listed = ", ".join(f"{one.how} of {one.coverage.attribute.name!r}" for one in columns)
    if witness is None:
        detail = (
            f"that a class shows the {listed} of its own records cannot be shown from the two "
            "files alone; give the custody file"
        )
        return Check(_NAME, passed=False, detail=detail)
    faults = []
    for column in columns:
        wrong = _wrong_groups(column, groups, witness)
        if wrong.any():
            rows = np.flatnonzero(wrong[groups.of_row()])
            faults.append(f"column {column.coverage.attribute.name!r}: release {name_rows(rows)}")
    detail = (
        f"cells that are not the statistic of their class: {'; '.join(faults)}"
        if faults
        else f"{listed}: recomputed over the originals of each class, and of no others"
    )
    return Check(_NAME, passed=not faults, detail=detail)


def _wrong_groups(
    column: AggregatedColumn, groups: Groups, witness: NDArray[np.int64]
) -> NDArray[np.bool_]:
    shown = column.shown[column.coverage.cells[groups.first]]
    owner = np.repeat(np.arange(len(groups)), groups.sizes)
    values = column.values[witness[groups.rows]]
    values = values[np.lexsort((values, owner))]
    found = _statistic(values, groups, column.how, whole=column.digits is None)
    silent = np.isnan(shown)
    if column.digits is not None:
        # As many digits as released records have: those of others must not show.
        digits = min(_MOST_DIGITS, int(column.digits[witness].max(initial=0)))
        tolerance = 0.5 * 10.0 ** -(digits + _FURTHER_DIGITS)
        allowed = tolerance + _SLACK * np.maximum(1.0, np.abs(found))
        return np.asarray(~silent & ~(np.abs(shown - found) <= allowed))
    down, up = np.floor(found - _NEARLY_WHOLE), np.floor(found + _NEARLY_WHOLE)
    return np.asarray(~silent & ~((shown == down) | (shown == up)))


def _statistic(
    values: NDArray[np.float64], groups: Groups, how: str, *, whole: bool
) -> NDArray[np.float64]:
    """Return a statistic of each group; values ascend within their groups."""
    first, last = groups.starts[:-1], groups.starts[1:] - 1
    if how == "midpoint":
        return np.asarray((values[first] + values[last]) / 2)
    if how == "mean":
        above = values - np.repeat(values[first], groups.sizes)
        return np.asarray(values[first] + np.add.reduceat(above, first) / groups.sizes)
    lower, upper = first + (groups.sizes - 1) // 2, first + groups.sizes // 2
    if how == "median":
        return np.asarray(values[lower] if whole else (values[lower] + values[upper]) / 2)
    starts = np.flatnonzero(
        np.concatenate(([True], (values[1:] != values[:-1])))
        | np.isin(np.arange(len(values)), first)
    )
    length = np.diff(np.append(starts, len(values)))
    owner = np.searchsorted(groups.starts, starts, side="right") - 1
    # The longest run of each group, the lowest value of equals.
    best = np.lexsort((values[starts], -length, owner))
    place = best[np.searchsorted(owner[best], np.arange(len(groups)))]
    return np.asarray(values[starts[place]])
