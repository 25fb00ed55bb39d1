"""Starts that are stopped: what they found counts, and every record is in a class."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.algorithms import Partition, Problem, Run, solve_partition
from shoal.algorithms.cluster.agglomerative import Agglomerative
from shoal.algorithms.cluster.k_member import KMember
from shoal.algorithms.cluster.unfinished import STOPPABLE, divide_until
from shoal.models.distinct import DistinctDiversity
from tests.core.test_refine import make_problem, total


def check_every_record_is_in_a_class(problem: Problem, found: Partition) -> None:
    placed = np.bincount(found.rows, found.counts, problem.rows)
    assert placed.tolist() == problem.counts.tolist()
    assert found.sizes.min() >= problem.k
    for model, values in zip(problem.models, problem.protected, strict=True):
        assert model.holds(found.histograms(values)).all()


@pytest.mark.parametrize("measure", ["gcp", "mi"])
@pytest.mark.parametrize("name", sorted(STOPPABLE))
def test_without_a_limit_they_are_what_they_are(name: str, measure: str) -> None:
    problem = make_problem(500, 3, 6, measure)
    found = divide_until(name, problem, Run(seed=4), -1.0)
    alone = solve_partition(name, problem, Run(seed=4))
    assert found.rows.tolist() == alone.rows.tolist()
    assert found.classes.tolist() == alone.classes.tolist()


@pytest.mark.parametrize("measure", ["gcp", "mi"])
@pytest.mark.parametrize("name", sorted(STOPPABLE))
def test_without_any_time_mondrian_divides_what_is_not_settled(name: str, measure: str) -> None:
    problem = make_problem(800, 3, 6, measure)
    found = divide_until(name, problem, Run(seed=4), 0.0)
    check_every_record_is_in_a_class(problem, found)
    settled = np.flatnonzero(problem.counts >= problem.k)
    rest = np.flatnonzero(problem.counts < problem.k)
    part = problem.part(rest, problem.counts[rest])
    cut = solve_partition("mondrian", part, Run(seed=4))
    assert found.number == len(settled) + cut.number
    # Equal records that make a class lose nothing.
    if measure == "gcp":
        assert total(problem, found) == pytest.approx(total(part, cut))


def test_whatever_is_asked_divides_the_rest() -> None:
    problem = make_problem(3_000, 3, 40)
    rests: list[int] = []

    def divide_rest(rest: Problem) -> Partition:
        rests.append(rest.n)
        return solve_partition("sorted", rest, Run(seed=4))

    found = divide_until("k-member", problem, Run(seed=4), 0.0, divide_rest)
    check_every_record_is_in_a_class(problem, found)
    assert rests == [problem.counts[problem.counts < problem.k].sum()]
    # With all the time it needs there is none.
    divide_until("k-member", problem, Run(seed=4), -1.0, divide_rest)
    assert len(rests) == 1


@pytest.mark.parametrize("made", [KMember(), Agglomerative()])
@pytest.mark.parametrize("seconds", [0.0, 1e-4, 1e-3, 1e-2])
def test_whenever_it_is_stopped_there_are_whole_classes_and_a_rest_that_makes_one(
    made: KMember | Agglomerative, seconds: float
) -> None:
    problem = make_problem(3_000, 3, 40)
    rows, classes, counts = made.place(problem, Run(seed=4), seconds)
    sizes = np.bincount(classes, counts) if len(classes) else np.array([])
    assert (sizes >= problem.k).all()
    left = problem.counts - np.bincount(rows, counts, problem.rows)
    assert left.min() >= 0
    assert left.sum() == 0 or left.sum() >= problem.k


@pytest.mark.parametrize("seconds", [0.0, 1e-3, -1.0])
@pytest.mark.parametrize("name", sorted(STOPPABLE))
def test_models_hold_in_the_rest_too(name: str, seconds: float) -> None:
    problem = make_problem(1_200, 3, 5, models=(DistinctDiversity("disease", 2),))
    check_every_record_is_in_a_class(problem, divide_until(name, problem, Run(seed=4), seconds))
