"""Codes, closures and cells: what is encoded and written means what it meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.encoding import encode
from shoal.encoding.closures import Sets, Spans, distinct_sets_of_units
from shoal.errors import HierarchyError, ValueReadError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.reference.loss import release_loss
from tests.tables import MIXED, mixed_table


def encoded(frame: pl.DataFrame, hierarchy: Any = None, **words: Any) -> Any:
    job = Job.from_dict({"k": 2, **words})
    return encode(Table.of(frame, schema_of(frame, job, hierarchy)))


def test_numbers_are_coded_in_ascending_order() -> None:
    table = encoded(pl.DataFrame({"a": [30, -1, 7, 30]}), quasi=["a"])
    assert table.codes[0].tolist() == [2, 0, 1, 2]
    assert table.domains[0].texts == ["-1", "7", "30"]
    assert table.codes[0].dtype == np.uint8


def test_one_spelling_for_one_number() -> None:
    frame = pl.DataFrame({"a": ["1.50", "1.5", "2", "2.0", "1.5"]})
    table = encoded(frame, quasi=["a"])
    assert table.domains[0].texts == ["1.5", "2"]
    assert table.codes[0].tolist() == [0, 0, 1, 1, 0]


def test_dates_are_coded_by_day() -> None:
    frame = pl.DataFrame({"a": ["2000-03-01", "2000-02-28", "2000-02-29"]})
    domain = encoded(frame, quasi=["a"]).domains[0]
    assert domain.texts == ["2000-02-28", "2000-02-29", "2000-03-01"]
    assert domain.loss(Spans(np.array([0], np.int32), np.array([1], np.int32))) == [0.5]


def test_ordered_categories_are_coded_by_rank() -> None:
    frame = pl.DataFrame({"a": ["high", "low", "mid"]})
    table = encoded(frame, quasi=["a"], order={"a": ["low", "mid", "high"]})
    assert table.domains[0].texts == ["low", "mid", "high"]


def test_bounds_widen_the_range() -> None:
    domain = encoded(
        pl.DataFrame({"a": [10, 20]}), quasi=["a"], value_range={"a": "0:100"}
    ).domains[0]
    both = Spans(np.array([0], np.int32), np.array([1], np.int32))
    assert domain.loss(both) == pytest.approx([0.1])


def test_large_domains_get_wide_codes() -> None:
    many = encoded(pl.DataFrame({"a": [f"v{i}" for i in range(300)]}), quasi=["a"])
    assert many.codes[0].dtype == np.uint16
    more = encoded(pl.DataFrame({"a": range(70_000)}), quasi=["a"])
    assert more.codes[0].dtype == np.uint32


def test_hierarchy_that_lacks_values_names_them() -> None:
    frame = pl.DataFrame({"place": ["aa", "zz"]})
    with pytest.raises(HierarchyError, match="'zz'"):
        encoded(frame, MIXED["hierarchy"], quasi=["place"])


def test_mixed_cells_of_a_number_column_are_named_by_row() -> None:
    with pytest.raises(ValueReadError, match="data row 3"):
        encoded(pl.DataFrame({"a": ["1", "2", "x"]}), quasi=["a"], kind={"a": "numeric"})


@given(
    st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=8), min_size=1, max_size=20),
    st.sampled_from([64, 100]),
)
def test_sets_of_units_are_the_sets(units: list[list[int]], size: int) -> None:
    units = [[code % size for code in unit] for unit in units]
    codes = np.array([code for unit in units for code in unit], dtype=np.uint8)
    starts = np.cumsum([0] + [len(unit) for unit in units[:-1]]).astype(np.int64)
    sets, index = distinct_sets_of_units(codes, starts, size)
    assert isinstance(sets, Sets)
    got = [sets.members[sets.offsets[place] : sets.offsets[place + 1]].tolist() for place in index]
    assert got == [sorted(set(unit)) for unit in units]
    assert len(sets) == len({tuple(sorted(set(unit))) for unit in units})


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 60), st.integers(0, 10**6), st.sampled_from([0.0, 0.3]), st.integers(2, 6))
def test_facts_and_measure_agree_with_the_obvious_loss(
    n: int, seed: int, missing: float, k: int
) -> None:
    frame = mixed_table(n, seed, missing=missing)
    made = shoal.anonymize(frame, k=k, algorithm="sorted", seed=seed, **MIXED)
    job = Job.from_dict({"k": k, **{key: MIXED[key] for key in MIXED if key != "hierarchy"}})
    schema = schema_of(frame, job, MIXED["hierarchy"])
    groups: dict[tuple[Any, ...], list[int]] = {}
    cells = made.frame.select(MIXED["quasi"]).rows()
    for row, cell in zip(made.custody.rows.tolist(), cells, strict=True):
        groups.setdefault(cell, []).append(row)
    # Classes that look the same are one class, whose closure is that of either.
    loss = release_loss(frame, schema, list(groups.values()))
    assert made.figures.measures["gcp"] == pytest.approx(loss)
    again = shoal.measure(frame, made.frame, k=k, **MIXED)
    assert again["measures"] == pytest.approx(made.figures.measures)
    assert again["per_attribute"] == pytest.approx(made.figures.per_attribute)


def test_bounds_notation_says_the_same() -> None:
    frame = mixed_table(80, 3, missing=0.1)
    text = shoal.anonymize(frame, k=4, seed=5, **MIXED)
    bounds = shoal.anonymize(frame, k=4, seed=5, notation="min_max", **MIXED)
    assert bounds.frame.columns == [
        "age_min", "age_max", "age_missing", "job", "place", "code", "born_min", "born_max",
        "born_missing",
        "disease", "note",
    ]  # fmt: skip
    assert bounds.frame["age_min"].dtype == pl.Int64
    assert shoal.verify(frame, bounds.frame, k=4, **MIXED).passed
    for row, cell in zip(bounds.frame.rows(named=True), text.frame["age"], strict=True):
        expected = (
            (None, None)
            if cell in (None, "*")
            else tuple(int(end) for end in cell.strip("[]").split(".."))
        )
        low, high = (expected * 2)[:2]
        assert (row["age_min"], row["age_max"]) == (low, high)
        assert row["age_missing"] is (cell is None)
