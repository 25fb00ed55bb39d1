"""The permissible range of a numeric column: read as its cells are, and wide enough for them."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import polars as pl

from shoal.errors import SchemaError, ValueReadError, option
from shoal.table.cells import distinct_cells, numbers, present_numbers
from shoal.table.schema import Attribute, Kind, Reading

Limit = float | str | datetime.date | datetime.datetime
ValueRange = str | tuple[Limit, Limit]


def with_value_range(series: pl.Series, attribute: Attribute, given: ValueRange) -> Attribute:
    """Return the attribute with its value range, given as a pair or as ``low:high``.

    Raises
    ------
    SchemaError
        If they are not two values of the column's reading, or narrower than its data.
    """
    name = attribute.name
    if attribute.kind is not Kind.NUMERIC:
        raise SchemaError(
            f"Column {name!r} is {attribute.kind}: only numeric columns have a value range.",
            remedy="Leave its `value_range` out.",
        )
    low, high = _pair(attribute, given)
    widened = replace(attribute, value_range=(low, high))
    held = present_numbers(series, attribute)
    if len(held) and (held.min() < low or held.max() > high):
        outside = int(((held < low) | (held > high)).sum())
        raise SchemaError(
            f"Column {name!r}: its value range is narrower than its data; {outside} of its "
            f"{len(held)} values lie outside.",
            remedy="Widen the range, or correct the values.",
        )
    return widened


def _pair(attribute: Attribute, given: ValueRange) -> tuple[float, float]:
    """Return both limits as numbers; a text is cut at the colon that leaves two readable parts."""
    candidates: list[tuple[Any, Any]]
    if isinstance(given, str):
        cuts = [place for place, character in enumerate(given) if character == ":"]
        candidates = [(given[:cut].strip(), given[cut + 1 :].strip()) for cut in cuts]
    else:
        candidates = [(given[0], given[1])] if len(given) == 2 else []
    for low, high in candidates:
        try:
            return _number(attribute, low), _number(attribute, high)
        except ValueReadError:
            continue
    written = {
        Reading.DATE: "1900-01-01:2025-12-31",
        Reading.DATETIME: "1900-01-01:2025-12-31",
        Reading.RANK: "LOWEST:HIGHEST",
    }.get(attribute.reading, "0:100")
    raise SchemaError(
        f"Column {attribute.name!r}: the value range {given!r} is not two {attribute.reading}s.",
        remedy=f"Write it as {option('value_range', {attribute.name: written})}.",
    )


def _number(attribute: Attribute, limit: Any) -> float:
    if attribute.reading is not Reading.NUMBER and isinstance(limit, int | float):
        return float(limit)
    if isinstance(limit, str) and attribute.reading in (Reading.DATE, Reading.DATETIME):
        # Limits are written as ISO dates, whatever the format of the column.
        attribute = Attribute(attribute.name, attribute.kind, attribute.reading)
    read = numbers(distinct_cells(pl.Series(attribute.name, [limit], strict=False)), attribute)
    if len(read) != 1:
        raise ValueReadError(f"A limit of column {attribute.name!r} is missing.")
    return float(read[0])
