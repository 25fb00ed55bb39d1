"""Statistics of classes: computed over the class alone, verified as such, refused elsewhere."""

from __future__ import annotations

import datetime
import statistics
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError
from tests.tables import MIXED, mixed_table

QUASI = ["age", "pay", "sex"]


def people(n: int, seed: int) -> pl.DataFrame:
    """Return people with whole ages, pay with two digits and sexes, some of them missing."""
    rng = np.random.default_rng(seed)
    sexes = rng.choice(["F", "M", "X"], n).tolist()
    return pl.DataFrame(
        {
            "age": rng.integers(18, 60, n).tolist(),
            "pay": [round(float(pay), 2) for pay in rng.lognormal(9, 1, n)],
            "sex": [None if place % 9 == 0 else sex for place, sex in enumerate(sexes)],
        }
    )


def obvious(values: list[Any], how: str) -> Any:
    """Return a statistic by the book."""
    if how == "mean":
        return statistics.fmean(values)
    if how == "median":
        return statistics.median(values)
    if how == "midpoint":
        return (min(values) + max(values)) / 2
    counts = {value: values.count(value) for value in values}
    most = max(counts.values())
    # The lowest of equals; a missing value comes last.
    return min((v for v in counts if counts[v] == most), key=lambda v: (v is None, v))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.integers(6, 40),
    st.integers(0, 10**6),
    st.sampled_from(["mean", "median", "mode", "midpoint"]),
)
def test_cells_are_the_statistic_of_their_class(n: int, seed: int, how: Any) -> None:
    frame = people(n, seed)
    asked: dict[str, Any] = {"age": how, "pay": how, "sex": "mode"}
    release = shoal.anonymize(
        frame, k=3, quasi=QUASI, aggregate=asked, algorithm="k-member", seed=seed
    )
    shown = release.frame.select(QUASI).rows()
    originals = frame[release.custody.rows.tolist()]
    for cells in set(shown):
        members = originals.filter(pl.Series([row == cells for row in shown]))
        assert members.height >= 3
        for name, cell in zip(QUASI, cells, strict=True):
            expected = obvious(members[name].to_list(), asked[name])
            # Two digits more than the column.
            close = {"age": 0.005, "pay": 0.00005}.get(name)
            assert cell == (expected if close is None else pytest.approx(expected, abs=close))


def test_the_row_map_proves_it_and_files_alone_do_not() -> None:
    frame = people(30, 1)
    words: dict[str, Any] = {"k": 3, "quasi": QUASI, "aggregate": {"age": "mean"}}
    release = shoal.anonymize(frame, **words)
    assert any(check.name == "statistics of classes" for check in release.verdict.checks)
    by_map = shoal.verify(frame, release.frame, rows=release.custody.rows, **words)
    assert by_map.passed
    alone = shoal.verify(frame, release.frame, **words)
    (check,) = (check for check in alone.checks if not check.passed)
    assert check.name == "statistics of classes"
    assert "give the custody file" in check.detail
    # Read as exact ages, means cover nobody.
    assert not shoal.verify(frame, release.frame, k=3, quasi=QUASI).passed


@pytest.mark.parametrize("how", ["mean", "median", "mode", "midpoint"])
def test_a_wrong_statistic_fails(how: Any) -> None:
    frame = people(30, 2)
    words: dict[str, Any] = {"k": 3, "quasi": QUASI, "aggregate": {"age": how, "sex": "mode"}}
    release = shoal.anonymize(frame, **words)
    rows = release.custody.rows
    for changed in (
        pl.col("age") + 0.02,
        pl.when(pl.col("sex") == "F").then(pl.lit("M")).otherwise("sex").alias("sex"),
        # The mean of the whole table, in every class.
        pl.col("age").mean().alias("age"),
    ):
        wrong = release.frame.with_columns(pl.col("age").cast(pl.Float64)).with_columns(changed)
        if not wrong.equals(release.frame.with_columns(pl.col("age").cast(pl.Float64))):
            verdict = shoal.verify(frame, wrong, rows=rows, **words)
            (check,) = (one for one in verdict.checks if one.name == "statistics of classes")
            assert not check.passed


@pytest.mark.parametrize(
    ("how", "cells"),
    [
        ({"age": "mean"}, {"age": ["21", "21", "old", "old"]}),
        ({"sex": "mode"}, {"sex": ["F", "F", "Q", "Q"]}),
    ],
)
def test_a_cell_that_is_no_statistic_of_the_column_fails(
    how: dict[str, Any], cells: dict[str, list[str | None]]
) -> None:
    frame = pl.DataFrame({"age": [20, 22, 40, 42], "sex": ["F", "F", "M", "M"]})
    right = pl.DataFrame({"age": ["21", "21", "41", "41"], "sex": ["F", "F", "M", "M"]})
    words: dict[str, Any] = {"k": 2, "quasi": list(how), "aggregate": how, "rows": np.arange(4)}
    frame, right = frame.select(*how), right.select(*how)
    assert shoal.verify(frame, right, **words).passed
    verdict = shoal.verify(
        frame, right.with_columns(**{n: pl.Series(c) for n, c in cells.items()}), **words
    )
    assert not verdict.passed


def test_a_class_below_k_fails_with_right_statistics() -> None:
    frame = pl.DataFrame({"age": [20, 22, 40, 42]})
    released = pl.DataFrame({"age": [21, 21, 41, 41]})
    words: dict[str, Any] = {"quasi": ["age"], "aggregate": {"age": "mean"}}
    rows = np.arange(4)
    assert shoal.verify(frame, released, k=2, rows=rows, **words).passed
    assert not shoal.verify(frame, released, k=3, rows=rows, **words).passed


def test_missing_and_suppressed_records() -> None:
    frame = mixed_table(60, 3, missing=0.15)
    asked: dict[str, Any] = {"age": "median", "born": "mean", "code": "mode", "place": "mode"}
    words = {"k": 3, "suppression": 0.3, "aggregate": asked, **MIXED}
    release = shoal.anonymize(frame, seed=1, **words)
    assert release.frame["born"].dtype == pl.Date
    assert shoal.verify(frame, release.frame, rows=release.custody.rows, **words).passed


def test_dates_and_orders() -> None:
    day = datetime.date
    frame = pl.DataFrame(
        {
            "born": [day(2000, 1, 1), day(2000, 1, 2), day(2000, 1, 4)],
            "grade": ["low", "high", "high"],
        }
    )
    release = shoal.anonymize(
        frame,
        k=3,
        quasi=["born", "grade"],
        order={"grade": ["low", "high"]},
        aggregate={"born": "mean", "grade": "median"},
    )
    # 1, 2 and 4 January: two days and a third after the first, shown as whole days.
    assert release.frame["born"].to_list() == [day(2000, 1, 2)] * 3
    assert release.frame["grade"].to_list() == ["high"] * 3


SPRING = datetime.datetime(2024, 3, 30, 20, tzinfo=datetime.UTC)
MOMENTS = pl.DataFrame(
    {"seen": [SPRING + datetime.timedelta(hours=hour) for hour in (0, 1, 2, 9, 10, 14)]}
).select(pl.col("seen").dt.convert_time_zone("Europe/Berlin"))
# Of the first three and of the last three moments.
MEANS = {SPRING + datetime.timedelta(hours=1), SPRING + datetime.timedelta(hours=11)}


@pytest.mark.parametrize(
    ("frame", "zone"),
    [
        (MOMENTS, "Europe/Berlin"),
        (pd.DataFrame({"seen": pd.to_datetime(MOMENTS["seen"].to_list())}), "Europe/Berlin"),
        (MOMENTS.to_arrow(), "Europe/Berlin"),
        # Texts tell offsets, but no zone.
        (MOMENTS.select(pl.col("seen").dt.to_string("%Y-%m-%dT%H:%M:%S%:z")), "UTC"),
    ],
    ids=["polars", "pandas", "pyarrow", "texts"],
)
def test_moments_keep_their_time_zone(frame: Any, zone: str) -> None:
    words: dict[str, Any] = {"k": 3, "quasi": ["seen"], "aggregate": {"seen": "mean"}}
    release = shoal.anonymize(frame, algorithm="mondrian", **words)
    shown = pl.from_dataframe(release.frame)["seen"]
    assert isinstance(shown.dtype, pl.Datetime)
    assert shown.dtype.time_zone == zone
    assert set(shown.to_list()) == MEANS
    assert shoal.verify(frame, release.frame, rows=release.custody.rows, **words).passed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"aggregate": {"sex": "mean"}}, "no mean"),
        ({"aggregate": {"name": "mode"}}, "not a quasi-identifier"),
        ({"aggregate": {"age": "mean"}, "round_to": {"age": 5}}, "cannot be rounded"),
        ({"aggregate": {"age": "mean"}, "form": "freeform"}, "no classes"),
        ({"notation": "midpoint", "form": "freeform"}, "no classes"),
        ({"aggregate": {"age": "average"}}, "'mean', 'median'"),
    ],
)
def test_what_has_no_statistic_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        shoal.anonymize(people(12, 1), k=3, quasi=QUASI, **words)


def test_losses_of_statistics_are_those_of_the_intervals_behind_them() -> None:
    frame = people(20, 1)
    asked: dict[str, Any] = {"k": 3, "quasi": QUASI}
    release = shoal.anonymize(frame, **asked, seed=1, notation="midpoint")
    shown = shoal.anonymize(frame, **asked, seed=1)
    assert shoal.measure(frame, release) == shoal.measure(frame, shown.frame, **asked)
    with pytest.raises(ParameterError, match="cannot be recovered"):
        shoal.measure(frame, release.frame, **asked, notation="midpoint")
    assert any(
        "Left out: losses of columns that show a statistic" in note for note in release.facts.notes
    )


def test_a_column_of_that_name_is_named() -> None:
    frame = pl.DataFrame({"age": [None, None, 20, 21], "age_missing": list("abab")})
    with pytest.raises(shoal.errors.SchemaError, match="'age_missing'"):
        shoal.anonymize(frame, k=2, quasi=["age"], other=["age_missing"], notation="midpoint")
