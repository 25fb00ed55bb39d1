"""Measures as objectives, and models as conditions of cuts, beyond the contract."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from tests.tables import MIXED, mixed_table

ADULT = find_data("adult30k")


@pytest.mark.parametrize("name", ["greedy", "k-member", "mondrian"])
@pytest.mark.parametrize("measure", ["mi", "pmi", "wmi", "wmi:0.25"])
def test_no_worse_than_sorted_runs(name: str, measure: str) -> None:
    frame = mixed_table(300, 19, missing=0.05)
    words: dict[str, Any] = {**MIXED, "k": 5}
    made = shoal.anonymize(frame, algorithm=name, measure=measure, seed=7, **words)
    runs = shoal.anonymize(frame, algorithm="sorted", seed=7, **words).frame
    figure = shoal.measure(frame, runs, measure=measure, **words)["measures"][measure]
    assert made.figures.measures[measure] <= figure


@pytest.mark.shared_data
@pytest.mark.skipif(ADULT is None, reason="the table Adult is not here")
@pytest.mark.parametrize("name", ["greedy", "k-member", "mondrian"])
@pytest.mark.parametrize("measure", ["mi", "pmi", "wmi"])
def test_lower_where_it_is_asked_for_on_adult(name: str, measure: str) -> None:
    assert ADULT is not None
    frame = pl.read_csv(ADULT).sample(2000, seed=1)
    words: dict[str, Any] = {
        "k": 5,
        "quasi": [column for column in frame.columns if column != "salary-class"],
        "sensitive": ["salary-class"],
    }
    asked = shoal.anonymize(frame, algorithm=name, measure=measure, seed=7, **words)
    plain = shoal.anonymize(frame, algorithm=name, seed=7, **words).frame
    figure = shoal.measure(frame, plain, measure=measure, **words)["measures"][measure]
    assert asked.figures.measures[measure] < figure


@pytest.mark.shared_data
@pytest.mark.skipif(ADULT is None, reason="the table Adult is not here")
@pytest.mark.parametrize(
    ("model", "repaired"),
    [("distinct-l-diversity:2", 0.0606), ("frequency-l-diversity:1.3", 0.146)],
)
def test_mondrian_with_models_loses_less_than_by_repair_alone(model: str, repaired: float) -> None:
    assert ADULT is not None
    frame = pl.read_csv(ADULT)
    made = shoal.anonymize(
        frame,
        k=5,
        algorithm="mondrian",
        quasi=[column for column in frame.columns if column != "salary-class"],
        sensitive=["salary-class"],
        models=model,
        seed=7,
    )
    assert made.figures.measures["gcp"] < repaired


@pytest.mark.parametrize("cuts", ["strict", "relaxed"])
def test_mondrian_that_keeps_models_needs_no_repair(cuts: str) -> None:
    frame = mixed_table(300, 21)
    made = shoal.anonymize(
        frame,
        k=4,
        algorithm="mondrian",
        param={"models": "keep", "cuts": cuts},
        models="frequency-l-diversity:1.6",
        seed=7,
        **MIXED,
    )
    assert made.verdict.passed
    assert made.facts["classes"] > 5
    assert not any("merged" in note for note in made.custody.notes)
