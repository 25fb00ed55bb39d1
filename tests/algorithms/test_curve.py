"""A Hilbert curve, piece by piece: as good as the whole line, given up early, cut short in time."""

from __future__ import annotations

from math import inf

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import Partition, Problem, Run, solve_partition
from shoal.algorithms.auto.calibration import loss_beside
from shoal.algorithms.auto.classes import Portfolio
from shoal.algorithms.auto.curve import divide_along_curve
from shoal.algorithms.auto.policy import nominal_seconds
from shoal.algorithms.auto.prospects import Prospects
from shoal.algorithms.budget import Budget
from shoal.algorithms.constants import CURVE_PIECES
from shoal.encoding import encode
from shoal.table import Table, declare
from tests.core.test_refine import total


def numbers(n: int, k: int, *, copies: int = 1) -> Problem:
    """Return points that are spread evenly over a square, each of them several times."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.integers(0, 1_000, n), "y": rng.integers(0, 1_000, n)})
    frame = pl.concat([frame] * copies)
    return Problem.of(encode(Table.of(frame, declare(frame, quasi=frame.columns))), k)


def placed(problem: Problem, partition: Partition) -> list[int]:
    return [int(n) for n in np.bincount(partition.rows, partition.counts, problem.rows)]


@pytest.mark.parametrize("copies", [1, 7])
def test_pieces_lose_hardly_more_than_the_whole_line(copies: int) -> None:
    problem = numbers(12_000, 10, copies=copies)
    cut = solve_partition("mondrian", problem, Run(seed=1))
    found = divide_along_curve(problem, cut, Run(seed=1), inf)
    assert placed(problem, found) == problem.counts.tolist()
    assert found.sizes.min() >= problem.k
    whole = total(problem, solve_partition("hilbert", problem, Run(seed=1)))
    # The whole line is divided optimally; pieces add a border each.
    assert whole <= total(problem, found) < 1.01 * whole < total(problem, cut)


def test_classes_that_lose_less_are_kept() -> None:
    problem = numbers(12_000, 10)
    good = solve_partition("k-member", problem, Run(seed=1))
    assert total(problem, good) < total(problem, solve_partition("hilbert", problem, Run(seed=1)))
    assert divide_along_curve(problem, good, Run(seed=1), inf) is good


def test_what_is_not_reached_in_time_is_cut_by_mondrian() -> None:
    problem = numbers(12_000, 7)  # Mondrian's classes have 11 or 12 records
    cut = solve_partition("mondrian", problem, Run(seed=1))
    ticks = iter(range(1_000))
    run = Run(seed=1, budget=Budget(clock=lambda: float(next(ticks))))
    # It looks at the clock once to begin with and after each piece but the first.
    half = divide_along_curve(problem, cut, run, CURVE_PIECES / 2)
    assert placed(problem, half) == problem.counts.tolist()
    assert half.sizes.min() >= problem.k
    whole = divide_along_curve(problem, cut, Run(seed=1), inf)
    assert total(problem, whole) < total(problem, half) < total(problem, cut)


def test_estimates_of_a_start_are_no_progress() -> None:
    problem = numbers(12_000, 10)
    run = Run(seed=1, budget=Budget().fresh(seconds=600.0))
    cut = solve_partition("mondrian", problem, Run(seed=1))
    before = run.control.progress
    assert loss_beside("k-member", problem, cut, run, 600.0) is not None
    assert Prospects(problem, run).share_broken("sorted") == 0.0
    assert run.control.progress == before


def test_few_large_classes_are_one_piece() -> None:
    problem = numbers(12_000, 1_500)
    cut = Partition(
        np.arange(problem.rows, dtype=np.int32),
        np.zeros(problem.rows, dtype=np.int32),
        problem.counts,
    )
    found = divide_along_curve(problem, cut, Run(seed=1), 0.0)
    whole = solve_partition("hilbert", problem, Run(seed=1))
    assert total(problem, found) == pytest.approx(total(problem, whole))


def test_equal_records_make_a_curve_cheap() -> None:
    apart, alike = numbers(14_000, 50), numbers(2_000, 50, copies=7)
    assert apart.n == alike.n
    assert nominal_seconds("hilbert", alike) < nominal_seconds("hilbert", apart) / 3
    larger = numbers(14_000, 100)
    assert nominal_seconds("hilbert", larger) > 1.9 * nominal_seconds("hilbert", apart)


def test_a_portfolio_keeps_a_curve_only_if_it_leads() -> None:
    problem = numbers(12_000, 10)
    run = Run(seed=1, budget=Budget().fresh(seconds=600.0))
    portfolio = Portfolio(problem, run)
    for name in ("mondrian", "hilbert"):
        portfolio.starts.enter(name, {}, inf)
    assert (
        portfolio.starts.losses["hilbert"]
        == portfolio.contest.loss
        < portfolio.starts.losses["mondrian"]
    )
    behind = Portfolio(problem, run)
    for name in ("k-member", "hilbert"):
        behind.starts.enter(name, {}, inf)
    assert behind.starts.losses["hilbert"] == inf
    assert list(behind.starts.found) == ["k-member"]
