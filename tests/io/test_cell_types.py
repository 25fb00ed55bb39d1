"""Cells that a format has no place for: refused by column, or written so that they verify."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import shoal
from shoal.errors import FileError, InputError
from shoal.io import Staging, read_source, read_table
from shoal.verifier.unchanged import comparable

if TYPE_CHECKING:
    from pathlib import Path

TEXT_FORMATS = (".csv", ".jsonl", ".xlsx")
NAN = float("nan")


def write_arrow(table: Any, path: str) -> None:
    """Write an Arrow file that is not packed."""
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


ARROW = (".arrow", write_arrow)
FEATHER = (".feather", feather.write_feather)
PARQUET = (".parquet", parquet.write_table)


def written(frame: pl.DataFrame, place: str) -> None:
    """Write a table."""
    with Staging() as staging:
        staging.table(frame, place)
        staging.commit()


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ([b"\x00\xff", None], "bytes"),
        ([[b"\x00"], None], "bytes"),
        ([datetime.timedelta(1), None], "durations"),
        ([{"a": datetime.timedelta(1)}, None], "durations"),
    ],
)
def test_what_texts_cannot_hold_is_named(
    suffix: str, cells: list[Any], what: str, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"age": [1, 2], "odd": cells})
    with pytest.raises(FileError, match=f"Column 'odd' holds {what}, which .* cannot hold") as info:
        written(frame, str(tmp_path / f"out{suffix}"))
    assert "\n" not in info.value.what
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [*TEXT_FORMATS, ".parquet", ".arrow"])
def test_objects_are_named_in_every_format(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame([pl.Series("odd", [{1}, {2}], dtype=pl.Object)])
    with pytest.raises(FileError, match="Column 'odd' holds Python objects"):
        written(frame, str(tmp_path / f"out{suffix}"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("cells", [[NAN, 1.0], [float("inf"), 1.0], [[NAN], [1.0]]])
def test_json_has_no_nan(cells: list[Any], tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [1, 2], "odd": cells})
    with pytest.raises(FileError, match="Column 'odd' holds NaN or infinite numbers, which JSON"):
        written(frame, str(tmp_path / "out.jsonl"))
    assert not list(tmp_path.iterdir())


def test_sqlite_has_no_nan_but_infinite_numbers(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    address = f"sqlite:///{tmp_path / 'o.db'}#t"
    with pytest.raises(FileError, match="Column 'odd' holds NaN, which SQLite"):
        written(pl.DataFrame({"odd": [NAN, 1.0]}), address)
    assert not list(tmp_path.iterdir())
    endless = pl.DataFrame({"odd": [1.0, float("inf")]})
    written(endless, address)
    assert read_table(address).equals(endless)


NESTED: dict[str, list[Any]] = {
    "lists": [["a", "b|c", None, 'é"'], [], None],
    "numbers": [[1, 2], [None], None],
    "structs": [{"a": 1, "b": "x"}, {"a": None, "b": "é"}, None],
    "dates": [[datetime.date(2024, 1, 31)], [], None],
}


@pytest.mark.parametrize("place", ["out.csv", "out.xlsx", "sqlite", "duckdb"])
@pytest.mark.parametrize("name", NESTED)
def test_lists_and_structs_come_back_as_what_they_were(
    place: str, name: str, tmp_path: Path
) -> None:
    if "." not in place:
        pytest.importorskip("duckdb" if place == "duckdb" else "adbc_driver_sqlite")
        place = f"{place}:///{tmp_path / 'o.db'}#t"
    else:
        place = str(tmp_path / place)
    frame = pl.DataFrame({"number": [1, 2, 3], "odd": NESTED[name]})
    written(frame, place)
    left, right = comparable(frame["odd"], read_table(place)["odd"])
    assert left.equals(right, null_equal=True)
    # In another order they are not the same.
    left, right = comparable(frame["odd"].reverse(), read_table(place)["odd"])
    assert not left.equals(right, null_equal=True)


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([[0.1]], ["[0.10000000000000000001]"]),
        ([{"a": 1}], ['{"a": 2, "a": 1}']),
        ([["x"]], ["['x']"]),
        ([[1]], ['["1"]']),
    ],
)
def test_json_that_says_more_or_something_else_is_not_the_list(
    cells: list[Any], texts: list[str]
) -> None:
    left, right = comparable(pl.Series(cells), pl.Series(texts))
    assert left.to_list() != right.to_list()


def test_truth_values_compare_with_0_and_1_and_with_nothing_else() -> None:
    left, right = comparable(pl.Series([True, False, None]), pl.Series([1, 0, None]))
    assert left.equals(right, null_equal=True)
    left, right = comparable(pl.Series([True, False]), pl.Series([2, 0]))
    assert left.to_list() != right.to_list()


def test_durations_compare_with_texts_without_an_error() -> None:
    left, right = comparable(pl.Series([datetime.timedelta(1)]), pl.Series(["P1D"]))
    assert left.to_list() != right.to_list()


def test_sqlite_keeps_fractions_of_seconds(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    address = f"sqlite:///{tmp_path / 'o.db'}#t"
    written(pl.DataFrame({"at": [datetime.time(1, 2, 3, 500)]}), address)
    assert read_table(address)["at"].to_list() == ["01:02:03.000500"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"a": 1}', '{"a": NaN}'], "line 2 holds NaN, which is not valid JSON"),
        (['{"a": 1}', "", '{"a": -Infinity}'], "line 3 holds -Infinity"),
        (['{"a": 1, "b": 1}', '{"a": 1, "b": true}'], "'b' holds numbers .line 1. and truth val"),
        (['{"a": [1]}', '{"a": {"x": 1}}'], "'a' holds lists .line 1. and objects .line 2."),
        (['{"a": {"x": [1]}}', '{"a": {"x": 1}}'], "within the lists or objects of .a. do not"),
        (['{"a": 1e400}', '{"a": 1}'], "number in line 1 of column 'a' is too large"),
    ],
)
def test_json_lines_that_do_not_go_together_are_named(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(FileError, match=message):
        read_table(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1", '"31"', "32", "33"], "holds texts in line 2, unlike"),
        (
            ['"a"', "true", "3", '"b"', '"c"'],
            "holds values that are not texts in lines 2, 3, unlike",
        ),
    ],
)
def test_texts_among_other_values_are_noted(lines: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(f'{{"a": {cell}, "z": {{"a": 5}}}}\n' for cell in lines))
    source = read_source(path)
    assert source.frame["a"].dtype == pl.String
    (note,) = source.notes
    assert message in note


def test_a_pattern_of_files_in_two_encodings_names_none_for_both(tmp_path: Path) -> None:
    for name, encoding in (("a.csv", "cp1252"), ("b.csv", "utf-8")):
        (tmp_path / name).write_text("town,age\nDüren,3\nJülich,4\n", encoding=encoding)
    source = read_source(tmp_path / "*.csv")
    assert source.frame["town"].to_list() == ["Düren", "Jülich"] * 2
    assert source.encoding is None
    (note,) = source.notes
    assert "a.csv" in note
    (tmp_path / "b.csv").unlink()
    assert read_source(tmp_path / "*.csv").encoding == "cp1252"


@pytest.mark.parametrize(
    ("cells", "shown", "formats"),
    [
        (
            pa.array([Decimal("1.5")] * 2, pa.decimal256(50, 2)),
            "decimal256",
            (ARROW, FEATHER, PARQUET),
        ),
        (pa.array([[1], [2]], pa.list_view(pa.int64())), "list_view", (ARROW, FEATHER)),
        (pa.RunEndEncodedArray.from_arrays([2], ["x"]), "run_end", (ARROW, FEATHER)),
        (pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval()), "interval", (ARROW, FEATHER)),
    ],
)
def test_types_of_files_that_cannot_be_read_are_named(
    cells: Any, shown: str, formats: Any, tmp_path: Path
) -> None:
    table = pa.table({"number": [1, 2], "odd": cells})
    for suffix, write in formats:
        write(table, str(tmp_path / f"in{suffix}"))
        with pytest.raises(InputError, match=f"Column 'odd' has the type .*{shown}"):
            read_table(tmp_path / f"in{suffix}")


def test_texts_in_views_are_read_and_come_back(tmp_path: Path) -> None:
    views = pa.array(["a", "b", None] * 2, pa.string_view())
    table = pa.table({"number": [1, 1, 1, 2, 2, 2], "odd": views})
    for suffix, write in (ARROW, FEATHER, PARQUET):
        write(table, str(tmp_path / f"in{suffix}"))
        assert read_table(tmp_path / f"in{suffix}")["odd"].to_list() == ["a", "b", None] * 2
    words: dict[str, Any] = {"k": 2, "quasi": ["number"], "other": ["odd"], "algorithm": "mondrian"}
    release = shoal.anonymize(table, accept=["odd"], **words)
    assert release.frame.schema.field("odd").type == pa.string_view()
    assert shoal.verify(table, release.frame, **words).passed


def test_fields_of_structs_may_stand_in_another_order() -> None:
    left, right = comparable(
        pl.Series([{"a": 1, "b": None, "c": None}, {"a": None, "b": 2, "c": None}]),
        pl.Series([{"b": None, "a": 1}, {"b": 2, "a": None}]),
    )
    assert left.to_list() == right.to_list()
    left, right = comparable(pl.Series([{"a": 1, "b": 2}]), pl.Series([{"b": 1, "a": 2}]))
    assert left.to_list() != right.to_list()
