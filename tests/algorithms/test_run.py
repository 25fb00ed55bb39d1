"""A run in parts: progress that never falls, and parts that are stopped when their time is up."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.run import ExpiredError
from shoal.errors import Cancelled
from tests.core.test_refine import make_problem


def test_parts_of_parts_map_to_the_whole() -> None:
    run = Run(seed=1)
    with run.part(0.5, 1.0):
        run.report(0.0)
        assert run.control.progress == 0.5
        with run.part(0.0, 0.5):
            run.report(1.0)
        assert run.control.progress == 0.75
        run.report(1.0)
    assert run.control.progress == 1.0


def test_a_lower_report_does_not_lower_progress() -> None:
    run = Run(seed=1)
    run.report(0.75)
    run.report(0.25)
    assert run.control.progress == 0.75


def test_what_takes_too_long_is_stopped_and_the_run_goes_on() -> None:
    run = Run(seed=1)

    def work() -> None:
        while True:
            run.check()
            time.sleep(0.005)

    with pytest.raises(ExpiredError), run.at_most(0.05):
        work()
    run.check()
    with run.at_most(60.0):
        run.check()


def test_a_cancelled_run_stays_cancelled() -> None:
    run = Run(seed=1)
    run.control.cancel()
    with pytest.raises(Cancelled), run.at_most(60.0):
        run.check()
    with pytest.raises(Cancelled):
        run.check()


@pytest.mark.parametrize("suppression", [0, 60])
@pytest.mark.parametrize("name", ["auto", "refine", "k-member"])
def test_progress_never_falls(name: str, suppression: int) -> None:
    problem = replace(make_problem(3_000, 9, 5), suppression_limit=suppression)
    run = Run(seed=1, budget=Budget(steps=300_000))
    worker = threading.Thread(target=lambda: make_algorithm(name).solve(problem, run))
    seen = [0.0]
    worker.start()
    while worker.is_alive():
        seen.append(run.control.progress)
        time.sleep(0.001)
    worker.join()
    assert seen == sorted(seen)
    assert run.control.progress == 1.0


def test_a_start_that_does_not_look_at_the_time_is_stopped() -> None:
    problem = make_problem(40_000, 10, 5)
    run = Run(seed=1, budget=Budget(seconds=0.4))
    found = make_algorithm("refine", {"start": "agglomerative"}).solve(problem, run)
    assert any("agglomerative was stopped" in note for note in run.notes)
    assert min(found.sizes) >= 5  # type: ignore[attr-defined]


def test_the_automatic_start_fits_into_the_time() -> None:
    problem = make_problem(40_000, 10, 5)
    run = Run(seed=1, budget=Budget(seconds=0.02))
    make_algorithm("refine").solve(problem, run)
    assert not any("stopped" in note for note in run.notes)
