"""The grouping that the annealing paper prints as its example, on the same 30,162 records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from benchmarks.printed_grouping import ABSENT, MARRIED, printed_groups
from benchmarks.problems import EIGHT
from shoal.algorithms import Problem
from shoal.algorithms.cut import Cut
from shoal.algorithms.recoding.search import open_search
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

PATH = find_data("adult30k")
SALARY = "salary-class"


@pytest.mark.shared_data
@pytest.mark.skipif(PATH is None, reason="adult30k is not here")
@pytest.mark.parametrize(
    ("married", "smallest", "cm"), [(MARRIED, 288, 0.1805), (MARRIED | {ABSENT}, 284, 0.1827)]
)
def test_the_printed_grouping_has_18_cells(
    married: frozenset[str], smallest: int, cm: float
) -> None:
    """Whether an absent spouse counts as married is left open; k = 250 holds either way."""
    assert PATH is not None
    frame = pl.read_csv(PATH)
    job = Job.from_dict({"k": 250, "quasi": EIGHT, "sensitive": [SALARY], "measure": "cm"})
    labels = np.unique(frame[SALARY].to_numpy(), return_inverse=True)[1].astype(np.uint32)
    problem = Problem.of(
        encode(Table.of(frame, schema_of(frame, job))), 250, measure="cm", target=labels
    )
    groups = printed_groups(problem, married)
    search = open_search(problem, 1, contiguous=False)
    for place, one in enumerate(groups):
        search.set_groups(place, one)
    assert search.loss == pytest.approx(cm, abs=5e-5)
    assert search.suppressed == 0
    recoding = Cut(groups).recode(problem, np.random.default_rng(1))
    assert len(recoding.sizes) == 18
    assert recoding.sizes.min() == smallest


def test_groupings_stand_in_the_facts_and_are_what_the_release_shows() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 200),
            "job": rng.choice(["cook", "nurse", "smith"], 200),
            "ill": rng.choice(["yes", "no"], 200),
        }
    )
    for schedule in ("pool", "paper"):
        made = shoal.anonymize(
            frame,
            k=20,
            quasi=["age", "job"],
            sensitive=["ill"],
            algorithm="annealing",
            param={"schedule": schedule},
            suppression=0.1,
            rest="drop",
            steps=3_000,
            seed=1,
        )
        groupings = made.facts.groupings
        shown = made.frame.filter(pl.any_horizontal(pl.col("age", "job") != "*"))
        for name in ("age", "job"):
            assert len(groupings[name]) == len(set(groupings[name]))
            assert set(shown[name]) <= set(groupings[name])
            assert set(groupings[name]) <= set(made.frame[name])
    classes = shoal.anonymize(frame, k=20, quasi=["age", "job"], sensitive=["ill"], seed=1)
    assert classes.facts.groupings == {}
