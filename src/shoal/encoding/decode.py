"""From closures to cells: the released quasi-identifiers as a frame."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from shoal.encoding import notation
from shoal.encoding.aggregates import aggregate_cells
from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain
from shoal.encoding.presentation import write_cells
from shoal.encoding.recoding import ColumnRecoding
from shoal.table import Reading
from shoal.table.open_values import is_open, limit_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.encoding.aggregates import Aggregate
    from shoal.encoding.domain import Domain
    from shoal.encoding.presentation import Notation
    from shoal.encoding.recoding import Recoding


def decode(
    recoding: Recoding,
    domains: Sequence[Domain],
    records: NDArray[np.int64],
    style: Notation = "text",
) -> pl.DataFrame:
    """Return the released cells of some records of a table, in that order.

    Its columns do not depend on the records: no column of flags distinguishes missing numbers from
    ``*``.
    """
    decoded = _decoded(recoding, domains, records, style)
    return pl.DataFrame(
        [one for columns in decoded.values() for one in columns if one.dtype != pl.Boolean]
    )


def released_names(domain: Domain, style: Notation = "text") -> list[str]:
    """Return the columns that an attribute becomes in :func:`decode`."""
    name = domain.attribute.name
    if style == "min_max" and isinstance(domain, IntervalDomain):
        return [f"{name}_min", f"{name}_max"]
    return [name]


def released_types(domain: Domain, style: Notation = "text") -> dict[str, pl.DataType]:
    """Return the columns that an attribute becomes in :func:`decode`, and their types."""
    closures, index = domain.close(np.zeros(1, np.int64), np.zeros(1, np.int64))
    written = _cells(domain, ColumnRecoding(closures, index), style)
    types = {series.name: series.dtype for series in written}
    return {name: types[name] for name in released_names(domain, style)}


def decode_columns(  # noqa: PLR0917 (two tables, and how they are shown)
    recoding: Recoding,
    domains: Sequence[Domain],
    records: NDArray[np.int64],
    style: Notation = "text",
    aggregates: Mapping[str, Aggregate] | None = None,
    codes: Sequence[NDArray[np.integer]] = (),
) -> dict[str, list[pl.Series]]:
    """Return for each attribute its released columns, a row for each given record.

    A record without a unit shows ``*`` everywhere. Cells are written once for each distinct
    closure and then gathered, so the cost hardly depends on the number of records.

    Parameters
    ----------
    aggregates
        Attributes that show a statistic of the class in the place of a closure.
    codes
        The codes of all records, which aggregates are computed from.
    """
    decoded = _decoded(recoding, domains, records, style, aggregates, codes)
    return {name: _as_released(columns) for name, columns in decoded.items()}


def _decoded(  # noqa: PLR0917 (as above)
    recoding: Recoding,
    domains: Sequence[Domain],
    records: NDArray[np.int64],
    style: Notation = "text",
    aggregates: Mapping[str, Aggregate] | None = None,
    codes: Sequence[NDArray[np.integer]] = (),
) -> dict[str, list[pl.Series]]:
    unit = recoding.unit[records]
    statistics = aggregates or {}
    decoded: dict[str, list[pl.Series]] = {}
    for number, (domain, column) in enumerate(zip(domains, recoding.columns, strict=True)):
        name = domain.attribute.name
        if name in statistics:
            cells, missing = aggregate_cells(
                domain, column, codes[number], recoding.unit, statistics[name]
            )
            decoded[name] = [
                one.gather(np.where(unit < 0, len(cells) - 1, unit))
                for one in _with_missing([cells], name, missing)
            ]
            continue
        # The place after the last closure holds the star of suppressed records, unit -1.
        place = np.append(column.index, np.int32(len(column.closures)))[unit]
        decoded[name] = [series.gather(place) for series in _cells(domain, column, style)]
    return decoded


def _with_missing(
    columns: list[pl.Series], name: str, missing: NDArray[np.bool_]
) -> list[pl.Series]:
    """Return columns of numbers, and which of their empty cells are missing values."""
    return [*columns, pl.Series(f"{name}_missing", missing)]


def _as_released(columns: list[pl.Series]) -> list[pl.Series]:
    """Return columns as the released records alone need them.

    A flag for a withheld record, or a type with fractions that only such a record has, would reveal
    something about it.
    """
    flag = columns[-1]
    shown = columns[:-1] if flag.dtype == pl.Boolean and not flag.any() else columns
    numbers = [one for one in shown if one.dtype == pl.Float64]
    whole = all(bool(((one == one.round()) & (one.abs() < 2**53)).all()) for one in numbers)
    return [one.cast(pl.Int64) if whole and one.dtype == pl.Float64 else one for one in shown]


def _cells(domain: Domain, column: ColumnRecoding, style: Notation) -> list[pl.Series]:
    closures = column.closures
    name = domain.attribute.name
    if style == "min_max" and isinstance(domain, IntervalDomain):
        assert isinstance(closures, Spans)
        silent = domain.star(closures)
        missing = np.zeros(len(silent), dtype=np.bool_)
        if domain.missing is not None:
            missing = ~silent & (closures.first == domain.missing)
        bounds = [
            _ends(domain, f"{name}_min", closures.first, silent | missing, -1),
            _ends(domain, f"{name}_max", closures.last, silent | missing, 1),
        ]
        return _with_missing(bounds, name, np.append(missing, np.False_))
    if style == "min_max" and isinstance(domain, SetDomain):
        assert isinstance(closures, Sets)
        cuts = closures.offsets.tolist()
        codes = closures.members.tolist()
        lists = [
            [domain.texts[code] or None for code in codes[start:end]]
            for start, end in pairwise(cuts)
        ]
        return [pl.Series(name, [*lists, None], dtype=pl.List(pl.String))]
    if style in {"json", "label"}:
        return [pl.Series(name, write_cells(domain, closures, style), dtype=pl.String)]
    cells = pl.Series(name, [*domain.write(closures), notation.STAR], dtype=pl.String)
    # An exact missing value is the empty field.
    return [cells.set(cells == "", None)]


def _ends(
    domain: IntervalDomain,
    name: str,
    ends: NDArray[np.int32],
    silent: NDArray[np.bool_],
    outward: Literal[-1, 1],
) -> pl.Series:
    if domain.attribute.reading is Reading.NUMBER:
        # Codes of missing values and of * lie beyond the numbers; those cells say nothing.
        held = _held(domain, outward)
        numbers = np.append(held, 0.0)[np.minimum(ends, len(held))]
        # An open value has no end on its open side.
        spelled = [is_open(text) == outward for text in _spelled(domain)]
        boundless = np.array([*spelled, False], dtype=np.bool_)
        silent = silent | boundless[np.minimum(ends, len(held))]
        whole = bool((held == np.round(held)).all())
        values = pl.Series(name, numbers).cast(pl.Int64 if whole else pl.Float64)
    else:
        texts = [*domain.texts, ""]
        texts = [texts[end] for end in ends.tolist()]
        values = pl.Series(name, texts, dtype=pl.String)
    values = values.set(pl.Series(silent), None) if silent.any() else values
    return values.extend_constant(None, 1)


def _spelled(domain: IntervalDomain) -> list[str]:
    """Return the spellings of the numbers, without that of a missing one."""
    return list(domain.texts[: len(domain.numbers)])


def _held(domain: IntervalDomain, outward: Literal[-1, 1]) -> NDArray[np.float64]:
    """Return the numbers as floats; one with more digits than a float shows is moved outward."""
    held = domain.numbers.copy()
    for place, text in enumerate(_spelled(domain)):
        limit = limit_of(text) if is_open(text) else text
        number = float(limit) if is_open(text) else float(held[place])
        excess = Decimal(limit).compare(Decimal(repr(number)))
        moved = bool(excess) and (excess > 0) == (outward > 0)
        held[place] = np.nextafter(number, outward * np.inf) if moved else number
    return held
