"""Declared schemas: what options mean, and everything that does not fit the table."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from shoal.errors import HierarchyError, InputError, SchemaError, ValueReadError
from shoal.hierarchies import Hierarchy
from shoal.table import Attribute, Kind, MissingPolicy, Reading, Schema, declare

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cyd"],
        "age": ["30", "41", None],
        "sex": ["f", "m", "f"],
        "zip": ["01234", "01235", "99999"],
        "birth": ["1990-05-01", "1979-01-31", ""],
        "seen": ["2020-01-01T10:00:00", "2020-01-02 11:30", "2020-01-03"],
        "level": ["low", "high", "mid"],
        "disease": ["flu", "flu", "cold"],
        "ward": ["a", "b", "c"],
    }
)
DAY = 86_400.0
TREE = Hierarchy.from_rows([["01234", "012", "*"], ["01235", "012", "*"], ["99999", "999", "*"]])


def attribute(column: str, frame: pl.DataFrame = FRAME, **options: Any) -> Attribute:
    of_column: dict[str, Any] = {name: {column: option} for name, option in options.items()}
    return declare(frame, quasi=[column], rest="drop", **of_column).quasi[0]


def refusal(
    expected: type[InputError] = SchemaError, frame: pl.DataFrame = FRAME, /, **options: Any
) -> InputError:
    with pytest.raises(expected) as caught:
        declare(frame, **{"quasi": ["age"], "rest": "drop", **options})
    assert caught.value.remedy or caught.value.what
    return caught.value


def test_a_full_declaration() -> None:
    schema = declare(
        FRAME,
        quasi=["age", "sex", "zip"],
        sensitive=["disease"],
        identifier=["name"],
        other=["birth"],
        rest="other",
        hierarchy={"zip": TREE},
        weight={"age": 2},
        suppress_only=["sex"],
        missing="drop",
    )
    age, sex, zip_code = schema.quasi
    assert (age.kind, age.reading, age.weight) == (Kind.NUMERIC, Reading.NUMBER, 2.0)
    assert (sex.kind, sex.reading, sex.weight) == (Kind.SUPPRESS_ONLY, Reading.TEXT, 1.0)
    assert (zip_code.kind, zip_code.hierarchy) == (Kind.HIERARCHICAL, TREE)
    assert schema.sensitive == ("disease",)
    assert schema.other == ("birth", "seen", "level", "ward")
    assert schema.identifiers == ("name",)
    assert schema.missing is MissingPolicy.DROP
    assert schema.weights == (0.5, 0.25, 0.25)


def test_rest_may_be_dropped() -> None:
    schema = declare(FRAME, quasi=["age"], sensitive=["disease"], rest="drop")
    assert schema == Schema(
        quasi=(Attribute("age", Kind.NUMERIC, Reading.NUMBER),), sensitive=("disease",)
    )


def test_a_single_name_is_one_column() -> None:
    assert declare(FRAME, quasi="age", rest="drop").quasi_names == ("age",)


@pytest.mark.parametrize(
    ("column", "kind", "reading"),
    [
        ("age", Kind.NUMERIC, Reading.NUMBER),
        ("sex", Kind.CATEGORICAL, Reading.TEXT),
        ("zip", Kind.CATEGORICAL, Reading.TEXT),
        ("birth", Kind.NUMERIC, Reading.DATE),
        ("seen", Kind.NUMERIC, Reading.DATETIME),
    ],
)
def test_kinds_by_inference(column: str, kind: Kind, reading: Reading) -> None:
    found = attribute(column)
    assert (found.kind, found.reading) == (kind, reading)


@pytest.mark.parametrize(
    ("column", "word", "kind", "reading"),
    [
        ("age", "categorical", Kind.CATEGORICAL, Reading.TEXT),
        ("age", "suppress-only", Kind.SUPPRESS_ONLY, Reading.TEXT),
        ("zip", "numeric", Kind.NUMERIC, Reading.NUMBER),
        ("birth", "numeric", Kind.NUMERIC, Reading.DATE),
        ("birth", "date", Kind.NUMERIC, Reading.DATE),
        ("birth", "datetime", Kind.NUMERIC, Reading.DATETIME),
        ("seen", "numeric", Kind.NUMERIC, Reading.DATETIME),
    ],
)
def test_kinds_by_word(column: str, word: str, kind: Kind, reading: Reading) -> None:
    found = attribute(column, kind=word)
    assert (found.kind, found.reading) == (kind, reading)


def test_order() -> None:
    words: list[dict[str, Any]] = [{}, {"kind": "ordered"}, {"kind": "numeric"}]
    for options in words:
        found = attribute("level", order=["low", "mid", "high"], **options)
        assert (found.kind, found.reading) == (Kind.NUMERIC, Reading.RANK)
        assert found.order == ("low", "mid", "high")


def test_order_of_the_frame() -> None:
    frame = FRAME.with_columns(pl.col("level").cast(pl.Enum(["low", "mid", "high"])))
    found = attribute("level", frame)
    assert (found.reading, found.order) == (Reading.RANK, ("low", "mid", "high"))
    assert attribute("level", frame, kind="categorical").kind is Kind.CATEGORICAL


def test_order_that_does_not_fit() -> None:
    assert "order is not known" in refusal(quasi=["level"], kind={"level": "ordered"}).what
    twice = refusal(quasi=["level"], order={"level": ["low", "low", "mid", "high"]})
    assert "twice" in twice.what
    lacking = refusal(ValueReadError, quasi=["level"], order={"level": ["low", "high"]})
    assert "data row 3" in lacking.what


def test_date_formats() -> None:
    frame = pl.DataFrame({"day": ["31.12.2019", "01.01.2020"], "x": ["1.2.2020 10:00", ""]})
    assert attribute("day", frame, date_format="%d.%m.%Y").reading is Reading.DATE
    assert attribute("x", frame, date_format="%d.%m.%Y %H:%M").reading is Reading.DATETIME
    wrong = refusal(
        ValueReadError, frame, quasi=["day"], kind={"day": "date"}, date_format={"day": "%m.%d.%Y"}
    )
    assert "'day' holds cells that are not a date: data row 1." in wrong.what
    contrary = refusal(
        SchemaError,
        frame,
        quasi=["day"],
        kind={"day": "categorical"},
        date_format={"day": "%d.%m.%Y"},
    )
    assert "not read as dates" in contrary.what


def test_dates_that_do_not_parse_are_named_by_row() -> None:
    frame = pl.DataFrame({"day": ["2020-01-01", "2020-02-30", None, "soon"]})
    error = refusal(ValueReadError, frame, quasi=["day"], kind={"day": "date"})
    assert "data rows 2, 4." in error.what
    assert "soon" not in str(error)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0:100", (0.0, 100.0)),
        ((0, 100), (0.0, 100.0)),
        ("-5.5 : 1e3", (-5.5, 1000.0)),
        ("30:41", (30.0, 41.0)),
    ],
)
def test_value_ranges_of_numbers(given: Any, expected: tuple[float, float]) -> None:
    assert attribute("age", value_range=given).value_range == expected


def test_value_ranges_of_dates() -> None:
    days = (-25_567.0, 20_453.0)
    assert attribute("birth", value_range="1900-01-01:2025-12-31").value_range == days
    pair = (datetime.date(1900, 1, 1), datetime.date(2025, 12, 31))
    assert attribute("birth", value_range=pair).value_range == days
    frame = pl.DataFrame({"day": ["31.12.2019"]})
    found = attribute("day", frame, value_range="1970-01-02:2025-12-31", date_format="%d.%m.%Y")
    assert found.value_range == (1.0, 20_453.0)
    assert found.date_format == "%d.%m.%Y"


def test_value_ranges_of_times() -> None:
    low = 18_262 * DAY
    for given in (
        "2020-01-01:2020-01-04",
        "2020-01-01 00:00:2020-01-04 00:00",
        "2020-01-01T00:00:00:2020-01-04T00:00:00",
    ):
        assert attribute("seen", value_range=given).value_range == (low, low + 3 * DAY)


def test_value_ranges_of_ranks() -> None:
    order = ["none", "low", "mid", "high", "top"]
    assert attribute("level", order=order, value_range="low:high").value_range == (1.0, 3.0)


@pytest.mark.parametrize("given", ["0", "a:b", "0:", "", "nan:5", (1, 2, 3), ("x", "y")])
def test_value_ranges_that_are_none(given: Any) -> None:
    error = refusal(value_range={"age": given})
    assert "`value_range={'age': '0:100'}`" in error.remedy


def test_value_ranges_that_do_not_fit() -> None:
    assert "narrower than its data; 1 of its 2 values" in refusal(value_range={"age": "35:60"}).what
    assert "not a finite interval" in refusal(value_range={"age": "60:35"}).what
    categorical = refusal(quasi=["sex"], value_range={"sex": "0:1"})
    assert "only numeric columns have a value range" in categorical.what


def test_hierarchy_files(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    path.write_text("01234,012,*\n01235,012,*\n99999,999,*\n", encoding="utf-8")
    for given in (path, str(path)):
        tree = attribute("zip", hierarchy=given).hierarchy
        assert tree is not None
        assert tree.height == 2


def test_hierarchies_that_do_not_fit(tmp_path: Path) -> None:
    small = Hierarchy.from_rows([["01234", "*"]])
    error = refusal(HierarchyError, quasi=["zip"], hierarchy={"zip": small})
    assert "lacks 2 of its values: '01235', '99999'" in error.what
    path = tmp_path / "absent.csv"
    refusal(InputError, quasi=["zip"], hierarchy={"zip": path})
    assert "no hierarchy" in refusal(quasi=["zip"], kind={"zip": "hierarchical"}).what
    contrary = refusal(quasi=["zip"], kind={"zip": "numeric"}, hierarchy={"zip": TREE})
    assert "numeric and hierarchical at once" in contrary.what
    twice = refusal(quasi=["zip"], suppress_only=["zip"], hierarchy={"zip": TREE})
    assert "at once" in twice.what


def test_missing_cells_need_no_place_in_a_hierarchy() -> None:
    frame = pl.DataFrame({"zip": ["01234", None, ""]})
    assert attribute("zip", frame, hierarchy=TREE).hierarchy is TREE


@pytest.mark.parametrize("role", ["quasi", "sensitive", "identifier", "other"])
def test_unknown_columns(role: str) -> None:
    options: dict[str, Any] = {role: ["aeg"]}
    error = refusal(**options)
    assert "no column 'aeg'" in error.what
    assert "'age'" in error.remedy


def test_unknown_columns_without_a_near_name_list_what_there_is() -> None:
    assert "'disease'" in refusal(quasi=["qqqqqq"]).remedy


def test_unknown_person() -> None:
    assert "no column 'nobody'" in refusal(person="nobody").what


@pytest.mark.parametrize("roles", [("quasi", "sensitive"), ("identifier", "other")])
def test_a_column_in_two_roles(roles: tuple[str, str]) -> None:
    options: dict[str, Any] = {"quasi": ["age"], roles[0]: ["sex"], roles[1]: ["sex"]}
    error = refusal(**options)
    assert f"'sex' is declared twice: {roles[0]} and {roles[1]}" in error.what


def test_a_column_twice_in_one_role() -> None:
    assert "'age' is declared twice" in refusal(quasi=["age", "age"]).what


def test_no_quasi_identifier() -> None:
    assert "no quasi-identifier" in refusal(quasi=[]).what


def test_undeclared_columns_are_listed_with_suggestions() -> None:
    error = refusal(quasi=["age"], sensitive=["disease"], rest=None)
    assert "7 columns have no role" in error.what
    assert "'sex' (quasi?)" in error.what
    assert "'name' (identifier?)" in error.what
    assert "rest='other'" in error.remedy
    assert "Ann" not in str(error)


def test_unknown_words() -> None:
    assert "'numeric'" in refusal(kind={"age": "numerical"}).remedy
    assert "`rest='keep'`" in refusal(rest="keep").what
    assert "missing='value'" in refusal(missing="ignore").remedy


@pytest.mark.parametrize(
    "options",
    [
        {"kind": {"sex": "categorical"}},
        {"weight": {"sex": 2}},
        {"value_range": {"sex": "0:1"}},
        {"order": {"sex": ["f", "m"]}},
        {"date_format": {"sex": "%Y"}},
        {"hierarchy": {"sex": TREE}},
        {"suppress_only": ["sex"]},
    ],
)
def test_options_of_columns_that_are_not_quasi(options: dict[str, Any]) -> None:
    assert "'sex', which is not a quasi-identifier" in refusal(**options).what


def test_options_of_unknown_columns() -> None:
    error = refusal(weight={"aeg": 2})
    assert "`weight` names 'aeg'" in error.what
    assert "'age'" in error.remedy


@pytest.mark.parametrize("weight", [0, -1, float("nan"), float("inf"), "heavy"])
def test_weights_that_are_none(weight: Any) -> None:
    assert "weight" in refusal(weight={"age": weight}).what


def test_mixed_columns_are_never_silently_categorical() -> None:
    values = [str(age) for age in range(20, 60)]
    values[16] = "Zebulon"
    values[30] = ""
    frame = pl.DataFrame({"age": values})
    error = refusal(ValueReadError, frame)
    assert "data row 17." in error.what
    assert "Zebulon" not in str(error)
    assert "`null_values`" in error.remedy
    assert attribute("age", frame, kind="categorical").kind is Kind.CATEGORICAL
    named = refusal(ValueReadError, frame, kind={"age": "numeric"})
    assert "data row 17." in named.what


def test_mixed_dates_are_named_by_row() -> None:
    values = [f"2020-01-{day:02d}" for day in range(1, 31)] + ["later", "later"]
    error = refusal(ValueReadError, pl.DataFrame({"day": values}), quasi=["day"])
    assert "data rows 31, 32." in error.what


@pytest.mark.parametrize(
    "values",
    [
        [1.0, float("nan"), 3.0],
        [1.0, float("inf"), 3.0],
        ["1", "NaN", "3"],
        ["1", "-inf", "3"],
        [1, 2**53, 3],
        ["1", "9007199254740993", "3"],
        ["1", "1e400", "3"],
    ],
)
def test_numbers_that_cannot_be_held(values: list[Any]) -> None:
    error = refusal(ValueReadError, pl.DataFrame({"age": values}))
    assert "data row 2." in error.what


def test_person_is_an_identifier() -> None:
    schema = declare(FRAME, quasi=["age"], rest="drop", person="name")
    assert schema.identifiers == ("name",)
    assert schema.person == "name"
    again = declare(FRAME, quasi=["age"], identifier=["name"], rest="drop", person="name")
    assert again.identifiers == ("name",)
    assert (
        "The column of persons is an identifier"
        in refusal(sensitive=["name"], person="name").remedy
    )


def test_types_that_cannot_be_generalized() -> None:
    frame = pl.DataFrame({"list": [[1], [2]], "age": [1, 2], "bytes": [b"a", b"b"]})
    for name in ("list", "bytes"):
        assert "cannot be generalized" in refusal(SchemaError, frame, quasi=[name]).what
    assert declare(frame, quasi=["age"], other=["list", "bytes"]).other == ("list", "bytes")


def test_numbers_are_no_dates() -> None:
    frame = pl.DataFrame({"day": [20200101]})
    assert (
        "numbers, not dates"
        in refusal(SchemaError, frame, quasi=["day"], kind={"day": "date"}).what
    )


def test_one_record_one_column_one_value() -> None:
    assert declare(pl.DataFrame({"a": ["x"]}), quasi=["a"]).quasi_names == ("a",)
    empty = pl.DataFrame({"a": [None, None]}, schema={"a": pl.String})
    assert declare(empty, quasi=["a"]).quasi[0].kind is Kind.CATEGORICAL
    assert attribute("a", empty, kind="numeric").reading is Reading.NUMBER


def test_the_frame_is_not_changed() -> None:
    before = FRAME.clone()
    declare(FRAME, quasi=["age", "birth"], rest="other", value_range={"age": "0:100"})
    assert FRAME.equals(before)
