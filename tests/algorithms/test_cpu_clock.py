"""Budgets in CPU seconds: waiting does not use them up, work does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from shoal._core import kernels
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.run import ExpiredError
from tests.core.test_refine import make_problem

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def cpu_seconds() -> Iterator[None]:
    kernels.count_cpu_seconds(True)
    try:
        yield
    finally:
        kernels.count_cpu_seconds(False)


def cpu_budget(seconds: float) -> Budget:
    return Budget(clock=time.process_time).fresh(seconds=seconds)


def test_waiting_does_not_expire_a_part() -> None:
    run = Run(seed=1, budget=cpu_budget(60.0))
    with run.at_most(0.2):
        time.sleep(0.4)
        run.check()


def test_work_expires_a_part() -> None:
    run = Run(seed=1, budget=cpu_budget(60.0))
    began = time.process_time()

    def work() -> None:
        while True:
            run.check()

    with pytest.raises(ExpiredError), run.at_most(0.1):
        work()
    assert 0.1 <= time.process_time() - began < 5.0


@pytest.mark.parametrize("name", ["refine", "auto"])
def test_a_search_takes_its_seconds_of_work(name: str, cpu_seconds: None) -> None:
    problem = make_problem(4_000, 1, 5)
    run = Run(seed=1, budget=cpu_budget(0.4))
    began = time.process_time()
    make_algorithm(name).solve(problem, run)
    assert 0.3 < time.process_time() - began < 0.8
