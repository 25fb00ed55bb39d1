"""Hierarchies made from real columns: every type of cell, missing cells, and what is refused."""

from __future__ import annotations

import datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError, InputError, ParameterError, SchemaError, ValueReadError
from shoal.hierarchies import Hierarchy, Recipe
from shoal.table import Kind, Reading, declare
from shoal.table.hierarchy_building import ColumnHints, make_hierarchy
from shoal.table.leaf_values import counts_of, match_spelling, values_of


def made(cells: Any, recipe: str, hints: ColumnHints | None = None) -> dict[str, tuple[str, ...]]:
    series = cells if isinstance(cells, pl.Series) else pl.Series("x", cells)
    tree = make_hierarchy(series, Recipe.parse(recipe), hints=hints)
    tree.require(values_of(series), "x")
    return {row[0]: row[1:] for row in tree.rows()}


def test_numbers_as_texts_and_as_numbers() -> None:
    expected = {"-5": ("[-5..-1]", "*"), "4": ("[0..4]", "*"), "21": ("[20..24]", "*")}
    assert made(["-5", "4", "21", "4", None, ""], "ranges:5") == expected
    assert made([-5, 4, 21, None], "ranges:5") == expected


def test_floats_have_half_open_ranges() -> None:
    assert made([0.3, -0.05, 2.0, None], "ranges:0.1,1") == {
        "0.3": ("[0.3..0.4)", "[0..1)", "*"),
        "-0.05": ("[-0.1..0)", "[-1..0)", "*"),
        "2.0": ("[2..2.1)", "[2..3)", "*"),
    }
    assert made([1.0, 7.0, None], "ranges:5") == {
        "1.0": ("[0..4]", "*"),
        "7.0": ("[5..9]", "*"),
    }
    assert made([1, 7], "ranges:2.5")["7"] == ("[5..7.5)", "*")


def test_short_floats_lie_where_their_text_says() -> None:
    rows = made(pl.Series("x", [0.7, 0.1, 1.2], dtype=pl.Float32), "ranges:0.1")
    assert rows["0.7"] == ("[0.7..0.8)", "*")
    rows = made(["1e2", "+7.", " .5 ", "-0"], "ranges:5")
    assert (rows["1e2"][0], rows["+7."][0]) == ("[100..105)", "[5..10)")
    assert rows[" .5 "] == rows["-0"] == ("[0..5)", "*")


def test_two_spellings_of_a_number_share_their_groups() -> None:
    rows = made(["5", "5.0", " 5", "12"], "ranges:5")
    assert rows["5"] == rows["5.0"] == rows[" 5"] == ("[5..9]", "*")


def test_both_zeros_are_one_value() -> None:
    cells = pl.Series("x", [0.0, -0.0] * 40)
    assert set(made(cells, "ranges:1")) == {"0.0"}


@settings(max_examples=30)
@given(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9, width=32)), min_size=1))
@pytest.mark.parametrize("recipe", ["ranges:0.5,10", "cuts:-1,0,1.5/0", "quantiles:4,2", "auto"])
@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32])
def test_any_floats(recipe: str, dtype: Any, cells: list[float | None]) -> None:
    series = pl.Series("x", cells, dtype=dtype)
    if series.null_count() == len(series):
        with pytest.raises(HierarchyError, match="no value"):
            made(series, recipe)
        return
    made(series, recipe)


@settings(max_examples=40)
@given(st.lists(st.one_of(st.none(), st.text(max_size=4)), min_size=1))
def test_any_texts(cells: list[str | None]) -> None:
    if "*" in cells:
        return
    for recipe in ("stars", "auto:counts"):
        series = pl.Series("x", cells, dtype=pl.String)
        if any(cells):
            assert set(made(series, recipe, ColumnHints(Reading.TEXT))) == {
                cell for cell in cells if cell
            }
        else:
            with pytest.raises(HierarchyError, match="no value"):
                made(series, recipe, ColumnHints(Reading.TEXT))


def test_dates_of_every_kind() -> None:
    expected = ("2020-02", "2020-Q1", "2020", "2020s", "*")
    spread = ["2020-02-29", "2020-02-28", "2020-03-01", "2020-06-01", "2021-01-01", "1999-12-31"]
    assert made([*spread, None], "dates")["2020-02-29"] == expected
    typed = [datetime.date.fromisoformat(date) for date in spread]
    assert made(typed, "dates")["2020-02-29"] == expected
    midnights = [datetime.datetime.combine(date, datetime.time()) for date in typed]
    assert made(midnights, "dates")["2020-02-29"] == expected
    german = ["29.02.2020", "28.02.2020", "01.03.2020", "01.06.2020", "01.01.2021", "31.12.1999"]
    told = ColumnHints(date_format="%d.%m.%Y")
    assert made(german, "dates", told)["29.02.2020"] == expected
    assert made(spread, "auto")["2020-02-29"] == expected
    assert made(spread, "dates:year")["2020-02-29"] == ("2020", "*")


def test_times_have_days() -> None:
    rows = made(["2020-02-29 10:00", "2020-02-29 23:59:59", "2020-03-01 00:00:00"], "dates")
    assert rows["2020-02-29 10:00"][0] == rows["2020-02-29 23:59:59"][0] == "2020-02-29"
    assert rows["2020-03-01 00:00:00"][0] != "2020-02-29"
    before = made(["1969-12-31 23:00:00", "1970-01-01 01:00:00", "1970-01-01 02:00:00"], "dates")
    assert before["1969-12-31 23:00:00"][0] == "1969-12-31"


def test_times_of_a_zone_are_grouped_as_they_are_shown() -> None:
    utc = [datetime.datetime(2020, 12, 31, 23, 30), datetime.datetime(2020, 6, 1, 12)]
    zoned = pl.Series("x", utc).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Vienna")
    rows = made(zoned, "dates:year")
    (new_year,) = (row for leaf, row in rows.items() if leaf.startswith("2021-01-01"))
    assert new_year[0] == "2021"


def test_dates_by_ranges_and_cuts() -> None:
    cells = ["2020-02-29", "2020-03-01", "2020-03-02"]
    assert made(cells, "ranges:7")["2020-02-29"] == ("[2020-02-24..2020-03-01]", "*")
    assert made(cells, "cuts:2020-03-01")["2020-02-29"] == ("<2020-03-01", "*")


def test_ordered_categories() -> None:
    order = ("none", "low", "mid", "high", "top")
    told = ColumnHints(order=order)
    rows = made(["low", "top", "none", None], "auto", told)
    assert set(rows) == set(order)  # the whole order is known beforehand
    groups = {row[-2] for row in rows.values()}
    assert all(name.startswith("[") or name in order for name in groups)
    enum = pl.Series("x", ["low", "top"], dtype=pl.Enum(order))
    assert set(made(enum, "ranges:2")) == set(order)
    assert made(enum, "ranges:2")["low"] == ("[none..low]", "*")
    with pytest.raises(ValueReadError, match="row 2"):
        made(["low", "never"], "auto", told)


def test_automatic_choices() -> None:
    codes = made(["01234", "01235", "99999", "99998"], "auto")
    assert codes["01234"][0] == "0123*"
    numbers = made([1, 2, 3, 4, 5, 60], "auto")
    assert {row[-2] for row in numbers.values()} == {"<4", ">=4"}
    words = made(["ant", "bee", "cat", "dog"], "auto")
    assert {row[0] for row in words.values()} == {"[ant..bee]", "[cat..dog]"}
    assert made([True, False], "auto") == {"true": ("*",), "false": ("*",)}


@pytest.mark.parametrize(
    ("cells", "recipe", "error", "message"),
    [
        (["a", "b", "c"], "ranges:5", ValueReadError, "not a number"),
        (["a", "b"], "dates", ValueReadError, "not a date"),
        ([1, 2], "dates", ParameterError, "numbers, not dates"),
        ([1, 2], "ranges:5,7", ParameterError, "Column 'x', hierarchy ranges:5,7"),
        ([1, 2], "ranges:five", ParameterError, "'five' is not a number"),
        ([1, 2], "cuts:1/2", ParameterError, "cut point 2"),
        ([1, 2], "quantiles:2.5", ParameterError, "whole number"),
        (["*", "a"], "stars", HierarchyError, "stands for everything"),
        ([1.5, float("nan")], "ranges:1", ValueReadError, "NaN"),
        (["b", "a", "c"], "auto:cooccurrence", ParameterError, "no other column"),
        (["2020-01-01", "2020-01-02"], "cuts:1.1.2020", ParameterError, "not a date"),
        (["2020-01-01", "2020-01-02"], "cuts:now", ParameterError, "not a date"),
    ],
)
def test_what_is_refused(cells: Any, recipe: str, error: type[InputError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        made(cells, recipe)
    assert caught.value.remedy


FILE = Hierarchy.from_rows([["35", "thirties", "*"], ["36", "thirties", "*"], ["40", "40", "*"]])


def test_leaves_are_spelled_as_the_column_spells_its_numbers() -> None:
    floats = pl.Series("age", [35.0, 36.0, None])
    matched = match_spelling(FILE, floats)
    assert {row[0]: row[1:] for row in matched.rows()} == {
        "35.0": ("thirties", "*"),
        "36.0": ("thirties", "*"),
        "40": ("40", "*"),
    }
    assert match_spelling(FILE, pl.Series("age", ["35.0"])) is FILE
    assert match_spelling(FILE, pl.Series("age", [35, 36])) is FILE
    schema = declare(floats.to_frame(), quasi=["age"], hierarchy={"age": FILE})
    assert schema.quasi[0].hierarchy is not None
    with pytest.raises(HierarchyError, match=r"lacks 1 of its values: '37\.0'"):
        declare(pl.DataFrame({"age": [35.0, 37.0]}), quasi=["age"], hierarchy={"age": FILE})


def test_records_are_counted_by_text() -> None:
    assert counts_of(pl.Series(["a", "b", "a", None, ""])) == {"a": 2, "b": 1}


FRAME = pl.DataFrame(
    {
        "born": ["01.02.2020", "03.04.1999", None],
        "size": ["small", "large", "mid"],
        "job": ["nurse", "cook", "clerk"],
        "disease": ["flu", "flu", "cold"],
    }
)


def test_recipes_in_a_declaration() -> None:
    schema = declare(
        FRAME,
        quasi=["born", "size", "job"],
        sensitive=["disease"],
        hierarchy={"born": "dates", "size": "ranges:2", "job": Recipe.parse("auto")},
        date_format={"born": "%d.%m.%Y"},
        order={"size": ["small", "mid", "large"]},
    )
    assert {attribute.kind for attribute in schema.quasi} == {Kind.HIERARCHICAL}
    trees = [attribute.hierarchy for attribute in schema.quasi]
    assert all(tree is not None for tree in trees)
    assert set(trees[1].node_names) >= {"[small..mid]", "large"}  # type: ignore[union-attr]


def test_the_kind_tells_how_values_are_read() -> None:
    frame = pl.DataFrame({"code": ["250", "251", "V27", "252", "253", "254", "255", "256"]})
    with pytest.raises(ValueReadError, match="row 3"):
        declare(frame, quasi=["code"], hierarchy={"code": "auto"})
    (attribute,) = declare(
        frame, quasi=["code"], hierarchy={"code": "auto"}, kind={"code": "categorical"}
    ).quasi
    assert attribute.hierarchy is not None
    assert "25*" in attribute.hierarchy.node_names


def test_sensitive_columns_neither_get_nor_shape_hierarchies() -> None:
    with pytest.raises(HierarchyError, match="sensitive column 'disease'"):
        declare(
            FRAME,
            quasi=["job"],
            sensitive=["disease"],
            rest="drop",
            hierarchy={"disease": "auto"},
        )
    # Jobs 0 and 1 share their disease, 0 and 2 their age: only the age may count.
    jobs = pl.DataFrame(
        {
            "job": ["j0", "j1", "j2", "j3"] * 5,
            "age": ["young", "old", "young", "old"] * 5,
            "disease": ["flu", "flu", "cold", "cold"] * 5,
        }
    )
    schema = declare(jobs, quasi=["job", "age"], sensitive=["disease"], hierarchy={"job": "auto"})
    tree = schema.quasi[0].hierarchy
    assert tree is not None
    assert set(tree.node_names) >= {"{j0|j2}", "{j1|j3}"}


@pytest.mark.parametrize(
    "options",
    [
        {"suppress_only": ["job"]},
        {"kind": {"job": "suppress-only"}},
        {"kind": {"job": "strange"}},
        {"value_range": {"job": "0:1"}},
    ],
)
def test_options_that_do_not_go_with_a_recipe(options: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        declare(FRAME, quasi=["job"], rest="drop", hierarchy={"job": "auto"}, **options)


@pytest.mark.parametrize("cell", ["1e-999999999", "1e999999999", "0." + "0" * 5000 + "1"])
def test_a_number_that_takes_for_ever_to_read_is_refused(cell: str) -> None:
    with pytest.raises(ValueReadError, match="not a number"):
        made([cell, "2"], "ranges:5", ColumnHints(Reading.NUMBER))
    with pytest.raises(ParameterError, match="not a number"):
        made(["1", "2"], f"ranges:{cell}")
    assert made(["1e-200", "2"], "ranges:5")["1e-200"] == ("[0..5)", "*")
