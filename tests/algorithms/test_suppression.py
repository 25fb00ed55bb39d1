"""A suppression limit is used only where the total loss falls, the suppressed counted as lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from benchmarks.problems import EIGHT
from shoal.algorithms import Budget, Partition, Run, make_algorithm, solve_partition
from shoal.algorithms.cluster.suppression import loss_of_partition, suppress_outliers
from shoal.algorithms.suppression import suppression_costs, total_loss
from tests.core.test_refine import make_problem
from tests.tables import MIXED, mixed_table


@pytest.mark.parametrize("measure", ["gcp", "mi", "pmi", "wmi:0.25"])
def test_a_suppressed_record_costs_what_it_loses_in_a_class_of_all(measure: str) -> None:
    problem = make_problem(300, 3, 5, measure)
    rows = np.arange(problem.rows, dtype=np.int32)
    one_class = problem.objective().totals(rows, np.zeros_like(rows), problem.counts, 1)
    # All values together cover everything; only in GCP may sets and hierarchies lose less.
    if measure == "gcp":
        assert (suppression_costs(problem) == 1.0).all()
    else:
        assert total_loss(problem, 0.0, problem.counts) == pytest.approx(one_class.sum() / 300)


def test_an_outlier_is_suppressed_where_the_others_gain_more_than_it_loses() -> None:
    # One at 100 among 60 at 0 to 5: whichever class of 20 takes it in loses 20 times 0.95 or more.
    ages = pl.DataFrame({"age": [number % 6 for number in range(60)] + [100]})
    everyone = shoal.anonymize(ages, k=20, quasi=["age"], seed=1)
    fewer = shoal.anonymize(ages, k=20, quasi=["age"], seed=1, suppression=0.1)
    assert everyone.figures.measures["gcp"] > 0.3
    assert fewer.facts["suppressed"] == 1
    assert fewer.figures.measures["gcp"] < 0.06


def test_nobody_is_suppressed_where_that_only_moves_the_loss() -> None:
    # Two far away lose half of the range together; suppressed they would lose all of it.
    ages = pl.DataFrame({"age": [number % 6 for number in range(60)] + [50, 100]})
    for suppression in (0.04, 1.0):
        made = shoal.anonymize(ages, k=2, quasi=["age"], seed=1, suppression=suppression)
        assert made.facts["suppressed"] == 0
    wanted = shoal.anonymize(
        ages, k=2, quasi=["age"], seed=1, suppression=0.04, suppress_for="released"
    )
    assert wanted.facts["suppressed"] == 2
    (price,) = (note for note in wanted.custody.notes if "suppressed" in note)
    assert f"the total is {wanted.figures.measures['gcp']:.4f}" in price


def test_a_partition_comes_back_unchanged_where_the_rest_gains_too_little() -> None:
    problem = replace(make_problem(300, 4, 3), suppression_limit=30)
    found = solve_partition("k-member", problem.without_suppression(), Run(seed=1))

    def divide(_: object) -> Partition:
        raise AssertionError("nobody is worth a second division")

    assert suppress_outliers(problem, found, Run(seed=1), divide) is found


@pytest.mark.parametrize("form", ["classes", "hierarchy", "full-domain", "freeform"])
@pytest.mark.parametrize("k", [2, 25])
def test_auto_with_a_limit_is_never_worse_than_without(form: str, k: int) -> None:
    for n, seed in ((60, 1), (250, 2)):
        frame = mixed_table(n, seed, spread=20)
        steps = 200 if form == "freeform" else 5_000  # blocks are dearer than moves
        words: dict[str, Any] = {**MIXED, "k": k, "form": form, "seed": 1, "steps": steps}
        everyone = shoal.anonymize(frame, **words).figures.measures["gcp"]
        for suppression in (0.02, 0.2, 1.0):
            fewer = shoal.anonymize(frame, suppression=suppression, **words)
            assert fewer.figures.measures["gcp"] <= everyone + 1e-12
            assert fewer.facts["suppressed"] <= suppression * n


@pytest.mark.parametrize("measure", ["mi", "pmi"])
def test_auto_with_a_limit_is_never_worse_in_bits(measure: str) -> None:
    problem = make_problem(700, 5, 30, measure)
    run = Run(seed=1, budget=Budget(steps=50_000))
    everyone = make_algorithm("auto").solve(problem, run)
    limited = replace(problem, suppression_limit=70)
    fewer = make_algorithm("auto").solve(limited, run)
    assert isinstance(everyone, Partition)
    assert isinstance(fewer, Partition)
    assert loss_of_partition(limited, fewer) <= loss_of_partition(problem, everyone) + 1e-12


def test_a_small_table_with_a_limit_is_solved_to_proof() -> None:
    frame = mixed_table(30, 2)
    made = shoal.anonymize(frame, k=3, seed=1, suppression=0.2, **MIXED)
    assert made.figures.optimal
    exact = shoal.anonymize(frame, k=3, seed=1, suppression=0.2, algorithm="optimal", **MIXED)
    assert exact.figures.optimal
    assert made.figures.measures["gcp"] == pytest.approx(exact.figures.measures["gcp"], abs=1e-6)


@pytest.mark.shared_data
@pytest.mark.parametrize("k", [3, 50])
def test_auto_with_a_limit_on_adult(k: int) -> None:
    path = find_data("adult30k")
    if path is None:
        pytest.skip("adult30k is not here")
    frame = pl.read_csv(path)
    words: dict[str, Any] = {
        "k": k,
        "quasi": EIGHT,
        "rest": "drop",
        "seed": 1,
        "steps": 100_000,
        "threads": 2,
    }
    everyone = shoal.anonymize(frame, **words).figures.measures["gcp"]
    fewer = shoal.anonymize(frame, suppression=0.02, **words)
    assert fewer.figures.measures["gcp"] <= everyone + 1e-12
