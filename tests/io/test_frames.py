"""The caller's frames: in without loss, out in the same type, never changed."""

from __future__ import annotations

import datetime
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal as assert_pandas_equal
from polars.testing import assert_frame_equal

import shoal
from shoal.errors import InputError, SchemaError
from shoal.io import CallerFrame, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = np.array([2, 0, 1], dtype=np.int64)
GENERALIZED = pl.DataFrame({"age": ["[35..37]", "*", None], "age_min": [35, None, 7]})


def pandas_frame() -> pd.DataFrame:
    days = pd.to_datetime(pd.Index(["2020-01-01", None, "2021-05-05"]))
    return pd.DataFrame(
        {
            "text": ["a", None, "c"],
            "objects": np.array(["a", None, 1], dtype=object),
            "plain": pd.Series(["x", None, "z"], dtype=object).to_numpy(),
            "integer": np.array([1, 2, 3], dtype=np.int16),
            "float": [1.5, np.nan, 2.0],
            "Int64": pd.array([2**60 + 1, None, 3], dtype="Int64"),
            "Float64": pd.array([0.5, None, 3], dtype="Float64"),
            "bool": [True, False, True],
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "ordered": pd.Categorical(["lo", "hi", None], categories=["lo", "hi"], ordered=True),
            "grades": pd.Categorical([3, 1, 2], categories=[1, 2, 3], ordered=True),
            "category": pd.Categorical(["b", "a", None]),
            "codes": pd.Categorical([7, 8, None]),
            "moment": days,
            "zoned": days.tz_localize("Europe/Berlin"),
            "seconds": np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="M8[s]"),
            "date": [datetime.date(2020, 1, 1), None, datetime.date(2020, 2, 1)],
            "span": pd.to_timedelta([1, 2, None], unit="s"),
            "arrow": pd.array([1, None, 2], dtype="int64[pyarrow]"),
            "arrow_text": pd.array(["a", None, "b"], dtype="string[pyarrow]"),
            "python_text": pd.array(["a", None, "b"], dtype="string[python]"),
            "sparse": pd.arrays.SparseArray([1, 0, 0]),
            "period": pd.period_range("2020", periods=3, freq="M"),
            "list": pd.Series([[1], [2, 3], None]).to_numpy(),
        },
        index=[5, 6, 5],
    )


def test_pandas_cells_in_polars() -> None:
    frame = CallerFrame.of(pandas_frame()).polars
    columns = frame.to_dict(as_series=False)
    assert columns["text"] == ["a", None, "c"]
    assert columns["objects"] == ["a", None, "1"]
    assert columns["plain"] == ["x", None, "z"]
    assert columns["integer"] == [1, 2, 3]
    assert columns["float"] == [1.5, None, 2.0]
    assert columns["Int64"] == [2**60 + 1, None, 3]
    assert columns["Float64"] == [0.5, None, 3.0]
    assert columns["bool"] == [True, False, True]
    assert columns["boolean"] == [True, None, False]
    assert columns["ordered"] == ["lo", "hi", None]
    assert columns["grades"] == ["3", "1", "2"]
    assert columns["category"] == ["b", "a", None]
    assert columns["codes"] == [7, 8, None]
    first, last = datetime.datetime(2020, 1, 1), datetime.datetime(2021, 5, 5)
    assert columns["moment"] == [first, None, last]
    assert [moment and moment.replace(tzinfo=None) for moment in columns["zoned"]] == [
        first,
        None,
        last,
    ]
    assert columns["seconds"] == [first, first + datetime.timedelta(days=1), None]
    assert columns["date"] == [datetime.date(2020, 1, 1), None, datetime.date(2020, 2, 1)]
    assert columns["span"] == [datetime.timedelta(seconds=1), datetime.timedelta(seconds=2), None]
    assert columns["arrow"] == [1, None, 2]
    assert columns["arrow_text"] == columns["python_text"] == ["a", None, "b"]
    assert columns["sparse"] == [1, 0, 0]
    assert columns["period"] == ["2020-01", "2020-02", "2020-03"]
    assert columns["list"] == [[1], [2, 3], None]


def test_order_of_categories_survives() -> None:
    schema = CallerFrame.of(pandas_frame()).polars.schema
    assert schema["ordered"] == pl.Enum(["lo", "hi"])
    assert schema["grades"] == pl.Enum(["1", "2", "3"])
    assert schema["category"] == pl.String


def test_pandas_comes_back_with_its_types() -> None:
    original = pandas_frame()
    before = original.copy(deep=True)
    untouched = list(original.columns)
    released = CallerFrame.of(original).give_back(
        GENERALIZED, ROWS, untouched, ["age", *untouched, "age_min"]
    )
    assert isinstance(released, pd.DataFrame)
    assert list(released.columns) == ["age", *untouched, "age_min"]
    expected = original.iloc[[2, 0, 1]].reset_index(drop=True)
    assert_pandas_equal(released[untouched], expected)
    assert isinstance(released.index, pd.RangeIndex)
    assert released["age"].isna().tolist() == [False, False, True]
    assert released["age"].tolist()[:2] == ["[35..37]", "*"]
    assert released["age"].dtype == pd.Series(["x", None]).dtype
    assert released["age_min"].dropna().tolist() == [35, 7]
    assert_pandas_equal(original, before)


def test_polars_comes_back() -> None:
    original = pl.DataFrame(
        {
            "id": [1, 2, 3],
            "kind": pl.Series(["b", "a", None], dtype=pl.Categorical),
            "level": pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
            "when": [datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 3)],
        }
    )
    before = original.clone()
    caller = CallerFrame.of(original)
    assert_frame_equal(caller.polars, original)
    released = caller.give_back(
        GENERALIZED, ROWS, ["kind", "level", "when"], ["when", "age", "kind"]
    )
    expected = pl.DataFrame(
        {
            "when": [datetime.date(2020, 1, 3), datetime.date(2020, 1, 1), None],
            "age": ["[35..37]", "*", None],
            "kind": pl.Series([None, "b", "a"], dtype=pl.Categorical),
        }
    )
    assert_frame_equal(released, expected)
    assert_frame_equal(original, before)


def test_lazy_polars_comes_back_lazy() -> None:
    caller = CallerFrame.of(pl.LazyFrame({"a": [1, 2, 3]}))
    assert caller.polars.shape == (3, 1)
    released = caller.give_back(GENERALIZED, ROWS, ["a"], ["a", "age"])
    assert isinstance(released, pl.LazyFrame)
    assert released.collect()["a"].to_list() == [3, 1, 2]


def test_a_lazy_frame_that_fails(tmp_path: Any) -> None:
    with pytest.raises(InputError, match="collected"):
        CallerFrame.of(pl.scan_csv(tmp_path / "absent.csv"))


def arrow_table() -> pa.Table:
    return pa.table(
        {
            "integer": pa.array([1, None, 3], pa.int8()),
            "text": pa.array(["a", "b", None], pa.string()),
            "large": pa.array(["a", "b", None], pa.large_string()),
            "dictionary": pa.array(["x", "y", "x"]).dictionary_encode(),
            "day": pa.array([0, 1, None], pa.date32()),
            "moment": pa.array([0, 1, None], pa.timestamp("ns", "UTC")),
            "decimal": pa.array([1, 2, None], pa.decimal128(9, 2)),
        }
    )


def test_pyarrow_comes_back_with_its_types() -> None:
    original = arrow_table()
    caller = CallerFrame.of(original)
    assert caller.polars["text"].to_list() == ["a", "b", None]
    names = original.column_names
    released = caller.give_back(GENERALIZED, ROWS, names, ["age", *names])
    assert isinstance(released, pa.Table)
    assert released.column_names == ["age", *names]
    for name in names:
        assert released.schema.field(name).type == original.schema.field(name).type
        assert released[name].to_pylist() == [original[name].to_pylist()[row] for row in ROWS]
    assert released["age"].to_pylist() == ["[35..37]", "*", None]
    assert original.equals(arrow_table())


class Stream:
    """An object that has the Arrow C stream and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def test_any_arrow_stream_comes_back_as_pyarrow() -> None:
    caller = CallerFrame.of(Stream(arrow_table()))
    released = caller.give_back(GENERALIZED, ROWS, ["integer"], ["integer", "age"])
    assert isinstance(released, pa.Table)
    assert released.schema.field("integer").type == pa.int8()
    assert released["integer"].to_pylist() == [3, 1, None]


def test_a_stream_that_is_no_table() -> None:
    class Column(Stream):
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.chunked_array([[1, 2]]).__arrow_c_stream__(requested_schema)

    with pytest.raises(InputError, match="not a table"):
        CallerFrame.of(Column(arrow_table()))


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.none() | st.text(max_size=5), st.none() | st.integers(-(2**50), 2**50)),
        min_size=1,
        max_size=8,
    ),
    data=st.data(),
)
def test_any_cells_come_back(
    cells: Sequence[tuple[str | None, int | None]], data: st.DataObject
) -> None:
    texts, whole = [cell[0] for cell in cells], [cell[1] for cell in cells]
    order = data.draw(st.permutations(range(len(cells))))
    rows = np.array(order[: data.draw(st.integers(1, len(cells)))], dtype=np.int64)
    generalized = pl.DataFrame({"g": [texts[row] for row in rows]}, schema={"g": pl.String})
    arrow = pa.table({"t": pa.array(texts, pa.string()), "w": pa.array(whole, pa.int64())})
    for native in (
        arrow,
        pl.DataFrame({"t": texts, "w": whole}, schema={"t": pl.String, "w": pl.Int64}),
        pd.DataFrame({"t": pd.array(texts, "string"), "w": pd.array(whole, "Int64")}),
    ):
        caller = CallerFrame.of(native)
        assert caller.polars["t"].to_list() == texts
        assert caller.polars["w"].to_list() == whole
        released = caller.give_back(generalized, rows, ["w"], ["w", "g"])
        assert type(released) is type(native)
        again = CallerFrame.of(released).polars
        assert again["g"].to_list() == [texts[row] for row in rows]
        assert again["w"].to_list() == [whole[row] for row in rows]


def test_no_untouched_columns() -> None:
    for native in (pandas_frame(), pl.DataFrame({"a": [1, 2, 3]}), arrow_table()):
        released = CallerFrame.of(native).give_back(GENERALIZED, ROWS, [], ["age"])
        assert type(released) is type(native)
        assert CallerFrame.of(released).polars.columns == ["age"]


@pytest.mark.parametrize(
    ("native", "part"),
    [
        ([1, 2], "not a frame"),
        ("data.csv", "not a frame"),
        (None, "not a frame"),
        ({"a": [1]}, "not a frame"),
        (np.ones((2, 2)), "not a frame"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "share a name: 'a'"),
        (pd.DataFrame([[1, 2]]), "must be texts"),
        (pa.table([[1], [2]], names=["a", "a"]), "share a name"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pl.DataFrame(), "no columns"),
        (pl.DataFrame({"*": [1]}), "cannot be named"),
    ],
)
def test_what_is_refused(native: Any, part: str) -> None:
    with pytest.raises(InputError, match=part) as caught:
        CallerFrame.of(native)
    assert caught.value.remedy


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_libraries_of_other_callers_are_not_imported() -> None:
    code = """
        import sys
        import numpy as np, polars as pl
        from shoal.io import CallerFrame
        caller = CallerFrame.of(pl.DataFrame({"a": [1]}))
        caller.give_back(pl.DataFrame({"g": ["*"]}), np.array([0]), ["a"], ["a", "g"])
        print([name for name in ("pandas", "pyarrow") if name in sys.modules])
    """
    assert run(code) == "[]"


def test_pandas_without_pyarrow() -> None:
    code = """
        import sys
        sys.modules["pyarrow"] = None
        import numpy as np, pandas as pd, polars as pl
        from shoal.io import CallerFrame
        frame = pd.DataFrame({"t": ["a", None], "i": pd.array([1, None], "Int64"), "x": [1.5, 2],
                              "c": pd.Categorical(["l", "h"], ["l", "h"], ordered=True)})
        caller = CallerFrame.of(frame)
        print(caller.polars.rows(), caller.polars["c"].dtype == pl.Enum(["l", "h"]))
        back = caller.give_back(pl.DataFrame({"g": ["*", None]}), np.array([1, 0]),
                                list(frame.columns), ["g", *frame.columns])
        print((back[frame.columns].dtypes == frame.dtypes).all())
    """
    assert run(code) == "[('a', 1, 1.5, 'l'), (None, None, 2.0, 'h')] True\nTrue"


def test_a_stream_without_pyarrow_comes_back_as_polars() -> None:
    code = """
        import sys
        sys.modules["pyarrow"] = None
        import numpy as np, polars as pl
        from shoal.io import CallerFrame
        class Stream:
            def __arrow_c_stream__(self, requested_schema=None):
                return pl.DataFrame({"a": [1, 2]}).__arrow_c_stream__(requested_schema)
        caller = CallerFrame.of(Stream())
        back = caller.give_back(pl.DataFrame({"g": ["*"]}), np.array([1]), ["a"], ["a", "g"])
        print(type(back) is pl.DataFrame, back.rows())
    """
    assert run(code) == "True [(2, '*')]"


CODED = {
    "age": [-1, 30, 41, 55, -1, 41],
    "sex": ["F", "?", "M", "F", "F", "M"],
    "weeks": ["N", "4", "8", "N", "4", "8"],
    "pay": [99, 1, 2, 99, 3, 4],
}
CODES = ReadOptions(null_values=("?", "age=-1", "pay=99"), special_values=("weeks=N",))
READ = {
    "age": [None, 30, 41, 55, None, 41],
    "sex": ["F", None, "M", "F", "F", "M"],
    "weeks": [None, "4", "8", None, "4", "8"],
    "pay": [None, 1, 2, None, 3, 4],
    "weeks_special": ["N", None, None, "N", None, None],
}


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(CODED),
        pl.DataFrame(CODED).lazy(),
        pa.table(CODED),
        pa.table(CODED).set_column(1, "sex", pa.array(CODED["sex"]).dictionary_encode()),
        pa.table(CODED).set_column(1, "sex", pa.array(CODED["sex"], pa.string_view())),
        pd.DataFrame(CODED, index=[5, 6, 5, 7, 8, 9]),
        pd.DataFrame(CODED).astype({"age": "Int64", "sex": "category", "pay": "int64[pyarrow]"}),
    ],
    ids=["polars", "lazy", "pyarrow", "dictionary", "views", "pandas", "extension types"],
)
def test_codes_of_frames(frame: Any) -> None:
    """A frame is read with the same codes as a file, once, in its own type and its own columns."""
    read = CallerFrame.of(frame).read_as(CODES)
    assert read.polars.cast({"sex": pl.String}).to_dict(as_series=False) == READ
    again = CallerFrame.of(read.native).polars.cast({"sex": pl.String})
    assert again.with_columns(pl.col("age", "pay").cast(pl.Int64)).to_dict(as_series=False) == READ
    assert CallerFrame.of(read.native).read_as(CODES).native is read.native
    release = shoal.anonymize(
        frame,
        k=2,
        quasi=["age", "sex", "weeks"],
        sensitive=["pay"],
        null_values=CODES.null_values,
        special_values=CODES.special_values,
        algorithm="mondrian",
    )
    assert sorted(release.table["pay"].drop_nulls().to_list()) == [1, 2, 3, 4]
    assert release.job.null_values == CODES.null_values
    # From the original as it is, and as it was read.
    for original in (frame, read.polars):
        assert shoal.verify(original, release).passed


def test_codes_of_columns_that_a_frame_lacks() -> None:
    caller = CallerFrame.of(pl.DataFrame({"age": [1]}))
    with pytest.raises(SchemaError, match="names 'agee'"):
        caller.read_as(ReadOptions(null_values=("agee=1",)))
    told = ReadOptions(null_values=("agee=1", "age=1"), special_values=("weeks=N",))
    assert caller.read_as(told, partial=True).polars["age"].to_list() == [None]


def test_marks_of_numbers_in_frames() -> None:
    """1.500 may be 1500, or have been 1,500 in the file: only the reader of the file knows."""
    frame = pl.DataFrame({"pay": ["1.500,5", "2"]})
    for told in (ReadOptions(decimal=","), ReadOptions(decimal=",", thousands=".")):
        with pytest.raises(InputError, match=r"Column 'pay' .* `decimal`"):
            CallerFrame.of(frame).read_as(told)
    read = pl.DataFrame({"pay": ["1500.5", "2.500"], "note": ["1,5", "x"]})
    assert CallerFrame.of(read).read_as(ReadOptions(decimal=",")).native is read
