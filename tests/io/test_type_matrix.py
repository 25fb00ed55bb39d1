"""Every type of pandas, polars and pyarrow: generalized, given back, or refused by name."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import SchemaError

N = 4
MOMENTS: list[Any] = [datetime(2024, 1, day, 8) for day in (1, 2, 3)] + [None]
SPANS: list[Any] = [timedelta(days=1), timedelta(days=2), timedelta(days=3), None]
# A column of each type, and what a refusal of it says to do; None where it is generalized.
PANDAS: dict[str, tuple[Any, str | None]] = {
    "object": (pd.Series(["a", "b", None, "c"], dtype=object), None),
    "string": (pd.Series(["a", "b", None, "c"], dtype="string"), None),
    "NUL": (pd.Series(["a\0", "a\0b", None, "c"], dtype=object), None),
    "category": (pd.Series(["a", "b", None, "c"], dtype="category"), None),
    "int64": (pd.Series([1, 2, 3, 4]), None),
    "Int64": (pd.Series([1, 2, None, 4], dtype="Int64"), None),
    "UInt8": (pd.Series([1, 2, None, 4], dtype="UInt8"), None),
    "float64": (pd.Series([1.5, float("nan"), 3, 4]), None),
    "Float32": (pd.Series([1.5, None, 3, 4], dtype="Float32"), None),
    "boolean": (pd.Series([True, None, False, True], dtype="boolean"), None),
    "datetime64": (pd.Series(pd.to_datetime(MOMENTS)), None),
    "datetime64 zoned": (pd.Series(pd.to_datetime(MOMENTS, utc=True)), None),
    "decimal": (pd.Series([Decimal("1.10"), Decimal("2"), None, Decimal("3")]), None),
    "period": (pd.Series(pd.period_range("2024-01", periods=N, freq="M")), None),
    "arrow": (pd.Series([1, 2, None, 4], dtype="int64[pyarrow]"), None),
    "timedelta64": (pd.Series(pd.to_timedelta(SPANS)), "number"),
    "lists": (pd.Series([[1], [2, 3], None, [4]]), "each element"),
    "bytes": (pd.Series([b"a", b"b", None, b"c"]), "Decode"),
}
POLARS: dict[str, tuple[pl.Series, str | None]] = {
    "String": (pl.Series(["a", "b", None, "c"]), None),
    "Categorical": (pl.Series(["a", "b", None, "c"], dtype=pl.Categorical), None),
    "Enum": (pl.Series(["a", "b", None, "c"], dtype=pl.Enum(["a", "b", "c"])), None),
    **{
        str(dtype): (pl.Series([1, 2, None, 4], dtype=dtype), None)
        for dtype in (
            pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64,
            pl.Float32, pl.Float64,
        )
    },
    "Decimal": (pl.Series([Decimal("1.10"), Decimal("2"), None, Decimal("3")]), None),
    "Boolean": (pl.Series([True, None, False, True]), None),
    "Date": (pl.Series([date(2024, 1, 1), None, date(2024, 1, 3), date(2024, 1, 4)]), None),
    "Datetime": (pl.Series(MOMENTS), None),
    "Datetime zoned": (pl.Series(MOMENTS).dt.replace_time_zone("Asia/Tokyo"), None),
    "Time": (pl.Series([time(1), time(2), None, time(3)]), None),
    "Null": (pl.Series([None] * N), None),
    "Duration": (pl.Series(SPANS), "number"),
    "List": (pl.Series([[1], [2, 3], None, [4]]), "each element"),
    "Array": (pl.Series([[1, 2]] * N, dtype=pl.Array(pl.Int64, 2)), "each element"),
    "Struct": (pl.Series([{"a": 1}] * N), "fields"),
    "Binary": (pl.Series([b"a", b"b", None, b"c"]), "Decode"),
}  # fmt: skip
ARROW: dict[str, tuple[Any, str | None]] = {
    "string": (pa.array(["a", "b", None, "c"]), None),
    "large_string": (pa.array(["a", "b", None, "c"], pa.large_string()), None),
    "dictionary": (pa.array(["a", "b", None, "c"]).dictionary_encode(), None),
    "int32": (pa.array([1, 2, None, 4], pa.int32()), None),
    "float": (pa.array([1, 2, None, 4], pa.float32()), None),
    "bool": (pa.array([True, None, False, True]), None),
    "decimal": (pa.array([1, 2, None, 4], pa.decimal128(9, 2)), None),
    "date32": (pa.array([1, 2, None, 4], pa.date32()), None),
    "date64": (pa.array([86_400_000, 0, None, 0], pa.date64()), None),
    "timestamp": (pa.array([1, 2, None, 4], pa.timestamp("s")), None),
    "timestamp zoned": (pa.array([1, 2, None, 4], pa.timestamp("ns", "UTC")), None),
    "time64": (pa.array([1, 2, None, 4], pa.time64("us")), None),
    "null": (pa.nulls(N), None),
    "duration": (pa.array([1, 2, None, 4], pa.duration("s")), "number"),
    "list": (pa.array([[1], [2, 3], None, [4]]), "each element"),
    "struct": (pa.array([{"a": 1}] * N), "fields"),
    "binary": (pa.array([b"a", b"b", None, b"c"]), "Decode"),
}
FRAMES: list[Any] = [
    *(
        pytest.param(pd.DataFrame({"q": column, "s": list("xyxy")}), remedy, id=f"pandas {name}")
        for name, (column, remedy) in PANDAS.items()
    ),
    *(
        pytest.param(pl.DataFrame({"q": column, "s": list("xyxy")}), remedy, id=f"polars {name}")
        for name, (column, remedy) in POLARS.items()
    ),
    *(
        pytest.param(pa.table({"q": column, "s": list("xyxy")}), remedy, id=f"pyarrow {name}")
        for name, (column, remedy) in ARROW.items()
    ),
]


@pytest.mark.parametrize(("frame", "remedy"), FRAMES)
def test_as_a_quasi_identifier(frame: Any, remedy: str | None) -> None:
    words: dict[str, Any] = {"k": 2, "quasi": ["q"], "sensitive": ["s"], "algorithm": "sorted"}
    if remedy is not None:
        with pytest.raises(SchemaError, match="'q' holds cells of the type") as caught:
            shoal.anonymize(frame, **words)
        assert remedy in caught.value.remedy
        return
    release = shoal.anonymize(frame, **words)
    assert type(release.frame) is type(frame)
    assert shoal.verify(frame, release.frame, **words).passed


@pytest.mark.parametrize(("frame", "remedy"), FRAMES)
def test_unchanged_in_its_own_type(frame: Any, remedy: str | None) -> None:
    del remedy
    release = shoal.anonymize(
        frame, k=2, quasi=["s"], other=["q"], accept=["q"], keep_order=True, algorithm="sorted"
    )
    shown = release.frame
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_series_equal(shown["q"], frame["q"], check_categorical=False)
    elif isinstance(frame, pl.DataFrame):
        assert shown["q"].dtype == frame["q"].dtype
        assert shown["q"].to_list() == frame["q"].to_list()
    else:
        assert shown.schema.field("q").type == frame.schema.field("q").type
        assert shown.column("q").to_pylist() == frame.column("q").to_pylist()
