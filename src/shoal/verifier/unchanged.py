"""Columns that a release carries unchanged: when cells of different types say the same value."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.table.cells import distinct_cells, texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COMPARED_BY_TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Object)
_DIGITS_OF_UNIT = {"ms": 3, "us": 6, "ns": 9}
_TIME_AS_WRITTEN = re.compile(
    r"([+-]?\d{4,}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d)?)?"
)
_FRACTION_OF_SECOND = re.compile(r":\d\d\.(\d+)")


def comparable(original: pl.Series, released: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return two columns in a common type in which equal cells mean unchanged values.

    Columns of one type compare as they are. A text column of a release is read back as numbers or
    times when the original holds such and every cell of it says exactly what it is read as;
    otherwise the texts that the cells show decide. Lists and structs are compared with JSON, truth
    values with 0 and 1. An empty text and a missing cell are the same.
    """
    if original.dtype == released.dtype and original.dtype not in _COMPARED_BY_TEXT:
        return original, released
    if original.dtype == pl.Boolean and released.dtype.is_integer():
        # Some databases have no truth values, but 0 and 1.
        if released.is_in([0, 1]).all():
            return original, released.cast(pl.Boolean)
    elif original.dtype.is_nested() and released.dtype == pl.String:
        return _as_json(original), _canonical_json(texts(released))
    elif original.dtype.is_nested() and released.dtype.is_nested():
        # Fields may stand in another order, and those that are missing in all rows not at all.
        return _as_json(original), _as_json(released)
    elif released.dtype == pl.String:
        shown = texts(released)
        read = _read_back(shown, original.dtype)
        if read is not None and _reads_without_loss(shown, read):
            return original, read
    return _shown(original), _shown(released)


def common_codes(original: pl.Series, released: pl.Series) -> NDArray[np.uint32]:
    """Return codes of both columns, one after the other; equal codes mean unchanged values."""
    left, right = comparable(original, released)
    joint = pl.concat([left.alias("cell"), right.alias("cell")], rechunk=True)
    return distinct_cells(_shown(joint) if joint.dtype.is_nested() else joint).codes


def _as_json(series: pl.Series) -> pl.Series:
    cells = [
        None if cell is None else json.dumps(_present(cell), sort_keys=True, default=str)
        for cell in series.to_list()
    ]
    return pl.Series(cells, dtype=pl.String)


def _canonical_json(shown: pl.Series) -> pl.Series:
    """Return JSON texts in one spelling; a text that is no JSON, or says more, stays as it is."""
    cells = [None if text is None else _respelled(text) for text in shown.to_list()]
    return pl.Series(cells, dtype=pl.String)


def _respelled(text: str) -> str:
    try:
        parsed = json.loads(text, parse_float=_exact_float, object_pairs_hook=_distinct_keys)
    except (ValueError, RecursionError):
        return text
    return json.dumps(_present(parsed), sort_keys=True)


def _present(value: Any) -> Any:
    """Return a value without the fields of structs that are missing."""
    if isinstance(value, dict):
        return {name: _present(one) for name, one in value.items() if one is not None}
    return [_present(one) for one in value] if isinstance(value, list) else value


def _exact_float(text: str) -> float:
    if not _same_number(text, repr(float(text))):
        raise ValueError(text)
    return float(text)


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _shown(series: pl.Series) -> pl.Series:
    if series.dtype == pl.Duration:  # which polars does not cast to text
        return series.cast(pl.Int64).cast(pl.String)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return pl.Series([None if cell is None else repr(cell) for cell in series.to_list()])
    return texts(series)


def _read_back(shown: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    if dtype.is_integer():
        # Where cells are missing, many tools write whole numbers as 1.0.
        return shown.cast(pl.Float64, strict=False).cast(dtype, strict=False)
    if dtype.is_numeric():
        return shown.cast(dtype, strict=False)
    if dtype == pl.Time:
        return shown.str.to_time("%H:%M:%S%.f", strict=False)
    if isinstance(dtype, pl.Datetime):
        spaced = shown.str.replace("T", " ", literal=True)
        if dtype.time_zone is None:
            return spaced.str.to_datetime(
                "%Y-%m-%d %H:%M:%S%.f", time_unit=dtype.time_unit, strict=False
            )
        return spaced.str.to_datetime(
            "%Y-%m-%d %H:%M:%S%.f%z", time_unit=dtype.time_unit, strict=False
        ).dt.convert_time_zone(dtype.time_zone)
    return None


def _reads_without_loss(shown: pl.Series, read: pl.Series) -> bool:
    """Return whether reading the texts lost nothing: no cell, and no digit of any."""
    if read.null_count() != shown.null_count():
        return False
    pairs = pl.DataFrame({"shown": shown, "read": read}).unique().drop_nulls()
    before = pairs["shown"].to_list()
    dtype = read.dtype
    if dtype.is_numeric():
        after = pairs["read"].cast(pl.String).to_list()
        return all(map(_same_number, before, after))
    digits = _DIGITS_OF_UNIT[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 9
    # Polars also reads "2024-01-0300:00:00", which nobody writes.
    written = all(map(_TIME_AS_WRITTEN.fullmatch, before))
    return written and not any(_digits_beyond(text, digits) for text in before)


def _same_number(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        left, right = Decimal(one), Decimal(other)
    except InvalidOperation:
        return False
    return left == right or (left.is_nan() and right.is_nan())


def _digits_beyond(text: str, digits: int) -> bool:
    fraction = _FRACTION_OF_SECOND.search(text)
    return fraction is not None and fraction[1][digits:].strip("0") != ""
