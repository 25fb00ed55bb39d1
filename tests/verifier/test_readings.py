"""Typed columns, dates and times: the spellings a release can come in."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from shoal.errors import HierarchyError, ValueReadError
from shoal.hierarchies import Hierarchy
from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import verify

DAYS = [date(2024, 1, 31), date(2024, 2, 1), date(2024, 3, 5), date(2024, 3, 6)]
TIMES = [datetime(2024, 1, 1, 0, 0, s, 250_000 * s) for s in range(4)]
ISO = Attribute("when", Kind.NUMERIC, Reading.DATE)
GERMAN = Attribute("when", Kind.NUMERIC, Reading.DATE, date_format="%d.%m.%Y")
TIME = Attribute("when", Kind.NUMERIC, Reading.DATETIME)
NUMBER = Attribute("when", Kind.NUMERIC, Reading.NUMBER)
CATEGORY = Attribute("when", Kind.CATEGORICAL)


@pytest.mark.parametrize(
    ("attribute", "values", "good", "narrow"),
    [
        (ISO, DAYS, "[2024-01-31..2024-03-06]", "[2024-01-31..2024-03-05]"),
        (
            ISO,
            [day.isoformat() for day in DAYS],
            "[2024-01-31..2024-03-06]",
            "[2024-02-01..2024-03-06]",
        ),
        (
            GERMAN,
            [day.strftime("%d.%m.%Y") for day in DAYS],
            "[31.01.2024..06.03.2024]",
            "[01.02.2024..06.03.2024]",
        ),
        (GERMAN, DAYS, "[2024-01-31..2024-03-06]", "[2024-01-31..2024-03-05]"),
        (
            TIME,
            TIMES,
            "[2024-01-01 00:00:00..2024-01-01 00:00:03.750000]",
            "[2024-01-01 00:00:00..2024-01-01 00:00:03.740000]",
        ),
        (TIME, TIMES, "[2024-01-01..2024-01-02]", "[2024-01-02..2024-01-03]"),
        (NUMBER, [1, 2, 3, 4], "[1..4.0]", "[1..3.999]"),
        (NUMBER, [0.1, 0.2, 0.3, 0.30000000000000004], "[0.1..0.30000000000000004]", "[0.1..0.3]"),
        (NUMBER, ["1e1", "20", "+30", " 40"], "[10..40]", "[10..39]"),
        (CATEGORY, [1, 2, 3, 1], "{1|2|3}", "{1|2}"),
        (CATEGORY, [True, False, True, True], "{true|false}", "true"),
    ],
)
def test_spellings(attribute: Attribute, values: list[object], good: str, narrow: str) -> None:
    original = pl.DataFrame({"when": values})
    for cell, passes in ((good, True), (narrow, False)):
        released = pl.DataFrame({"when": [cell] * 4})
        for witness in (np.arange(4), None):
            verdict = verify(original, released, Schema((attribute,)), 2, witness=witness)
            assert bool(verdict) is passes, str(verdict)
            assert next(c for c in verdict.checks if c.name == "cells readable").passed


def test_typed_bounds_of_dates_and_short_floats() -> None:
    original = pl.DataFrame(
        {"when": DAYS, "size": pl.Series([0.1, 0.2, 0.3, 0.7], dtype=pl.Float32)}
    )
    size = Attribute("size", Kind.NUMERIC, Reading.NUMBER)
    released = pl.DataFrame(
        {
            "when_min": [DAYS[0]] * 4,
            "when_max": [DAYS[3]] * 4,
            "size_min": pl.Series([0.1] * 4, dtype=pl.Float32),
            "size_max": pl.Series([0.7] * 4, dtype=pl.Float32),
        }
    )
    assert verify(original, released, Schema((ISO, size)), 4)
    assert verify(original, released.cast(pl.String), Schema((ISO, size)), 4)
    late = released.with_columns(pl.lit(DAYS[1]).alias("when_min"))
    assert not verify(original, late, Schema((ISO, size)), 4)


def test_sets_as_json_without_a_numeric_attribute() -> None:
    original = pl.DataFrame({"when": ["a", "b", None, "a"]})
    released = pl.DataFrame({"when": ['["a", "b", null]'] * 4})
    verdict = verify(original, released, Schema((CATEGORY,)), 4)
    assert verdict
    assert "min_max notation" in str(verdict)
    # A release of nothing but missing cells says that all values are missing, not that any may be.
    assert not verify(
        original,
        pl.DataFrame({"when": pl.Series([None] * 4, dtype=pl.String)}),
        Schema((CATEGORY,)),
        4,
    )


def test_a_missing_leaf_that_the_tree_lists() -> None:
    tree = Hierarchy.from_rows([["a", "known", "*"], ["b", "known", "*"], ["", "unknown", "*"]])
    schema = Schema((Attribute("when", Kind.HIERARCHICAL, hierarchy=tree),))
    original = pl.DataFrame({"when": ["a", "b", None, None]})
    assert verify(original, pl.DataFrame({"when": ["known"] * 2 + ["unknown"] * 2}), schema, 2)
    assert verify(original, pl.DataFrame({"when": ["known"] * 2 + [""] * 2}), schema, 2)
    assert not verify(original, pl.DataFrame({"when": ["known"] * 4}), schema, 2)


def test_unchanged_values_across_types() -> None:
    original = pl.DataFrame(
        {
            "when": [1, 1, 1],
            "pay": [1.5, None, float("nan")],
            "day": [DAYS[0], DAYS[1], None],
            "time": [TIMES[0], TIMES[3], None],
            "tags": [["x"], [], None],
        }
    )
    schema = Schema((NUMBER,), sensitive=("pay",), other=("day", "time", "tags"))
    released = original.with_columns(pl.col("when").cast(pl.String))
    as_text = released.with_columns(
        pl.Series("pay", ["1.50", "", "NaN"]),
        pl.Series("day", ["2024-01-31", "2024-02-01", ""]),
        pl.Series("time", ["2024-01-01T00:00:00.000000", "2024-01-01T00:00:03.750000", ""]),
    )
    for witness in (np.arange(3), None):
        assert verify(original, released, schema, 3, witness=witness)
        assert verify(original, as_text, schema, 3, witness=witness)
        for column, cells in (
            ("pay", [1.5, 2.0, float("nan")]),
            ("pay", ["1.5", "", "1.5"]),
            ("time", ["2024-01-01T00:00:00.000001", "2024-01-01T00:00:03.750000", ""]),
            ("tags", [["x"], ["y"], None]),
        ):
            changed = released.with_columns(pl.Series(column, cells))
            assert not verify(original, changed, schema, 3, witness=witness)


def test_an_original_that_does_not_fit_the_schema_is_refused() -> None:
    released = pl.DataFrame({"when": ["*"] * 2})
    with pytest.raises(ValueReadError, match="row 2"):
        verify(pl.DataFrame({"when": ["1", "x"]}), released, Schema((NUMBER,)), 2)
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    schema = Schema((Attribute("when", Kind.HIERARCHICAL, hierarchy=tree),))
    with pytest.raises(HierarchyError, match="'c'"):
        verify(pl.DataFrame({"when": ["a", "c"]}), released, schema, 2)


def test_a_verdict_reads_well_and_is_plain_data() -> None:
    original = pl.DataFrame({"when": [1, 2, 3, 4]})
    released = pl.DataFrame({"when": ["[1..2]", "[1..2]", "[3..4]", "[3..4]"]})
    verdict = verify(original, released, Schema((NUMBER,)), 2)
    assert str(verdict).startswith("PASSED: 4 released records of 4 in 2 classes")
    plain = verdict.to_dict()
    assert plain["passed"] is True
    assert plain["checks"][0] == {"name": "columns present", "passed": True, "detail": "1 column"}
    assert (plain["n"], plain["classes"], plain["smallest_class"]) == (4, 2, 2)
    refused = verify(original, released, Schema((NUMBER,)), 3)
    assert str(refused).startswith("FAILED")
    assert "rows 1, 2, 3, 4" in str(refused)


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([["1"], ["1"]]),
        pl.Series([{"low": 1}, {"low": 1}]),
        pl.Series([b"1", b"1"]),
        pl.Series([[1], [1]]),
    ],
)
@pytest.mark.parametrize("attribute", [NUMBER, CATEGORY])
def test_columns_of_a_type_that_no_release_has(attribute: Attribute, cells: pl.Series) -> None:
    original = pl.DataFrame({"when": [1, 1], "pay": [1, 2]})
    schema = Schema((attribute,), sensitive=("pay",))
    released = pl.DataFrame({"when": cells, "pay": [1, 2]})
    readable = attribute is CATEGORY and cells.dtype == pl.List(pl.String)
    assert bool(verify(original, released, schema, 2)) is readable
    odd = pl.DataFrame({"when": ["*", "*"], "pay": cells})
    for witness in (np.arange(2), None):
        assert not verify(original, odd, schema, 2, witness=witness)


def test_columns_of_nothing_but_missing_cells() -> None:
    original = pl.DataFrame({"when": [None, None], "pay": [None, None]})
    schema = Schema((NUMBER,), sensitive=("pay",))
    for witness in (np.arange(2), None):
        assert verify(original, original, schema, 2, witness=witness)
        bounds = pl.DataFrame({"when_min": [None] * 2, "when_max": [None] * 2, "pay": ["", None]})
        assert verify(original, bounds, schema, 2, witness=witness)


def test_an_empty_text_and_a_missing_cell_of_a_release_can_be_told_apart() -> None:
    original = pl.DataFrame({"when": pl.Series([None] * 4, dtype=pl.String)})
    for cells, passes in ((["", "", None, None], True), (["", None, None, None], False)):
        released = pl.DataFrame({"when": pl.Series(cells, dtype=pl.String)})
        assert verify(original, released, Schema((CATEGORY,)), 2).passed is passes
        assert (
            verify(original, released, Schema((CATEGORY,)), 2, witness=np.arange(4)).passed
            is passes
        )
