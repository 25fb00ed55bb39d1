"""Every type of pandas, polars and pyarrow: generalized, given back, or refused by name."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import InputError, SchemaError

if TYPE_CHECKING:
    from pathlib import Path

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
    "fixed offset": (pd.Series(pd.to_datetime(["2024-01-01T08:00:00+01:00"] * N)), None),
    "mixed scalars": (pd.Series([1, "1", None, date(2024, 1, 1)], dtype=object), None),
    "lists": (pd.Series([[1], [2, 3], None, [4]]), "each element"),
    "lists and tuples": (pd.Series([[1], (2, 3), None, [4]]), "Turn its objects"),
    "lists and texts": (pd.Series([[1], "a", None, [4]]), "Turn its objects"),
    "sets": (pd.Series([{1}, {2, 3}, None, {4}]), "Turn its objects"),
    "bytearrays": (pd.Series([bytearray(b"a")] * N), "Turn its objects"),
    "bytes and texts": (pd.Series([b"a", "a", None, "b"]), "Turn its objects"),
    "objects": (pd.Series([object() for _ in range(N)]), "Turn its objects"),
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


MAPS = pa.array([[("a", 1)]] * N, pa.map_(pa.string(), pa.int64()))
UNREADABLE: dict[str, tuple[Any, str]] = {
    "map": (MAPS, "each key"),
    "maps in lists": (pa.array([[[("a", 1)]]] * N, pa.list_(MAPS.type)), "each key"),
    "decimal256": (pa.array([Decimal(1)] * N, pa.decimal256(50, 2)), "38 digits"),
    "union": (
        pa.UnionArray.from_sparse(pa.array([0] * N, pa.int8()), [pa.array(range(N))]),
        "each of its types",
    ),
    "run-end": (
        pa.RunEndEncodedArray.from_arrays(pa.array([N], pa.int32()), pa.array([1])),
        "run_end_decode",
    ),
    "interval": (pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval()), "number"),
    "JSON": (pa.array(["{}"] * N, pa.json_()), "text"),
}


@pytest.mark.parametrize(("column", "remedy"), UNREADABLE.values(), ids=UNREADABLE)
def test_arrow_types_that_polars_lacks_are_refused_by_name(column: Any, remedy: str) -> None:
    with pytest.raises(InputError, match=r"^Column 'q' has the type .* cannot be read") as caught:
        shoal.anonymize(pa.table({"q": column, "s": list("xyxy")}), k=2, quasi=["s"], other=["q"])
    assert remedy in caught.value.remedy


def test_an_unknown_time_zone_of_a_table_is_refused() -> None:
    zoned = pa.array(range(N), pa.timestamp("s", "Mars/Phobos"))
    with pytest.raises(InputError, match="cannot be read"):
        shoal.anonymize(pa.table({"q": zoned}), k=2, quasi=["q"])


def test_arrow_columns_of_pandas_are_refused_by_name() -> None:
    frame = pd.DataFrame({"q": pd.Series(MAPS.to_pylist(), dtype=pd.ArrowDtype(MAPS.type))})
    with pytest.raises(InputError, match="'q' has the type map"):
        shoal.anonymize(frame, k=2, quasi=["q"])


@pytest.mark.parametrize("zone", ["dateutil/Europe/Berlin", "+05:30"])
def test_time_zones_without_a_name_are_refused(zone: str) -> None:
    frame = pd.DataFrame({"q": pd.date_range("2024-01-01", periods=N, tz=zone)})
    with pytest.raises(InputError, match="'q' has the time zone") as caught:
        shoal.anonymize(frame, k=2, quasi=["q"])
    assert "tz_convert" in caught.value.remedy


def test_a_fixed_offset_keeps_moments_and_clock_times() -> None:
    moments = pd.to_datetime(["2024-01-01T08:00:00-03:00"] * N)
    release = shoal.anonymize(pd.DataFrame({"q": moments}), k=2, quasi=["q"])
    assert {cell[:13] + cell[-6:] for cell in release.frame["q"]} == {"2024-01-01 08-03:00"}


def test_ordered_categories_that_are_alike_as_texts() -> None:
    column = pd.Categorical([1, "1", 2, 2], categories=[1, "1", 2], ordered=True)
    with pytest.raises(InputError, match="'q' has ordered categories that are alike") as caught:
        shoal.anonymize(pd.DataFrame({"q": column}), k=2, quasi=["q"])
    assert "rename_categories" in caught.value.remedy


@pytest.mark.parametrize("role", ["sensitive", "identifier"])
def test_objects_may_be_sensitive_or_identifiers(role: str) -> None:
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "s": [{1}, {2}, {1}, {2}]})
    words: dict[str, Any] = {"k": 2, "quasi": ["q"], role: ["s"]}
    release = shoal.anonymize(frame, **words)
    assert ("s" in release.frame.columns) == (role == "sensitive")
    assert shoal.verify(frame, release.frame, **words).passed


def test_maps_in_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "map.parquet"
    pq.write_table(pa.table({"q": [1] * N, "m": MAPS}), path)
    assert run(["inspect", str(path)]) == 2
    assert "Column 'm' has the type map" in capsys.readouterr().err


def test_bytes_are_refused_in_json_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "t.parquet", tmp_path / "out.jsonl"
    pl.DataFrame({"q": [1] * N, "b": [b"a"] * N}).write_parquet(path)
    words = ["--quasi", "q", "--other", "b", "--accept", "b", "-k", "2"]
    assert run(["anonymize", str(path), *words, "-o", str(out)]) == 2
    assert "Column 'b' holds bytes" in capsys.readouterr().err
    assert not out.exists()
