"""Searches of a lattice that are stopped end with the best node so far."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import Budget, Problem, Run, make_algorithm
from shoal.algorithms.auto.full_domain import best_levels
from shoal.algorithms.lattice.task import LatticeTask
from shoal.algorithms.levels import Levels
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.interrupting import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable


def wide_problem(attributes: int, suppression: float = 0.0) -> Problem:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 8, 80) for i in range(attributes)})
    hierarchies = dict.fromkeys(frame.columns, "ranges:2,4")
    schema = schema_of(frame, Job.from_dict({"k": 3, "quasi": frame.columns}), hierarchies)
    return Problem.of(encode(Table.of(frame, schema)), 3, suppression=suppression)


def stopped_at(nodes: int, run: Run, search: Callable[[], Any]) -> tuple[Levels, float]:
    """Stop a search once so many nodes are judged; return what it found and the least loss then."""
    least = [inf]

    def begun() -> bool:
        if run.control.steps < nodes:
            return False
        least[0] = min(least[0], run.control.loss)
        return True

    ended = Interrupted(search, run.control, begun=begun, stop=True)
    assert isinstance(ended.outcome, Levels)
    return ended.outcome, least[0]


def loss_of(problem: Problem, found: Levels) -> float:
    return float(LatticeTask.of(problem).judge(np.array([found.node]), Run()).loss[0])


@pytest.mark.parametrize("suppression", [0.0, 0.1])
def test_the_portfolio_keeps_what_its_descents_found(suppression: float) -> None:
    problem = wide_problem(16, suppression)
    run = Run(seed=1, budget=Budget(steps=10**9))
    found, least = stopped_at(2_000, run, lambda: best_levels(problem, run))
    assert run.trace[-1].step == "descents"
    assert run.trace[-1].gained > 0
    assert loss_of(problem, found) <= least < inf


@pytest.mark.parametrize("suppression", [0.0, 0.1])
@pytest.mark.parametrize("name", ["kgen", "random"])
def test_a_search_of_some_nodes_keeps_the_best(name: str, suppression: float) -> None:
    problem = wide_problem(12, suppression)
    run = Run(seed=1, budget=Budget(steps=10**9))
    found, least = stopped_at(500, run, lambda: make_algorithm(name).solve(problem, run))
    assert loss_of(problem, found) <= least < inf


@pytest.mark.parametrize("name", ["kgen", "random", "exhaustive"])
def test_a_search_that_is_stopped_at_once_answers_with_the_top(name: str) -> None:
    problem = wide_problem(6)
    run = Run(seed=1)
    run.control.stop()
    found = make_algorithm(name).solve(problem, run)
    assert isinstance(found, Levels)
    assert list(found.node) == LatticeTask.of(problem).heights.tolist()
    assert not found.optimal


def test_a_stop_while_it_is_found_out_whether_the_budget_is_enough_keeps_the_greedy_node() -> None:
    problem = wide_problem(6)
    greedy = make_algorithm("datafly").solve(problem, Run(seed=1))
    run = Run(seed=1, budget=Budget(seconds=10**6))
    ended = Interrupted(
        lambda: best_levels(problem, run), run.control, begun=lambda: bool(run.trace), stop=True
    )
    assert isinstance(ended.outcome, Levels)
    assert isinstance(greedy, Levels)
    assert ended.outcome.node == greedy.node


def test_a_search_that_is_abandoned_returns_nothing() -> None:
    problem = wide_problem(12)
    run = Run(seed=1, budget=Budget(steps=10**9))
    ended = Interrupted(
        lambda: make_algorithm("kgen").solve(problem, run),
        run.control,
        begun=lambda: run.control.steps >= 500,
    )
    assert ended.cancelled
