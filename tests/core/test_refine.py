"""Refinement: never worse than its start, every model kept, the budget and the seed decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shoal
from shoal._core import kernels
from shoal.algorithms import Partition, Problem, Run, make_algorithm, solve_partition
from shoal.algorithms.budget import Budget
from shoal.encoding import encode, encode_values
from shoal.errors import ParameterError
from shoal.models.distinct import DistinctDiversity
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.interrupting import Interrupted
from tests.tables import MIXED, mixed_table

MEASURES = ["gcp", "mi", "pmi", "wmi:0.25"]


def make_problem(n: int, seed: int, k: int, measure: str = "gcp", models: Any = ()) -> Problem:
    frame = mixed_table(n, seed, missing=0.05, spread=20)
    given = {key: value for key, value in MIXED.items() if key != "hierarchy"}
    job = Job.from_dict({**given, "k": k})
    table = Table.of(frame, schema_of(frame, job, MIXED["hierarchy"]))
    target, _ = encode_values(table.frame["disease"])
    return Problem.of(
        encode(table),
        k,
        measure=measure,
        target=target,
        models=models,
        protected=tuple(target for _ in models),
    )


def total(problem: Problem, partition: Partition) -> float:
    entries = (partition.rows, partition.classes, partition.counts, partition.number)
    return float(problem.objective().totals(*entries).sum())


def solve(problem: Problem, *, seed: int = 1, threads: int = 1, **words: Any) -> Partition:
    steps = words.pop("steps", 200_000)
    run = Run(seed=seed, threads=threads, budget=Budget(steps=steps))
    found = make_algorithm("refine", words).solve(problem, run)
    assert isinstance(found, Partition)
    return found


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("start", ["k-member", "sorted", "mondrian", "sequential"])
def test_it_improves_on_every_start_under_every_measure(measure: str, start: str) -> None:
    problem = make_problem(400, 1, 5, measure)
    before = solve_partition(start, problem, Run(seed=1))
    after = solve(problem, start=start)
    assert total(problem, after) < total(problem, before)
    assert after.sizes.min() >= 5


@pytest.mark.parametrize("heat", [0.0, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("steps", [1, 50, 3_000])
def test_it_is_never_worse_than_its_start(heat: float, steps: int) -> None:
    problem = make_problem(300, 2, 4)
    before = solve_partition("k-member", problem, Run(seed=1))
    after = solve(problem, heat=heat, steps=steps)
    assert total(problem, after) <= total(problem, before) + 1e-9


def test_models_are_kept() -> None:
    model = DistinctDiversity("disease", 3)
    problem = make_problem(400, 3, 4, models=(model,))
    found = solve(problem)
    assert model.holds(found.histograms(problem.protected[0])).all()
    free = solve(make_problem(400, 3, 4))
    assert total(problem, found) >= total(make_problem(400, 3, 4), free)


def test_equal_seed_and_steps_give_equal_classes_whatever_the_threads() -> None:
    problem = make_problem(3_000, 4, 5)
    one = solve(problem, region=256, steps=400_000)
    three = solve(problem, region=256, steps=400_000, threads=3)
    other = solve(problem, region=256, steps=400_000, seed=2)
    for mine, theirs in zip(
        (one.rows, one.classes, one.counts), (three.rows, three.classes, three.counts), strict=True
    ):
        assert np.array_equal(mine, theirs)
    assert not np.array_equal(one.rows, other.rows)


def test_small_tables_too_are_searched_in_regions_that_threads_share() -> None:
    problem = make_problem(20_000, 4, 5)
    one, two = (solve(problem, steps=300_000, threads=threads) for threads in (1, 2))
    whole = solve(problem, steps=300_000, region=65_536)
    assert np.array_equal(one.rows, two.rows)
    assert not np.array_equal(one.rows, whole.rows)


def test_more_steps_lose_less() -> None:
    problem = make_problem(1_000, 5, 5)
    losses = [total(problem, solve(problem, steps=steps)) for steps in (10_000, 2_000_000)]
    assert losses[1] < 0.97 * losses[0]


def test_facts_tell_the_steps_and_the_time_is_used() -> None:
    frame = mixed_table(100, 6)  # its start takes no time worth mentioning
    made = shoal.anonymize(frame, k=5, algorithm="refine", time=1.0, seed=1, **MIXED)
    assert made.figures.steps > 0
    assert made.figures.seconds["solve"] > 0.9


def test_best_loss_so_far_is_told_and_cancel_stops_a_search_under_way() -> None:
    problem = make_problem(5_000, 7, 5)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(
        lambda: make_algorithm("refine").solve(problem, run),
        run.control,
        begun=lambda: run.control.steps > 0,
    )
    assert ended.cancelled
    assert 0.0 < run.control.loss < 1.0
    assert run.budget.seconds_left > 0  # long before its end


@pytest.mark.parametrize("start", ["refine", "no such algorithm"])
def test_a_start_that_is_no_other_algorithm_is_refused(start: str) -> None:
    with pytest.raises(ParameterError, match="k-member"):
        make_algorithm("refine", {"start": start})


def test_a_start_that_breaks_a_rule_is_refused() -> None:
    problem = make_problem(20, 8, 4)
    rows = np.arange(problem.rows, dtype=np.int32)
    counts = problem.counts

    def refine(klass: Any, count: Any, models: kernels.Models, **words: Any) -> object:
        given = {"k": 4, "seed": 1, "threads": 1, "steps": 10, "seconds": -1.0, "neighbours": 8,
                 "region": 64, "heat": 1.0, "control": kernels.Control()}  # fmt: skip
        return kernels.refine(
            problem.objective(), models, rows, klass, count, problem.rows, **{**given, **words}
        )

    free = kernels.Models(problem.rows)
    together = np.zeros(problem.rows, dtype=np.int32)
    refine(together, counts, free)
    with pytest.raises(ValueError, match="fewer than k"):
        refine(rows, counts, free)
    with pytest.raises(ValueError, match="placed once"):
        refine(together, counts + 1, free)
    diverse = kernels.Models(problem.rows)
    diverse.add_distinct(together.astype(np.uint8), 2)
    with pytest.raises(ValueError, match="breaks a model"):
        refine(together, counts, diverse)
    for wrong in ({"heat": -1.0}, {"region": -1}, {"neighbours": 0}, {"threads": 0}, {"k": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            refine(together, counts, free, **wrong)
    with pytest.raises(ValueError, match="steps or seconds"):
        refine(together, counts, free, steps=-1)


def test_a_class_of_no_record_in_the_start_is_none() -> None:
    records = kernels.Records(np.ones(4, dtype=np.int32))
    records.add_set(np.arange(4, dtype=np.uint8), 4, 1 / 3, 1.0)
    rows, classes, counts = (
        np.array(values, dtype=np.int32)
        for values in ([0, 1, 2, 3, 0], [0, 0, 1, 1, 2], [1, 1, 1, 1, 0])
    )
    row, class_, count = kernels.refine(
        kernels.Objective(records), kernels.Models(4), rows, classes, counts, 3, 2, 1, 1, 10_000,
        -1.0, 3, 0, 1.0, kernels.Control(),
    )  # fmt: skip
    assert sorted(row.tolist()) == [0, 1, 2, 3]
    assert sorted(class_.tolist()) == [0, 0, 1, 1]
    assert count.tolist() == [1, 1, 1, 1]
