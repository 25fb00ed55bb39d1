"""Columns between pandas and polars, without pyarrow unless the column itself is Arrow.

``polars.from_pandas`` needs pyarrow for every text column and forgets the order of ordered
categories; both matter here.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.io.unreadable_types import refuse_arrow_type

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def to_polars(series: pd.Series[Any], name: str) -> pl.Series:
    """Return a pandas column as a polars one: NaN, None and NaT are null, order survives.

    Ordered categories become ``polars.Enum``. A column of mixed texts, numbers, dates and the
    like becomes text; other objects stay objects, which cannot be generalized.

    Raises
    ------
    InputError
        If the column has an Arrow type or a time zone that polars lacks, or ordered categories
        that are alike as texts.
    """
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series))
        dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories_to_polars(series, name)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        return _arrow_to_polars(series, name)
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = series.dt.tz_convert("UTC").dt.tz_localize(None)
        return _in_zone(
            _plain_to_polars(moments.to_numpy(), name).dt.replace_time_zone("UTC"), dtype.tz
        )
    if isinstance(dtype, np.dtype) and dtype.kind in "biufmM":
        return _plain_to_polars(series.to_numpy(), name)
    masked = getattr(dtype, "numpy_dtype", None)
    if masked is not None and masked.kind in "biuf":
        values = series.to_numpy(dtype=masked, na_value=masked.type(0))
        return _plain_to_polars(values, name).set(pl.Series(series.isna().to_numpy()), None)
    return _objects_to_polars(series, name)


def _plain_to_polars(values: NDArray[Any], name: str) -> pl.Series:
    if values.dtype.kind in "mM":
        unit = np.datetime_data(values.dtype)[0]
        if unit not in ("ms", "us", "ns"):
            values = values.astype(f"{values.dtype.kind}8[ms]")
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    return pl.Series(name, np.ascontiguousarray(values), nan_to_null=True)


def _in_zone(moments: pl.Series, zone: datetime.tzinfo) -> pl.Series:
    offset = zone.utcoffset(None)
    shown = str(zone)
    if offset is not None:
        minutes = round(offset.total_seconds() / 60)
        shown = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    try:
        return moments.dt.convert_time_zone(shown)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"Column {moments.name!r} has the time zone {zone}, which has no name in the time "
            "zone database.",
            remedy="Convert it first, as in .dt.tz_convert('UTC') or 'Europe/Berlin'.",
        ) from error


def _arrow_to_polars(series: pd.Series[Any], name: str) -> pl.Series:
    # The column is Arrow already, so pyarrow is there.
    import pyarrow as pa

    cells = pa.chunked_array(pa.array(series.array, from_pandas=True))
    refuse_arrow_type(name, cells.type)
    converted = pl.from_arrow(cells)
    assert isinstance(converted, pl.Series)
    return (converted.fill_nan(None) if converted.dtype.is_float() else converted).alias(name)


def _categories_to_polars(series: pd.Series[Any], name: str) -> pl.Series:
    import pandas as pd

    codes = pl.Series(series.cat.codes.to_numpy().astype(np.int64))
    places = codes.set(codes < 0, None)
    categories = to_polars(pd.Series(series.cat.categories), name)
    if series.cat.ordered:
        words = categories.cast(pl.String)
        if words.n_unique() < len(words):
            raise InputError(
                f"Column {name!r} has ordered categories that are alike as texts, such as 1 and "
                "'1'.",
                remedy="Give each a text of its own with .cat.rename_categories.",
            )
        return words.gather(places).cast(pl.Enum(words)).alias(name)
    return categories.gather(places).alias(name)


def _objects_to_polars(series: pd.Series[Any], name: str) -> pl.Series:
    absent = series.isna().to_numpy()
    cells = [
        None if missing else cell for cell, missing in zip(series.tolist(), absent, strict=True)
    ]
    if all(cell is None or isinstance(cell, str) for cell in cells):
        return pl.Series(name, cells, dtype=pl.String)
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) == 1:
        try:
            converted = pl.Series(name, cells, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            converted = pl.Series(name, [], dtype=pl.Object)
        if converted.dtype != pl.Object:
            return converted
    if not all(issubclass(kind, _shown_as_text()) for kind in kinds):
        return pl.Series(name, cells, dtype=pl.Object)
    return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _shown_as_text() -> tuple[type, ...]:
    """Return the types whose texts say what they are, whatever else a column holds."""
    import numbers
    import uuid
    from ipaddress import IPv4Address, IPv6Address
    from pathlib import PurePath

    import pandas as pd

    return (
        str, numbers.Number, np.generic, datetime.date, datetime.time, datetime.timedelta,
        uuid.UUID, pd.Period, pd.Interval, PurePath, IPv4Address, IPv6Address,
    )  # fmt: skip


def from_polars(series: pl.Series) -> pd.Series[Any]:
    """Return a polars column as the pandas column its values would make by themselves."""
    import pandas as pd

    if series.dtype == pl.String:
        # Released cells repeat, so each distinct text is made once.
        words = series.drop_nulls().unique()
        places = series.cast(pl.Enum(words)).to_physical().cast(pl.Int64).fill_null(len(words))
        texts: NDArray[np.object_] = np.array([*words.to_list(), None], dtype=np.object_)
        return pd.Series(texts[places.to_numpy()], name=series.name)
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is not None:
        moments = pd.Series(series.dt.convert_time_zone("UTC").to_numpy(), name=series.name)
        return moments.dt.tz_localize("UTC").dt.tz_convert(series.dtype.time_zone)
    if series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Datetime):
        return pd.Series(series.to_numpy(), name=series.name)
    return pd.Series(series.to_list(), name=series.name)
