"""`optimal` and `improve` against trying every division."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.exact.optimal import root
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.choosing import ChoosingLimits
from shoal.algorithms.exact.optimal.conditions import meets_models
from shoal.algorithms.exact.optimal.divisions import columns_of, division_search, is_division
from shoal.algorithms.exact.optimal.generation import Generator
from shoal.algorithms.exact.optimal.improve import improve
from shoal.algorithms.exact.optimal.master import Relaxation
from shoal.algorithms.exact.optimal.root import solve as solve_search
from shoal.algorithms.exact.optimal.rounding import round_by_search, round_now_and_then
from shoal.encoding import encode
from shoal.models import parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.interrupting import Interrupted
from tests.reference.exact import least_loss_with
from tests.reference.optimum import least_loss
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from shoal.table import Schema

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}
STEPS = 200_000


def schema(frame: pl.DataFrame, k: int, **words: Any) -> Schema:
    return schema_of(frame, Job.from_dict({**WORDS, "k": k, **words}), MIXED["hierarchy"])


def problem(frame: pl.DataFrame, k: int, *, model: str = "", **words: Any) -> Problem:
    table = Table.of(frame, schema(frame, k))
    models = parse_models([model] if model else [], ["disease"])
    protections = [protect(one, table) for one in models]
    return Problem.of(
        encode(table),
        k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
        **words,
    )


def loss(asked: Problem, partition: Partition) -> float:
    losses = ClosuresOfClasses(asked, partition).losses()
    return (float(losses @ partition.sizes) + partition.suppressed) / asked.n


def solve(asked: Problem, steps: int | None = STEPS, seconds: float | None = None) -> Partition:
    run = Run(seed=1, budget=Budget(seconds=seconds, steps=steps))
    found = make_algorithm("optimal").solve(asked, run)
    assert isinstance(found, Partition)
    assert is_division(found, asked)
    return found


def tiny(seed: int, most: int = 9) -> tuple[pl.DataFrame, int]:
    draw = np.random.default_rng(seed)
    k = int(draw.integers(2, 4))
    n = int(draw.integers(k, most))
    missing, spread = float(draw.choice([0.0, 0.1, 0.3])), int(draw.choice([2, 4, 12]))
    return mixed_table(n, seed, missing=missing, spread=spread), k


@pytest.mark.parametrize("seed", range(120))
def test_the_optimum_of_every_division(seed: int) -> None:
    frame, k = tiny(seed)
    asked = problem(frame, k)
    found = solve(asked)
    best = least_loss(frame, schema(frame, k), k)
    assert found.optimal
    assert loss(asked, found) == pytest.approx(best, abs=1e-9)
    assert found.lower_bound is not None
    assert best - 2e-6 <= found.lower_bound <= best + 1e-12


@pytest.mark.parametrize("seed", range(25))
def test_the_optimum_with_withheld_records(seed: int) -> None:
    frame, k = tiny(seed, 8)
    limit = 1 + seed % 3
    asked = problem(frame, k, suppression=min(0.9, limit / frame.height + 1e-9))
    found = solve(asked)
    best = least_loss_with(frame, schema(frame, k), k, withheld=asked.suppression_limit)
    assert found.optimal
    assert loss(asked, found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_the_optimum_under_a_model_has_no_cap_on_sizes(seed: int) -> None:
    frame, k = tiny(seed, 8)
    if frame["disease"].n_unique() < 2:
        frame = frame.with_columns(disease=pl.Series(["flu", "gout"] * 4)[: frame.height])
    diseases = frame["disease"].to_list()
    asked = problem(frame, k, model="distinct-l-diversity:2")
    found = solve(asked)
    best = least_loss_with(
        frame, schema(frame, k), k, sound=lambda rows: len({diseases[row] for row in rows}) >= 2
    )
    assert meets_models(asked, found)
    assert found.optimal
    assert loss(asked, found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_repeated_records_are_solved_too(seed: int) -> None:
    # Divisions may tell of equal records of one class by several entries.
    frame = mixed_table(4, seed, spread=4)
    copies = np.random.default_rng(seed).integers(0, 4, 9)
    frame = frame[copies.tolist()]
    asked = problem(frame, 3)
    run = Run(seed=seed, budget=Budget(steps=STEPS))
    found = make_algorithm("optimal").solve(asked, run)
    assert isinstance(found, Partition)
    assert not run.notes
    assert found.optimal
    best = least_loss(frame, schema(frame, 3), 3)
    assert loss(asked, found) == pytest.approx(best, abs=1e-9)


def test_entries_of_one_row_in_one_class_become_one() -> None:
    asked = problem(mixed_table(12, 1)[[0] * 4 + [1] * 4 + [2] * 4], 3)
    assert asked.rows == 3
    told = Partition.of(
        np.array([0, 0, 1, 1, 2]), np.array([0, 0, 0, 0, 1]), np.array([1, 3, 2, 2, 4])
    )
    columns = columns_of(told, Generator(asked, Run()))
    assert columns.rows.tolist() == [0, 1, 2]
    assert columns.counts.tolist() == [4, 4, 4]
    assert columns.start.tolist() == [0, 2, 3]
    search = division_search(asked, Run(), told)
    solve_search(search)
    assert search.closed
    assert search.upper == 0.0


@pytest.mark.parametrize("set_loss", ["share", "paper", "binary"])
def test_costs_are_off_by_no_more_than_bounds_allow_for(set_loss: str) -> None:
    # In a set every value beyond the first may be rounded, all in the same direction.
    k = 10
    for values in range(2 * k, 4 * k):
        frame = pl.DataFrame({"word": [f"w{i}" for i in range(values)]})
        job = Job.from_dict({"k": k, "quasi": ["word"], "set_loss": set_loss})
        asked = Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)
        generator = Generator(asked, Run())
        rows = np.arange(2 * k - 1, dtype=np.int32)
        (cost,) = generator.costs(np.array([0, len(rows)]), rows, np.ones_like(rows))
        held = len(rows) - (set_loss != "binary")
        exact = Fraction(len(rows) * held, values - (set_loss == "share"))
        assert abs(Fraction(cost) - exact) <= Fraction(generator.error) * len(rows) / asked.n


@pytest.mark.parametrize("seed", range(12))
def test_branches_alone_find_the_optimum(seed: int) -> None:
    # No list is short enough to choose from: pairs and numbers of classes have to decide.
    nothing = ChoosingLimits(at_root=(), all_at_root=0, in_tree=0, after_failures=0)
    frame = mixed_table(9, 300 + seed, spread=28)
    k = 2 + seed % 2
    asked = problem(frame, k)
    whole = Partition.of(np.arange(asked.rows), np.zeros(asked.rows, dtype=np.int64), asked.counts)
    search = division_search(asked, Run(seed=1), whole, limits=nothing)
    solve_search(search)
    best = least_loss(frame, schema(frame, k), k)
    assert search.closed
    assert is_division(search.best, asked)
    assert loss(asked, search.best) == pytest.approx(best, abs=1e-9)
    assert search.lower_bound <= best + 1e-12


@pytest.mark.parametrize("suppressed", [0, 1])
@pytest.mark.parametrize("seed", range(12))
def test_the_whole_list_at_the_root_decides(
    seed: int, suppressed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No branches, and nothing is chosen before: the integer program over all classes has to prove.
    monkeypatch.setattr(root, "grow", lambda _: pytest.fail("it came to branches"))
    monkeypatch.setattr(root, "round_by_search", lambda *_: None)
    frame = mixed_table(9, 300 + seed, spread=28)
    k = 2 + seed % 2
    asked = replace(problem(frame, k), suppression_limit=suppressed)
    one = Partition.of(np.arange(asked.rows), np.zeros(asked.rows, dtype=np.int64), asked.counts)
    limits = ChoosingLimits(at_root=(), many_rows=0)
    search = division_search(asked, Run(seed=1), one, limits=limits)
    solve_search(search)
    best = least_loss_with(frame, schema(frame, k), k, withheld=suppressed)
    assert search.closed
    assert is_division(search.best, asked)
    assert loss(asked, search.best) == pytest.approx(best, abs=1e-9)
    assert search.lower_bound <= best + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_on_the_number_of_classes_is_kept(seed: int) -> None:
    asked = problem(mixed_table(14, seed, spread=28), 2)
    start = make_algorithm("k-member").solve(asked, Run(seed=1))
    assert isinstance(start, Partition)
    bounds = []
    for branches in (
        Branches.none(),
        Branches.none().joined(5, upward=True),
        Branches.none().joined(5, upward=False),
    ):
        search = division_search(asked, Run(seed=1), start)
        search.upper = float("inf")
        now = search.converge(branches)
        assert now.solution is not None
        fewest, most = search.program.classes(branches)
        assert fewest - 1e-6 <= now.solution.values.sum() <= most + 1e-6
        assert now.solution.filled < 1e-6
        assert now.bound == pytest.approx(now.solution.loss, rel=2e-6)
        bounds.append(now.bound)
    # The whole is no better than the better of its parts, and no part is better than the whole.
    assert bounds[0] <= min(bounds[1:]) + 1e-4


@pytest.mark.parametrize("model", ["", "distinct-l-diversity:2"])
@pytest.mark.parametrize("at_once", [True, False])
def test_who_asks_for_the_best_so_far_gets_it(model: str, *, at_once: bool) -> None:
    asked = problem(mixed_table(150, 4, spread=28), 5, model=model)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(
        lambda: make_algorithm("optimal").solve(asked, run),
        run.control,
        begun=lambda: at_once or run.control.bound >= 0,
        stop=True,
    )
    assert run.budget.seconds_left > 0
    if ended.cancelled:
        assert at_once  # before there was anything to show
        return
    found = ended.outcome
    assert isinstance(found, Partition)
    assert is_division(found, asked)
    assert meets_models(asked, found)


def test_what_highs_refuses_is_told_and_ends_the_search() -> None:
    asked = problem(mixed_table(30, 1), 3)
    run = Run(seed=1)
    start = make_algorithm("k-member").solve(asked, run)
    assert isinstance(start, Partition)
    search = division_search(asked, run, start)
    # A row of the program that cannot be kept: no class holds a record ten times.
    search.relaxation.solver.changeRowBounds(0, 10.0, 10.0)
    search.relaxation.solver.changeRowBounds(asked.rows, 1.0, 1.0)
    solve_search(search)
    assert not search.closed
    assert search.best is start
    assert any("HiGHS failed" in note for note in run.notes)


@pytest.mark.parametrize("k", [3, 12])
def test_steps_are_kept_whatever_the_threads(k: int) -> None:
    asked = problem(mixed_table(80, 2, spread=28), k)
    for steps in (3_000, 30_000):
        runs = [Run(seed=1, threads=threads, budget=Budget(steps=steps)) for threads in (1, 3)]
        one, other = (make_algorithm("optimal").solve(asked, run) for run in runs)
        assert isinstance(one, Partition)
        assert isinstance(other, Partition)
        assert runs[0].control.steps == runs[1].control.steps <= 1.5 * steps
        assert np.array_equal(one.classes, other.classes)
        assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_cut_short_runs_hold(seed: int) -> None:
    asked = problem(mixed_table(40, seed, missing=0.05), 3)
    best = solve(asked, steps=None, seconds=60.0)
    assert best.optimal
    for steps in (0, 2_000, 10_000, 40_000):
        found = solve(asked, steps=steps)
        assert found.lower_bound is not None
        assert found.lower_bound <= loss(asked, best) + 1e-9 <= loss(asked, found) + 2e-9


def test_with_models_the_bound_is_that_of_k_alone_and_optimal_is_not_claimed_lightly() -> None:
    frame = mixed_table(60, 3)
    asked = problem(frame, 3, model="distinct-l-diversity:3")
    found = solve(asked)
    assert meets_models(asked, found)
    assert found.lower_bound is not None
    assert 0 < found.lower_bound < loss(asked, found)
    assert not found.optimal


@pytest.mark.parametrize("n", [30, 3_000])
def test_no_time_at_all_gives_a_verified_release(n: int) -> None:
    made = shoal.anonymize(
        mixed_table(n, 2), k=3, algorithm="optimal", time=0.0, **{**MIXED, "seed": 1}
    )
    assert made.verdict.passed
    assert made.figures.lower_bound is not None


@pytest.mark.parametrize("n", [120, 4_000])
def test_cancel_ends_its_search_and_a_deadline_keeps_what_it_has(n: int) -> None:
    asked = problem(mixed_table(n, 4, spread=28), 5)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(
        lambda: make_algorithm("optimal").solve(asked, run),
        run.control,
        begun=lambda: run.control.steps > 0,
    )
    assert ended.cancelled
    assert run.budget.seconds_left > 0
    found = solve(asked, steps=None, seconds=0.5)
    assert is_division(found, asked)
    assert not found.optimal


def test_progress_tells_loss_bound_and_gap() -> None:
    seen: list[shoal.Progress] = []
    made = shoal.anonymize(
        mixed_table(150, 5), k=4, algorithm="optimal", steps=150_000, watch=seen.append,
        **{**MIXED, "seed": 1},
    )  # fmt: skip
    gaps = [each.gap for each in seen if each.gap is not None]
    assert gaps
    assert all(0 <= gap <= 1 for gap in gaps)
    assert made.figures.gap is not None
    assert made.figures.gap <= gaps[0] + 1e-9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", ["", "distinct-l-diversity:2", "t-closeness:0.4"])
def test_improve_can_only_improve(seed: int, model: str) -> None:
    asked = problem(mixed_table(60, seed, missing=0.05), 3, model=model, suppression=0.05)
    start = make_algorithm("k-member").solve(asked, Run(seed=seed))
    assert isinstance(start, Partition)
    other = make_algorithm("greedy").solve(asked, Run(seed=seed))
    assert isinstance(other, Partition)
    better = improve(asked, start, Run(seed=1, budget=Budget(steps=40_000)), pool=[other])
    assert is_division(better, asked)
    assert meets_models(asked, better)
    assert loss(asked, better) <= loss(asked, start)
    if not model:
        assert loss(asked, better) < loss(asked, start)


def test_improve_leaves_an_optimum_alone() -> None:
    asked = problem(mixed_table(20, 1), 3)
    best = solve(asked)
    assert best.optimal
    assert improve(asked, best, Run(seed=1)) is best


def test_improve_takes_classes_from_the_pool() -> None:
    asked = problem(mixed_table(20, 1), 3)
    best = solve(asked)
    whole = Partition.of(np.arange(asked.rows), np.zeros(asked.rows, dtype=np.int64), asked.counts)
    better = improve(asked, whole, Run(seed=1), pool=[best], region=20)
    assert loss(asked, better) == pytest.approx(loss(asked, best))


@pytest.mark.parametrize("seed", range(3))
def test_rounding_improves_a_poor_division_by_what_the_relaxation_is_sure_of(seed: int) -> None:
    asked = problem(mixed_table(60, seed), 3)
    poor = make_algorithm("sorted").solve(asked, Run(seed=1))
    assert isinstance(poor, Partition)
    search = division_search(asked, Run(seed=seed, budget=Budget(seconds=60.0)), poor)
    now = search.converge(Branches.none())
    before = search.upper
    round_by_search(search, now)
    assert search.upper < before
    assert is_division(search.best, asked)
    told = ClosuresOfClasses(asked, search.best)
    assert search.upper == pytest.approx(float(told.losses() @ search.best.sizes), abs=1e-6)
    assert search.upper >= now.bound - 1e-9
    assert search.steps >= search.searched > 0


@pytest.mark.parametrize("seed", range(4))
def test_cuts_that_come_back_hold_as_before(seed: int) -> None:
    asked = problem(mixed_table(40, seed, spread=28), 3)
    start = make_algorithm("k-member").solve(asked, Run(seed=1))
    assert isinstance(start, Partition)
    search = division_search(asked, Run(seed=1), start)
    now = search.converge(Branches.none())
    relaxation, bounds = search.relaxation, [now.priced]
    cuts = [relaxation.cuts]
    while len(cuts) < 4 and (centre := search.cut(now)) is not None:
        now = search.converge(Branches.none(), centre=centre)
        if now.solution is None:
            break
        cuts.append(relaxation.cuts)
        bounds.append(now.priced)
    assert len(cuts) > 1
    for earlier, bound in zip(cuts, bounds, strict=True):
        relaxation.use_cuts(earlier)
        assert relaxation.solver.getNumRow() == search.program.fixed_rows + len(earlier)
        again = search.converge(Branches.none())
        assert again.solution is not None
        assert again.priced == pytest.approx(bound, rel=2e-6)
        # The same program, made anew.
        fresh = Relaxation(search.program, relaxation.columns)
        if len(earlier):
            fresh.add_cuts(earlier)
        fresh.restrict(Branches.none(), search.generator.largest(Branches.none()))
        solved = fresh.solve(search.run)
        assert solved is not None
        assert again.solution.loss == pytest.approx(solved.loss, rel=1e-6)


def test_rounding_in_vain_takes_less_and_less() -> None:
    asked = problem(mixed_table(60, 1), 3)
    best = make_algorithm("optimal").solve(asked, Run(seed=1, budget=Budget(seconds=60.0)))
    assert isinstance(best, Partition)
    assert best.optimal
    run = Run(seed=1, budget=Budget(steps=10_000_000))
    search = division_search(asked, run, best)
    now = search.converge(Branches.none())
    shares = []
    for _ in range(4):
        search.rounding, spent, searched = 0.0, search.steps, search.searched
        round_now_and_then(search, now)
        shares.append((search.searched - searched) / spent)
    assert shares[0] > 0
    assert all(later < 0.75 * earlier for earlier, later in pairwise(shares))
    assert loss(asked, search.best) == pytest.approx(loss(asked, best))


def test_highs_keeps_to_the_clock_of_the_run() -> None:
    # By a clock that stands still a microsecond never ends, however long HiGHS takes on the wall.
    asked = problem(mixed_table(40, 1), 3)
    start = make_algorithm("k-member").solve(asked, Run(seed=1))
    assert isinstance(start, Partition)
    still = Budget(seconds=1e-6, began=0.0, clock=lambda: 0.0)
    gone = Budget(seconds=1e-6, began=0.0, clock=lambda: 1.0)
    solved = [
        division_search(asked, Run(seed=1), start).relaxation.solve(Run(budget=budget))
        for budget in (still, gone)
    ]
    assert solved[0] is not None
    assert solved[1] is None
