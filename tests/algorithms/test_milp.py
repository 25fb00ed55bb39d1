"""`milp`: its optima against every division, its bounds, and what happens when the solver fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run, make_algorithm, solve_partition
from shoal.algorithms.budget import Budget
from shoal.algorithms.exact.highs import Answer, solve_program
from shoal.algorithms.exact.milp.milp import better_of
from shoal.algorithms.exact.milp.pair_model import PairModel
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table, declare
from tests.interrupting import Interrupted
from tests.reference.optimum import least_loss
from tests.tables import MIXED, mixed_table


def numeric_problem(n: int, m: int, k: int, seed: int) -> Problem:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({f"a{j}": draw.integers(0, 50, n) for j in range(m)})
    return Problem.of(encode(Table.of(frame, declare(frame, quasi=frame.columns))), k)


def same(one: Partition, other: Partition) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("rows", "classes", "counts")
    )


@pytest.mark.parametrize("set_loss", ["share", "paper", "binary"])
@pytest.mark.parametrize("seed", range(3))
def test_proves_the_optimum_of_tiny_tables_of_every_kind(seed: int, set_loss: str) -> None:
    k = 2 + seed % 2
    frame = mixed_table(8 - k, seed, missing=0.15, spread=20)
    param = {"integral": seed == 2}
    words: dict[str, Any] = {**MIXED, "set_loss": set_loss, "param": param}
    made = shoal.anonymize(frame, k=k, algorithm="milp", **words)
    job = Job.from_dict({"k": k, **{word: words[word] for word in words if word != "hierarchy"}})
    best = least_loss(frame, schema_of(frame, job, MIXED["hierarchy"]), k)
    assert made.figures.measures["gcp"] == pytest.approx(best, abs=1e-6)
    assert made.figures.optimal
    assert made.figures.gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_fractions_and_given_bounds(seed: int) -> None:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": draw.normal(size=7), "b": draw.integers(0, 9, 7) * 1e7})
    words: dict[str, Any] = {
        "quasi": ["a", "b"],
        "value_range": {"a": "-9:9"},
        "weight": {"a": 3.0},
    }
    made = shoal.anonymize(frame, k=2, algorithm="milp", **words)
    best = least_loss(frame, schema_of(frame, Job.from_dict({"k": 2, **words})), 2)
    assert made.figures.measures["gcp"] == pytest.approx(best, abs=1e-6)
    assert made.figures.optimal


def test_the_bound_of_an_unfinished_search_lies_below_every_solution() -> None:
    asked = numeric_problem(7, 3, 3, 1)
    quick = make_algorithm("milp", {"integral": False})
    short, whole = (
        quick.solve(asked, Run(seed=1, budget=Budget(steps=steps))) for steps in (1, 100_000)
    )
    assert whole.optimal
    assert not short.optimal
    assert short.lower_bound is not None
    assert whole.lower_bound is not None
    assert 0.0 <= short.lower_bound <= whole.lower_bound


def test_the_same_nodes_give_the_same_classes() -> None:
    asked = numeric_problem(8, 2, 3, 2)
    one, two = (
        make_algorithm("milp").solve(asked, Run(seed=s, budget=Budget(steps=2))) for s in (1, 2)
    )
    assert isinstance(one, Partition)
    assert isinstance(two, Partition)
    assert same(one, two)


@pytest.mark.parametrize(("seconds", "room"), [(0.0, {}), (None, {"largest": 100}), (None, {})])
def test_without_time_or_room_the_answer_is_the_initial_solution(
    seconds: float | None, room: dict[str, int]
) -> None:
    asked = numeric_problem(30, 3, 3, 3)
    run = Run(seed=1, budget=Budget(seconds=seconds))
    found = make_algorithm("milp", room).solve(asked, run)
    assert isinstance(found, Partition)
    assert same(found, solve_partition("sorted", asked, Run(seed=1)))
    assert found.lower_bound is None
    assert not found.optimal
    assert bool(run.notes) == (seconds is None)


def test_a_zero_time_limit_still_gives_a_verified_release() -> None:
    made = shoal.anonymize(mixed_table(20, 1), k=3, algorithm="milp", time=0.0, **MIXED)
    assert made.verdict.passed
    assert made.figures.lower_bound is None


def test_a_model_that_cannot_be_solved_leaves_the_initial_solution() -> None:
    asked = numeric_problem(10, 2, 3, 4)
    first = solve_partition("sorted", asked, Run(seed=1))
    model = PairModel.of(asked, first)
    model.program.constrain((np.array([0]),), (1.0,), 2.0, np.inf)  # a binary of at least 2
    run = Run(seed=1)
    answer = solve_program(model.program.build(), run, start=model.start)
    assert answer.values is None
    assert better_of(asked, first, answer, run) is first
    assert "gave no solution" in run.notes[0]


def test_a_solution_with_a_small_class_is_not_believed() -> None:
    asked = numeric_problem(10, 2, 3, 4)
    first = solve_partition("sorted", asked, Run(seed=1))
    nobody_alike = np.zeros(PairModel.of(asked, first).program.variables)
    run = Run(seed=1)
    claim = Answer(nobody_alike, 0.0, True, "Optimal")
    assert better_of(asked, first, claim, run) is first


def test_suppression_claims_no_proof() -> None:
    words = {**MIXED, "suppression": 0.2}
    made = shoal.anonymize(mixed_table(6, 5), k=2, algorithm="milp", **words)
    assert made.verdict.passed
    assert not made.figures.optimal
    assert made.figures.lower_bound is None


def test_time_and_cancel_are_honoured_while_the_solver_does_not_look_up() -> None:
    # Between two looks of the solver at such a model lie seconds.
    asked = numeric_problem(40, 8, 3, 6)
    found = make_algorithm("milp").solve(asked, Run(seed=1, budget=Budget(seconds=0.5)))
    assert isinstance(found, Partition)
    assert found.sizes.min() >= 3
    assert not found.optimal  # it was cut short
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(lambda: make_algorithm("milp").solve(asked, run), run.control)
    assert ended.cancelled
    assert run.budget.seconds_left > 0
