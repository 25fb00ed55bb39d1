"""Descents find the best node of lattices that can also be searched whole."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.lattice.descents import Descents
from shoal.algorithms.lattice.genetics import reduction
from shoal.algorithms.lattice.seen import Ledger
from shoal.algorithms.lattice.task import LatticeTask
from shoal.algorithms.levels import Levels
from shoal.encoding import encode
from shoal.table import Table, declare

STEPS = 4_000


def small_lattice(suppression: float, measure: str) -> LatticeTask:
    """Return a lattice of 16,384 nodes on 400 records whose attributes go together."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 5, 400)
    frame = pl.DataFrame(
        {
            f"q{i}": np.clip(rng.integers(0, 12, 5)[kind] + rng.integers(-1, 2, 400), 0, 11)
            for i in range(7)
        }
    )
    schema = declare(
        frame, quasi=frame.columns, hierarchy=dict.fromkeys(frame.columns, "ranges:2,6")
    )
    encoded = encode(Table.of(frame, schema))
    problem = Problem.of(encoded, 4, suppression=suppression, measure=measure)
    return LatticeTask.of(problem)


@pytest.mark.parametrize("measure", ["gcp", "mi"])
@pytest.mark.parametrize("suppression", [0.0, 0.05, 1.0])
def test_they_find_the_best_node(suppression: float, measure: str) -> None:
    task = small_lattice(suppression, measure)
    assert task.nodes > 4 * STEPS
    best = make_algorithm("exhaustive").solve(task.problem, Run())
    assert isinstance(best, Levels)
    least = float(task.judge(np.array([best.node]), Run()).loss[0])
    run = Run(seed=1, budget=Budget(steps=STEPS))
    ledger = Ledger(task, run, reduction(task, run))
    Descents(ledger, run.generator()).search(task.heights)
    assert ledger.least == pytest.approx(least)
    assert STEPS <= ledger.visited < STEPS + 100


def test_they_end_with_the_top_where_nothing_else_is_sound() -> None:
    frame = pl.DataFrame({"q0": [1, 2, 3, 4], "q1": [4, 3, 2, 1]})
    schema = declare(frame, quasi=frame.columns)
    task = LatticeTask.of(Problem.of(encode(Table.of(frame, schema)), 4))
    run = Run(seed=1, budget=Budget(steps=50))
    ledger = Ledger(task, run, np.zeros_like(task.heights))
    Descents(ledger, run.generator()).search(task.heights)
    assert ledger.best.tolist() == task.heights.tolist()
