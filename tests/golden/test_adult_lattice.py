"""Full-domain optima of adult30k: figures of an independent brute force over all 12,960 nodes."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.encoding import EncodedTable, encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

ADULT = find_data("adult30k")
pytestmark = [
    pytest.mark.shared_data,
    pytest.mark.skipif(ADULT is None, reason="the table adult30k is not here"),
]
NO_LIMIT = 0.99999


@cache
def adult() -> EncodedTable:
    assert ADULT is not None
    frame = pl.read_csv(ADULT, infer_schema=False)
    trees = {name: str(ADULT.parent / "hierarchies" / f"{name}.csv") for name in frame.columns}
    job = Job.from_dict({"k": 5, "quasi": frame.columns, "hierarchy": trees})
    return encode(Table.of(frame, schema_of(frame, job)))


@pytest.mark.parametrize(
    ("k", "suppression", "figure"),
    [
        (5, 0.0, 0.6355),
        (5, 0.02, 0.3575),
        (5, NO_LIMIT, 0.2277),
        (10, 0.02, 0.3857),
        (10, NO_LIMIT, 0.2677),
        (50, 0.02, 0.5327),
        (50, NO_LIMIT, 0.3802),
    ],
)
def test_least_gcp(k: int, suppression: float, figure: float) -> None:
    problem = Problem.of(adult(), k, suppression=suppression)
    for name in ("flash", "ola"):
        found = make_algorithm(name).solve(problem, Run(seed=1))
        assert isinstance(found, Levels)
        assert found.optimal
        assert found.lower_bound == pytest.approx(figure, abs=0.0005)


def test_the_release_is_measured_as_the_search_says() -> None:
    assert ADULT is not None
    frame = pl.read_csv(ADULT, infer_schema=False)
    trees = {name: str(ADULT.parent / "hierarchies" / f"{name}.csv") for name in frame.columns}
    made = shoal.anonymize(
        frame, k=5, quasi=frame.columns, hierarchy=trees, algorithm="flash", suppression=0.02
    )
    assert made.verdict.passed
    assert made.figures.optimal
    assert made.figures.measures["gcp"] == pytest.approx(0.3575, abs=0.0005)
    assert made.figures.measures["gcp"] == pytest.approx(made.figures.lower_bound, abs=1e-9)
    assert made.figures.measures["los"] <= 0.02
