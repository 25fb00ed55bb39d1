"""`ff-optimal`: covers of proved least loss, and bounds that no cover goes below."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Budget, Form, Problem, Run, algorithms, make_algorithm
from shoal.algorithms.concealment import Concealment
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.sets import cover_of_sets
from shoal.algorithms.freeform.suppression import loss_of_cover
from shoal.algorithms.lower_bound import find_lower_bound
from shoal.encoding import encode
from shoal.errors import ParameterError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Schema, Table
from tests.interrupting import Interrupted
from tests.reference.covers import least_cover_loss
from tests.reference.optimum import least_loss
from tests.tables import MIXED, mixed_table

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}
LINE: dict[str, Any] = {"quasi": ["at"], "seed": 1}


def schema(frame: pl.DataFrame, k: int) -> Schema:
    return schema_of(frame, Job.from_dict({**WORDS, "k": k}), MIXED["hierarchy"])


def problem(frame: pl.DataFrame, k: int, suppression: float = 0.0) -> Problem:
    table = Table.of(frame, schema(frame, k))
    return Problem.of(encode(table), k, suppression=suppression)


def solved(asked: Problem, *, threads: int = 1, **limits: Any) -> tuple[Cover, Run]:
    run = Run(seed=5, threads=threads, budget=Budget(**(limits or {"seconds": 60.0})))
    found = make_algorithm("ff-optimal").solve(asked, run)
    assert isinstance(found, Cover)
    return found, run


def is_cover(asked: Problem, cover: Cover) -> bool:
    """Whether each released record covers k different originals, and each is covered k times."""
    different = all(len(set(one)) == asked.k for one in cover.matches.tolist())
    times = np.bincount(cover.matches.ravel(), minlength=len(cover.records))
    return different and bool((times == asked.k).all())


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_optimum_is_that_of_trying_everything(k: int) -> None:
    """Numbers, sets, hierarchies, all-or-nothing columns and missing cells, few values and many."""
    for seed in range(25):
        n = 5 + seed % 2
        frame = mixed_table(n, 100 * k + seed, missing=0.1 * (seed % 3), spread=2 + seed % 11)
        asked = problem(frame, k)
        best = least_cover_loss(frame, schema(frame, k), k)
        found, _ = solved(asked)
        assert found.optimal, seed
        assert is_cover(asked, found)
        assert loss_of_cover(asked, found) == pytest.approx(best, abs=1e-6)
        assert found.lower_bound is not None
        assert found.lower_bound <= best + 1e-12
        assert found.lower_bound == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("withheld", [1, 2])
def test_who_is_suppressed_is_part_of_the_proof(withheld: int) -> None:
    for seed in range(6):
        frame = mixed_table(6, seed, missing=0.1 * (seed % 2), spread=12)
        if seed % 2:
            frame = pl.concat([frame[:5], frame[:1]])
        asked = problem(frame, 3, suppression=(withheld + 0.5) / 6)
        best = least_cover_loss(frame, schema(frame, 3), 3, withheld=withheld)
        found, _ = solved(asked)
        assert found.lower_bound is not None
        assert found.lower_bound <= best + 1e-12
        assert is_cover(asked, found)
        assert loss_of_cover(asked, found) >= best - 1e-12
        if found.optimal:
            assert loss_of_cover(asked, found) == pytest.approx(best, abs=1e-6)
        else:
            assert seed % 2  # only equal records can leave it open


def test_sets_that_hold_a_record_twice_are_no_cover() -> None:
    """Two equal records, one of them suppressed: no set may hold both."""
    frame = mixed_table(4, 3, spread=12)
    asked = replace(problem(pl.concat([frame, frame[:1]]), 2), suppression_limit=1)
    twice = int(np.argmax(asked.counts))
    others = [row for row in range(asked.rows) if row != twice]
    pairs = [*combinations(others, 2)]
    out = np.zeros(asked.rows, dtype=np.int64)
    out[twice] = 1
    sets = np.array([[twice, twice], *pairs], dtype=np.int64)
    assert cover_of_sets(asked, sets, out, Run(seed=1)) is None
    first, second, third = others
    ring = np.array([[twice, first], [first, second], [second, third], [third, twice]])
    assert cover_of_sets(asked, ring, out, Run(seed=1)) is not None
    assert cover_of_sets(asked, ring[:3], out, Run(seed=1)) is None


def test_equal_records_are_covered_as_often_as_there_are() -> None:
    frame = mixed_table(3, 1)
    asked = problem(pl.concat([frame] * 3 + [frame.head(1)] * 2), 4)
    assert sorted(asked.counts.tolist()) == [3, 3, 5]
    found, _ = solved(asked)
    assert found.optimal
    assert is_cover(asked, found)
    program = make_algorithm("ff-mip").solve(asked, Run(seed=1))
    assert isinstance(program, Cover)
    assert program.optimal
    assert loss_of_cover(asked, found) == pytest.approx(loss_of_cover(asked, program), abs=1e-6)


def test_five_numbers_in_a_row() -> None:
    """By hand: 0 to 4, k = 2. Classes lose (2·1 + 3·2) / 4 / 5, covers 6 / 4 / 5.

    Pairs cross each gap between neighbours an even number of times: twice beside the ends, and
    once in the middle nobody need cross, but then the three on the other side form a triangle.
    """
    frame = pl.DataFrame({"at": [0, 1, 2, 3, 4]})
    classes = shoal.anonymize(frame, k=2, algorithm="optimal", **LINE)
    covers = shoal.anonymize(frame, k=2, algorithm="ff-optimal", **LINE)
    assert classes.figures.loss == pytest.approx(0.4)
    assert covers.figures.loss == pytest.approx(0.3)
    assert covers.figures.optimal
    assert covers.figures.lower_bound is not None
    assert covers.figures.lower_bound == pytest.approx(0.3, abs=1e-6)
    assert covers.figures.lower_bound <= covers.figures.loss
    assert covers.verdict.passed


def test_covers_of_least_loss_lie_between_concealment_and_classes() -> None:
    """Covers promise more than (k,k) and concealment, and classes are covers."""
    for seed in range(2):
        frame = mixed_table(6, seed, missing=0.1, spread=6)
        asked = problem(frame, 3)
        best = loss_of_cover(asked, solved(asked)[0])
        assert best <= least_loss(frame, schema(frame, 3), 3) + 1e-6
        for model in ("(k,1)", "(1,k)", "(k,k)", "concealment"):
            weaker = make_algorithm("k-concealment", {"model": model, "exact": True})
            found = weaker.solve(asked, Run(seed=1))
            assert isinstance(found, Concealment)
            assert found.optimal
            assert found.lost(asked)[0] / asked.n <= best + 1e-6


@pytest.mark.parametrize("k", [3, 5])
def test_the_bound_is_never_above_the_loss_of_any_freeform_algorithm(k: int) -> None:
    frame = mixed_table(40, k, missing=0.05, spread=15)
    asked = problem(frame, k)
    best, _ = solved(asked)
    assert best.lower_bound is not None
    names = [
        name
        for name, one in algorithms().items()
        if one.traits.form == Form.FREEFORM and not one.traits.without_bound
    ]
    assert {"ff-greedy", "ff-hungarian", "ff-refine", "ring"} <= set(names)
    for name in set(names) - {"ff-mip"}:  # of too many sets it lists none, of these it takes long
        run = Run(seed=1, budget=Budget(steps=500))
        found = make_algorithm(name).solve(asked, run)
        assert isinstance(found, Cover)
        assert best.lower_bound <= loss_of_cover(asked, found)
        assert loss_of_cover(asked, best) <= loss_of_cover(asked, found) + 1e-9
    symmetric = make_algorithm("ff-refine", {"symmetric": True}).solve(asked, Run(seed=1))
    assert isinstance(symmetric, Cover)
    assert best.lower_bound <= loss_of_cover(asked, symmetric)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_runs_cut_short_hold(seed: int) -> None:
    asked = problem(mixed_table(40, seed, missing=0.05), 3)
    best, _ = solved(asked)
    assert best.optimal
    for steps in (0, 500, 5_000):
        found, _ = solved(asked, steps=steps)
        assert found.lower_bound is not None
        assert found.lower_bound <= loss_of_cover(asked, best) + 1e-9
        assert loss_of_cover(asked, best) <= loss_of_cover(asked, found) + 1e-9


def test_steps_are_kept_whatever_the_threads() -> None:
    asked = problem(mixed_table(80, 2, spread=28), 4)
    for steps in (2_000, 20_000):
        (one, first), (other, second) = (
            solved(asked, threads=threads, steps=steps) for threads in (1, 3)
        )
        assert first.control.steps == second.control.steps <= 1.5 * steps
        assert np.array_equal(one.matches, other.matches)
        assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize("n", [120, 3_000])
def test_cancel_ends_it_and_a_deadline_keeps_what_it_has(n: int) -> None:
    asked = problem(mixed_table(n, 4, spread=28), 5)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(
        lambda: make_algorithm("ff-optimal").solve(asked, run),
        run.control,
        begun=lambda: run.control.steps > 0,
    )
    assert ended.cancelled
    assert run.budget.seconds_left > 0
    found, _ = solved(asked, seconds=0.5)
    assert is_cover(asked, found)


def test_no_time_at_all_gives_a_verified_release() -> None:
    made = shoal.anonymize(mixed_table(1_500, 2), k=3, algorithm="ff-optimal", time=0.0, **MIXED)
    assert made.verdict.passed
    assert made.figures.lower_bound is not None
    assert not made.figures.optimal


def test_a_bound_beside_a_freeform_release() -> None:
    frame = mixed_table(40, 9)
    words = {**MIXED, "k": 3, "seed": 1}
    made = shoal.anonymize(frame, algorithm="ff-greedy", bound_seconds=20, **words)
    told = shoal.bound(frame, k=3, form="freeform", bound_seconds=20, **MIXED)
    assert told["form"] == "freeform"
    assert told["converged"]
    assert made.figures.lower_bound == pytest.approx(told["lower_bound"], abs=1e-6)
    assert 0 < told["lower_bound"] <= told["loss"] < made.figures.loss
    assert told["gap"] == pytest.approx(0.0, abs=1e-5)
    assert told["lower_bound"] < shoal.bound(frame, k=3, bound_seconds=5, **MIXED)["loss"]


def test_what_guarantees_less_is_not_bounded() -> None:
    frame = mixed_table(20, 1)
    with pytest.raises(ParameterError, match="guarantees less"):
        shoal.anonymize(frame, k=2, algorithm="k-concealment", bound_seconds=1, **MIXED)
    for form in ("concealment", "(k,k)", "full-domain"):
        with pytest.raises(ParameterError, match="not for"):
            shoal.bound(frame, k=2, form=form, **MIXED)
    with pytest.raises(ParameterError, match="classes alone"):
        shoal.bound(frame, k=2, form="freeform", person="id", **MIXED)


def test_a_bound_from_a_poor_cover_is_that_of_a_good_one() -> None:
    asked = problem(mixed_table(50, 3), 3)
    start = make_algorithm("ff-greedy").solve(asked, Run(seed=1))
    found = find_lower_bound(asked, start, Run(seed=1, budget=Budget(seconds=60.0)))
    best, _ = solved(asked)
    assert found.converged
    assert best.lower_bound is not None
    assert found.loss == pytest.approx(best.lower_bound, abs=1e-6)


def test_auto_proves_hundreds_of_records_without_a_limit_of_time() -> None:
    frame = mixed_table(150, 4)
    made = shoal.anonymize(frame, k=3, form="freeform", **{**MIXED, "seed": 1})
    assert made.figures.optimal
    best, _ = solved(problem(frame, 3))
    assert made.figures.loss == pytest.approx(loss_of_cover(problem(frame, 3), best), abs=1e-6)


def test_auto_proves_small_tables_and_tells_it() -> None:
    frame = mixed_table(60, 4)
    made = shoal.anonymize(frame, k=3, form="freeform", time=600.0, **{**MIXED, "seed": 1})
    assert made.figures.optimal
    assert "ff-optimal" in [step["step"] for step in made.figures.trace]
    assert made.figures.gap is not None
    assert made.figures.gap < 1e-5
    best, _ = solved(problem(frame, 3))
    assert made.figures.loss == pytest.approx(loss_of_cover(problem(frame, 3), best), abs=1e-6)
