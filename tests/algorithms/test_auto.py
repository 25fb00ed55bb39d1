"""`auto`: never worse than what it ran, within its time, in every form, stopped with its best."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run, make_algorithm, solve_partition
from shoal.algorithms.auto.calibration import calibrate, loss_beside
from shoal.algorithms.auto.cells import divide_in_cells
from shoal.algorithms.auto.classes import Portfolio
from shoal.algorithms.auto.policy import default_budget, is_look_worth_time, starts
from shoal.algorithms.auto.prospects import Prospects
from shoal.algorithms.budget import Budget
from shoal.algorithms.cluster.suppression import loss_of_partition
from shoal.algorithms.constants import (
    CELL_ROWS,
    DEFAULT_SECONDS,
    DOUBTED_FROM,
    HANDICAPS,
    LARGE_CLASS,
    LEAST_CELLS,
    LOOK_STEPS,
    SMALL,
    START_LOOK_SHARE,
    STEPS_A_SECOND,
)
from shoal.encoding import encode
from shoal.errors import Cancelled, ParameterError
from shoal.models import protect
from shoal.models.distinct import DistinctDiversity
from shoal.options import Job, read_job, write_job
from shoal.table import Table, declare
from tests.core.test_refine import make_problem, total
from tests.interrupting import Interrupted
from tests.tables import MIXED, mixed_table


def solve(problem: Problem, run: Run) -> Partition:
    found = make_algorithm("auto").solve(problem, run)
    assert isinstance(found, Partition)
    return found


def placed(problem: Problem, partition: Partition) -> list[int]:
    return [int(n) for n in np.bincount(partition.rows, partition.counts, problem.rows)]


@pytest.mark.parametrize("measure", ["gcp", "mi", "pmi"])
@pytest.mark.parametrize(("n", "k"), [(60, 3), (700, 5), (1_500, 30)])
def test_it_is_never_worse_than_any_algorithm_it_ran(n: int, k: int, measure: str) -> None:
    problem = make_problem(n, 3, k, measure)
    run = Run(seed=5, budget=Budget(steps=100_000))
    found = solve(problem, run)
    names = [step.step for step in run.trace]
    assert names[:4] == ["mondrian", "sorted", "k-member", "hilbert"]
    assert "refine" in names or found.optimal
    loss = total(problem, found) / n
    told = [step.loss for step in run.trace if step.loss is not None]
    assert loss == pytest.approx(min(told))
    for name in {"mondrian", "sorted", "hilbert", "k-member", "sequential"} & set(names):
        # Run apart from each other, with the same seed.
        alone = total(problem, solve_partition(name, problem, Run(seed=5))) / n
        assert loss <= alone + 1e-12
    # What the steps gained adds up to the way from the first loss to the last.
    assert told[0] - sum(step.gained for step in run.trace) == pytest.approx(loss)


@pytest.mark.parametrize("suppression", [0, 12])
@pytest.mark.parametrize(("n", "k"), [(250, 4), (400, 60), (900, 12)])
def test_with_steps_it_loses_no_more_than_refine(n: int, k: int, suppression: int) -> None:
    problem = replace(make_problem(n, 4, k), suppression_limit=suppression)
    found = solve(problem, Run(seed=7, budget=Budget(steps=60_000)))
    alone = solve_partition("refine", problem, Run(seed=7, budget=Budget(steps=60_000)))
    assert loss_of_partition(problem, found) <= loss_of_partition(problem, alone) + 1e-12


def test_a_start_is_looked_at_shortly_before_the_search() -> None:
    problem = make_problem(300, 3, 40)
    run = Run(seed=5, budget=Budget(steps=50_000))
    solve(problem, run)
    steps = [step.step for step in run.trace]
    assert steps == [
        "mondrian",
        "sorted",
        "k-member",
        "hilbert",
        *["look"] * steps.count("look"),
        "refine",
    ]
    # Looks take a fiftieth each, on top.
    assert 50_000 <= run.control.steps <= 1.1 * 50_000


def test_a_small_table_is_solved_to_proof() -> None:
    release = shoal.anonymize(mixed_table(30, 2), k=3, seed=1, **MIXED)
    assert release.facts["algorithm"] == "auto"
    assert release.figures.optimal
    assert release.figures.gap == pytest.approx(0.0, abs=1e-5)
    assert [step["step"] for step in release.figures.trace][-1] in {"optimal", "proof"}
    assert not release.facts["stopped_early"]


def test_no_time_at_all_still_gives_a_verified_release() -> None:
    release = shoal.anonymize(mixed_table(3_000, 4), k=5, time=0, **MIXED)
    assert release.verdict.passed
    assert [step["step"] for step in release.figures.trace] == ["mondrian"]


@pytest.mark.parametrize("models", [(), (DistinctDiversity("disease", 2),)])
@pytest.mark.parametrize("suppression", [0, 100])
def test_what_it_has_at_its_deadline_is_sound(models: Any, suppression: int) -> None:
    asked = replace(make_problem(20_000, 5, 5, models=models), suppression_limit=suppression)
    run = Run(seed=1, budget=Budget(seconds=0.5))
    found = solve(asked, run)
    assert not found.optimal  # the search would have gone on
    assert found.sizes.min() >= 5
    assert found.suppressed <= suppression
    assert placed(asked, found) == asked.counts.tolist()


def test_steps_decide_whatever_the_threads() -> None:
    problem = make_problem(2_500, 6, 5)
    one, two = (
        solve(problem, Run(seed=3, threads=t, budget=Budget(steps=300_000))) for t in (1, 2)
    )
    assert one.rows.tolist() == two.rows.tolist()
    assert one.classes.tolist() == two.classes.tolist()
    assert one.counts.tolist() == two.counts.tolist()


@pytest.mark.parametrize("suppression", [0, 200])
def test_asked_to_stop_it_returns_its_best(suppression: int) -> None:
    asked = replace(make_problem(20_000, 7, 5), suppression_limit=suppression)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    ended = Interrupted(
        lambda: solve(asked, run), run.control, begun=lambda: run.control.loss >= 0, stop=True
    )
    found = ended.outcome
    assert isinstance(found, Partition)
    assert run.budget.seconds_left > 0
    assert found.sizes.min() >= 5
    assert placed(asked, found) == asked.counts.tolist()


def test_a_run_that_is_stopped_is_marked_and_verified() -> None:
    stopped = threading.Event()

    def watch(progress: shoal.Progress) -> None:
        if progress.loss is not None and not stopped.is_set():
            stopped.set()
            raise KeyboardInterrupt

    release = shoal.anonymize(mixed_table(20_000, 8), k=5, time=600, watch=watch, **MIXED)
    assert stopped.is_set()
    assert release.facts["stopped_early"]
    assert release.figures.seconds["solve"] < 600
    assert release.verdict.passed


def test_a_run_that_is_abandoned_returns_nothing() -> None:
    run = Run(seed=1, budget=Budget(seconds=60.0))
    run.control.stop()
    run.control.cancel()
    with pytest.raises(Cancelled):
        solve(make_problem(1_500, 9, 5), run)


@pytest.mark.parametrize("models", [(), (DistinctDiversity("disease", 2),)])
def test_cells_divide_all_records(models: Any) -> None:
    problem = make_problem(30_000, 10, 4, models=models)
    assert problem.rows > 4 * CELL_ROWS  # so that there are several cells
    one, two = (divide_in_cells(problem, Run(seed=1, threads=threads)) for threads in (1, 2))
    assert placed(problem, one) == problem.counts.tolist()
    assert one.sizes.min() >= 4
    assert one.number > 20
    assert (np.diff(one.classes) >= 0).all()
    assert one.rows.tolist() == two.rows.tolist()
    for model, codes in zip(problem.models, problem.protected, strict=True):
        assert model.holds(one.histograms(codes)).all()
    quick = solve_partition("mondrian", problem, Run(seed=1), {"models": "keep"} if models else {})
    assert total(problem, one) < total(problem, quick)


def many_categories(n: int) -> Problem:
    """Return a table whose set of 10,000 categories makes `k-member` slow."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "place": [f"p{v}" for v in rng.integers(0, 10_000, n)],
            "amount": rng.lognormal(6, 1, n).round(),
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    schema = declare(frame, quasi=frame.columns, kind={"place": "categorical"})
    return Problem.of(encode(Table.of(frame, schema)), 5)


def test_no_start_is_thrown_away_where_sets_have_many_categories() -> None:
    problem = many_categories(6_000)
    run = Run(seed=1, budget=Budget(steps=200_000))
    found = solve(problem, run)
    steps = [step.step for step in run.trace]
    assert steps == ["mondrian", "sorted", "k-member", "hilbert", "refine"]
    assert all(step.loss is not None for step in run.trace)
    alone = solve_partition("k-member", problem, Run(seed=1))
    assert total(problem, found) <= total(problem, alone) + 1e-9


def test_cells_that_are_not_reached_in_time_are_cut_by_mondrian() -> None:
    problem = many_categories(12_000)
    late = divide_in_cells(problem, Run(seed=1, budget=Budget(seconds=0.0)))
    assert placed(problem, late) == problem.counts.tolist()
    assert late.sizes.min() >= problem.k
    whole = solve_partition("mondrian", problem, Run(seed=1))
    assert total(problem, late) < 1.1 * total(problem, whole)
    # With time for them all, k-member divides them better.
    assert total(problem, divide_in_cells(problem, Run(seed=1))) < total(problem, late)


@dataclass(frozen=True)
class Foreseen:
    """Prospects as a test wants them: every start takes so long, unless said otherwise."""

    taken: float
    is_search_shallow: bool = False
    worthless: tuple[str, ...] = ()
    great: tuple[str, ...] = ()
    linear: bool = False
    divided: bool = True
    others: dict[str, float] = field(default_factory=dict)

    def seconds(self, name: str) -> float:
        return self.others.get(name, self.taken)

    def pays(self, name: str) -> bool:
        return name not in self.worthless

    def pays_most_time(self, name: str) -> bool:
        return name in self.great

    def divides(self, name: str) -> bool:
        assert name == "cells"
        return self.divided

    def is_linear(self, name: str) -> bool:
        assert name == "k-member"
        return self.linear

    def leads(self, name: str, other: str, share: float = 1.0) -> bool:
        return name in self.great and other not in self.great


def table_of_jumps(k: int) -> Problem:
    """Return a table of 12,000 records whose closures grow by jumps."""
    frame = mixed_table(12_000, 3).select("place", "code")
    jumps = {key: MIXED[key] for key in ("hierarchy", "suppress_only")}
    schema = declare(frame, quasi=frame.columns, **jumps)
    return Problem.of(encode(Table.of(frame, schema)), k)


def test_jumps_are_united_cell_by_cell_where_that_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = table_of_jumps(5)
    # Many of its records are equal, so that looks at all starts take next to no time.
    all_fit = ["sorted", "agglomerative", "k-member", "hilbert"]
    assert starts(problem, 10.0, Foreseen(1.6)) == all_fit
    monkeypatch.setattr("shoal.algorithms.auto.policy.SMALL", problem.rows - 1)
    assert starts(problem, 10.0, Foreseen(1.6)) == ["sorted", "agglomerative", "hilbert"]
    # What takes next to no time comes first, unless it is known to be behind.
    quick = Foreseen(1.4)
    assert starts(problem, 10.0, quick) == ["sorted", "k-member", "agglomerative", "hilbert"]
    behind = replace(quick, great=("agglomerative",))
    assert starts(problem, 10.0, behind) == ["sorted", "agglomerative", "hilbert"]
    slow = Foreseen(1.6, others={"agglomerative": 5.0})
    assert starts(problem, 10.0, slow) == ["sorted", "united-cells", "hilbert"]
    slower = Foreseen(0.1, others={"agglomerative": 9.0, "united-cells": 9.0})
    assert starts(problem, 10.0, slower) == ["sorted", "k-member", "hilbert"]
    led = Foreseen(0.1, great=("k-member",))
    assert starts(problem, 10.0, led) == ["sorted", "k-member", "hilbert"]
    poor = Foreseen(0.1, worthless=("agglomerative",))
    assert starts(problem, 10.0, poor) == ["sorted", "k-member", "hilbert"]


def test_jumps_are_united_where_the_usual_start_takes_too_long() -> None:
    problem = table_of_jumps(5)
    late = Foreseen(1.6, others={"k-member": 9.0})
    assert starts(problem, 10.0, late) == ["sorted", "agglomerative", "hilbert"]
    too_late = replace(late, others={"k-member": 9.0, "agglomerative": 9.0})
    poor = replace(late, worthless=("agglomerative",))
    for one in (too_late, poor):
        assert starts(problem, 10.0, one) == ["sorted", "cells", "hilbert"]


def test_sequential_takes_the_place_of_united_cells() -> None:
    slow = Foreseen(1.6, others={"agglomerative": 5.0})
    for k, chosen in ((LARGE_CLASS, "sequential"), (LARGE_CLASS - 1, "united-cells")):
        problem = table_of_jumps(k)
        names = starts(problem, 10.0, slow)
        assert [name for name in names if name in {"sequential", "united-cells"}] == [chosen]
    late = replace(slow, others={"agglomerative": 5.0, "sequential": 3.6})
    assert "united-cells" in starts(table_of_jumps(LARGE_CLASS), 10.0, late)


def test_sequential_keeps_models_of_large_classes() -> None:
    problem = replace(many_categories(12_000), models=(DistinctDiversity("place", 2),))
    large = replace(problem, k=LARGE_CLASS)
    assert starts(large, 10.0, Foreseen(1.6)) == ["mondrian", "k-member", "sequential"]
    late = Foreseen(1.6, others={"sequential": 2.6})
    for one, seconds, expected in (
        (problem, 10.0, Foreseen(1.6)),
        (large, 10.0, late),
        (large, inf, Foreseen(1.6)),
    ):
        assert "sequential" not in starts(one, seconds, expected)


def test_agglomerative_is_the_start_of_a_short_search_if_it_leads() -> None:
    problem = many_categories(20_000)
    leading = Foreseen(0.4, great=("agglomerative",), others={"agglomerative": 1.4})
    assert starts(problem, 2.5, leading) == ["sorted", "agglomerative", "hilbert"]
    both = replace(leading, taken=0.3)
    assert starts(problem, 2.5, both) == ["sorted", "k-member", "agglomerative", "hilbert"]
    assert starts(problem, 2.5, replace(leading, great=())) == ["sorted", "k-member", "hilbert"]
    late = replace(leading, others={"agglomerative": 1.6})
    assert starts(problem, 2.5, late) == ["sorted", "k-member", "hilbert"]
    # Slices would take too much of a shorter time; a longer search would make up for the start.
    quick = replace(leading, others={"agglomerative": 0.1})
    for seconds in (1.9, 3.1):
        assert starts(problem, seconds, quick) == ["sorted", "k-member", "hilbert"]


def test_agglomerative_comes_beside_the_usual_start_where_it_is_quick() -> None:
    problem = many_categories(20_000)
    assert is_look_worth_time(problem, 10.0)
    large = replace(problem, k=LARGE_CLASS)
    alone, both = ["sorted", "k-member", "hilbert"], ["sorted", "k-member", "agglomerative"]
    for one in (problem, large):
        assert starts(one, 10.0, Foreseen(1.6)) == alone
        assert starts(one, 10.0, Foreseen(1.4))[:3] == both
        # A repair takes time, too; without a time limit, what is quick is not known.
        with_model = replace(one, models=(DistinctDiversity("place", 2),))
        assert "agglomerative" not in starts(with_model, 10.0, Foreseen(1.4))
        assert "agglomerative" not in starts(one, inf, Foreseen(1.4))


def test_a_large_table_is_divided_along_a_curve_where_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = many_categories(12_000)
    assert problem.n > SMALL
    late = Foreseen(1.6, others={"hilbert": 4.1})
    assert starts(problem, 10.0, Foreseen(1.6)) == ["sorted", "k-member", "hilbert"]
    assert starts(problem, 10.0, late) == ["sorted", "k-member"]
    # Where a search would change little, a start may take more.
    assert "hilbert" in starts(problem, 10.0, replace(late, is_search_shallow=True))
    # If its order alone would take a twentieth of the time, only where the start is all there is.
    assert "hilbert" in starts(problem, 0.1, Foreseen(0.001))
    assert "hilbert" in starts(problem, 0.08, Foreseen(0.001))
    with monkeypatch.context() as context:
        context.setattr("shoal.algorithms.auto.policy.FEWEST_STEPS", 0.0)
        assert "hilbert" not in starts(problem, 0.08, Foreseen(0.001))
    # On a small table, only if it fits.
    small = many_categories(6_000)
    assert starts(small, 10.0, Foreseen(1.6))[-1] == "hilbert"
    assert starts(small, 10.0, late) == ["sorted", "k-member"]
    # A repair of its classes would take long.
    with_model = replace(problem, models=(DistinctDiversity("place", 2),))
    assert "hilbert" not in starts(with_model, 10.0, Foreseen(0.1))


def test_repairs_that_take_long_come_last_and_are_stopped_first() -> None:
    rng = np.random.default_rng(8)
    columns = {"one": rng.integers(0, 40, 20_000), "secret": rng.choice(["a", "b"], 20_000)}
    frame = pl.DataFrame(columns)
    schema = declare(frame, quasi=["one"], sensitive=["secret"])
    table = Table.of(frame, schema)
    kept = protect(DistinctDiversity("secret", 2), table)
    problem = Problem.of(encode(table), 2, models=(kept.model,), protected=(kept.codes,))
    # Few rows of many records: the curve is repaired in next to no time.
    assert problem.rows <= SMALL < problem.n
    assert starts(problem, 10.0, Foreseen(0.1)) == ["mondrian", "k-member", "hilbert", "sorted"]
    portfolio = Portfolio(problem, Run(seed=1, budget=Budget().fresh(seconds=600.0)))
    # Most pairs of equal records share their secret value.
    assert portfolio.starts.prospects.share_broken("sorted") > 0.5
    assert portfolio.starts._most_of("sorted", 10.0) < portfolio.starts._most_of("k-member", 10.0)


def unordered_categories(k: int, kind: str = "categorical") -> Problem:
    """Return a table on which `sorted` loses less than `mondrian`, unless its kind is numeric."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({name: rng.integers(0, 600, 6_000) for name in ("one", "other")})
    schema = declare(frame, quasi=frame.columns, kind=dict.fromkeys(frame.columns, kind))
    return Problem.of(encode(Table.of(frame, schema)), k)


@pytest.mark.parametrize(
    ("k", "timed", "leads", "doubted"),
    [
        (25, True, True, True),
        (4, True, True, False),
        (25, False, True, False),
        (25, True, False, False),
    ],
)
def test_large_runs_of_k_records_are_doubted_where_they_lead(
    k: int, timed: bool, leads: bool, doubted: bool
) -> None:
    problem = unordered_categories(k, "categorical" if leads else "numeric")
    budget = Budget().fresh(seconds=600.0) if timed else Budget(steps=1_000)
    portfolio = Portfolio(problem, Run(seed=1, budget=budget))
    for name in ("mondrian", "sorted"):
        portfolio.starts.enter(name, {}, inf)
    assert (portfolio.starts.losses["sorted"] < portfolio.starts.losses["mondrian"]) == leads
    assert portfolio.search._is_best_rigid == doubted


@pytest.mark.parametrize(("handicap", "steps"), [(1e6, ["refine"]), (1.0, ["look", "refine"])])
def test_runs_of_k_records_are_left_for_a_start_that_is_hardly_behind(
    handicap: float, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HANDICAPS, "sorted", handicap)
    problem = unordered_categories(25)
    run = Run(seed=1, budget=Budget().fresh(seconds=0.5))
    portfolio = Portfolio(problem, run)
    for name in ("mondrian", "sorted"):
        portfolio.starts.enter(name, {}, inf)
    assert portfolio.search._is_best_rigid
    portfolio.search._refine(1.0)
    assert [step.step for step in run.trace][2:] == steps


def test_a_start_that_promises_far_too_little_is_not_begun() -> None:
    for k, hopeless in ((4, True), (25, False)):
        portfolio = Portfolio(unordered_categories(k), Run(seed=1))
        starts, prospects = portfolio.starts, portfolio.starts.prospects
        for name in ("mondrian", "sorted"):
            starts.enter(name, {}, inf)
        behind = starts.losses["sorted"] / starts.losses["mondrian"]
        assert behind < 1
        assert not starts._is_hopeless("k-member")  # nobody has asked what it promises
        prospects._losses["k-member"] = 1.05 * behind
        assert not starts._is_hopeless("k-member")
        prospects._losses["k-member"] = 1.15 * behind
        assert starts._is_hopeless("k-member") == starts._is_hopeless("cells") == hopeless


def test_a_look_lasts_until_its_search_tells() -> None:
    problem = unordered_categories(25)
    share = {
        seconds: Portfolio(
            problem, Run(seed=1, budget=Budget().fresh(seconds=seconds))
        ).search._share_of_look(seconds)
        for seconds in (1e-3, 1e-2, 600.0)
    }
    assert share[600.0] == START_LOOK_SHARE
    assert share[1e-2] * 1e-2 == pytest.approx(LOOK_STEPS * problem.rows / STEPS_A_SECOND)
    assert share[1e-3] * 1e-3 == pytest.approx(share[1e-2] * 1e-2)
    # With steps it is always the same.
    stepped = Portfolio(problem, Run(budget=Budget(steps=10)))
    assert stepped.search._share_of_look(0.0) == START_LOOK_SHARE


def test_few_long_looks_go_to_the_best_starts() -> None:
    problem = make_problem(900, 3, 10)
    portfolio = Portfolio(problem, Run(seed=1, budget=Budget(seconds=60.0)))
    for name in ("mondrian", "sorted", "k-member", "hilbert"):
        portfolio.starts.enter(name, {}, inf)
    assert list(portfolio.search._promising_starts(1)) == ["k-member"]
    losses = portfolio.starts.losses
    others = sorted((HANDICAPS[name] * losses[name], name) for name in HANDICAPS if name in losses)
    assert set(portfolio.search._promising_starts(2)) == {"k-member", others[0][1]}


def test_without_looks_the_usual_start_is_preferred_if_it_is_hardly_behind() -> None:
    problem = make_problem(900, 3, 10)
    portfolio = Portfolio(problem, Run(seed=1, budget=Budget(seconds=60.0)))
    portfolio.starts.enter("mondrian", {}, inf)
    portfolio.starts.enter("k-member", {}, inf)
    found, losses = portfolio.starts.found, portfolio.starts.losses
    portfolio.contest._best = found["mondrian"]
    losses["k-member"] = 1.09 * losses["mondrian"]
    assert portfolio.search._start_without_looks(portfolio.run.budget) is found["k-member"]
    losses["k-member"] = 1.11 * losses["mondrian"]
    assert portfolio.search._start_without_looks(portfolio.run.budget) is None
    losses["k-member"] = losses["mondrian"]
    # A short search would hardly change it.
    assert portfolio.search._start_without_looks(Budget().fresh(seconds=1e-3)) is None


def test_where_losses_jump_the_best_start_is_taken() -> None:
    frame = mixed_table(900, 3).select("place", "code")
    schema = declare(frame, quasi=frame.columns, suppress_only=frame.columns)
    problem = Problem.of(encode(Table.of(frame, schema)), 10)
    portfolio = Portfolio(problem, Run(seed=1, budget=Budget(seconds=60.0)))
    for name in ("mondrian", "k-member"):
        portfolio.starts.enter(name, {}, inf)
    portfolio.contest._best = portfolio.starts.found["mondrian"]
    portfolio.starts.losses["k-member"] = 1.01 * portfolio.starts.losses["mondrian"]
    assert portfolio.search._start_without_looks(portfolio.run.budget) is None


def test_agglomerative_leads_without_doubt() -> None:
    problem = make_problem(900, 3, 10)
    budget = Budget().fresh(seconds=DOUBTED_FROM * 1.5 * problem.rows / STEPS_A_SECOND)
    portfolio = Portfolio(problem, Run(seed=1, budget=budget))
    portfolio.search.steps_a_second = STEPS_A_SECOND
    for leader, searches in (("agglomerative", 1), ("mondrian", 2)):
        ranked: Any = dict.fromkeys((leader, "k-member"))
        assert portfolio.search._searches(ranked, budget) == [leader, "k-member"][:searches]


@pytest.mark.parametrize(
    ("n", "steps", "number"),
    [(70, 4_999, 1), (70, 5_001, 2), (70, 10_001, 4), (100, 49_999, 1), (100, 50_001, 2)],
)
def test_long_searches_of_few_classes_are_divided(n: int, steps: int, number: int) -> None:
    problem = make_problem(n, 3, 10)
    budget = Budget(steps=steps * problem.rows)
    portfolio = Portfolio(problem, Run(seed=1, budget=budget))
    ranked: Any = dict.fromkeys(("mondrian", "k-member"))
    searches = portfolio.search._searches(ranked, budget)
    # A leader other than `k-member` is doubted, so that there are two at least.
    assert len(searches) == max(2, number)
    assert "k-member" in searches


@pytest.mark.parametrize(("k", "fits"), [(50, True), (60, False)])
def test_a_table_of_few_classes_is_not_divided_in_cells(k: int, fits: bool) -> None:
    # Of 40 classes at least, 4 cells at least.
    problem = replace(many_categories(9_000), k=k)
    prospects = Prospects(problem, Run(seed=1, budget=Budget().fresh(seconds=600.0)))
    assert (prospects.seconds("united-cells") < inf) == fits


@pytest.mark.parametrize(("taken", "chosen"), [(9.9, "k-member"), (10.1, "cells")])
def test_cells_of_a_large_table_are_worth_more_than_a_start_that_may_be_late(
    taken: float, chosen: str
) -> None:
    problem = many_categories(LEAST_CELLS * CELL_ROWS + 1_000)
    assert problem.rows > LEAST_CELLS * CELL_ROWS
    great = Foreseen(taken, great=("k-member",), others={"hilbert": 0.1})
    assert starts(problem, 10.0, great) == ["sorted", chosen, "hilbert"]


@pytest.mark.parametrize(("k", "fits"), [(562, True), (563, False)])
def test_a_table_of_fifteen_classes_is_not_divided_at_all(k: int, fits: bool) -> None:
    problem = replace(many_categories(9_000), k=k)
    prospects = Prospects(problem, Run(seed=1, budget=Budget().fresh(seconds=600.0)))
    assert (prospects.seconds("cells") < inf) == prospects.divides("cells") == fits


@pytest.mark.parametrize(("k", "tried"), [(2, False), (12, True)])
def test_sorted_is_tried_with_models_that_few_of_its_classes_break(k: int, tried: bool) -> None:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame(
        {"one": rng.integers(0, 10**6, 12_000), "secret": rng.choice(["a", "b"], 12_000)}
    )
    schema = declare(frame, quasi=["one"], sensitive=["secret"])
    table = Table.of(frame, schema)
    kept = protect(DistinctDiversity("secret", 2), table)
    problem = Problem.of(encode(table), k, models=(kept.model,), protected=(kept.codes,))
    portfolio = Portfolio(problem, Run(seed=1, budget=Budget().fresh(seconds=600.0)))
    # Of k records, all have one of the two values with a chance of 2^(1 - k).
    assert portfolio.starts.prospects.share_broken("sorted") == pytest.approx(
        2 ** (1 - k), abs=0.02
    )
    portfolio.starts.enter("mondrian", {"models": "keep"}, inf)
    portfolio.starts.enter_with_short_repair()
    assert ("sorted" in portfolio.starts.losses) == tried


def test_a_promise_is_told_by_neighbouring_classes() -> None:
    problem = many_categories(6_000)
    run = Run(seed=1)
    cut = solve_partition("mondrian", problem, run)
    told = loss_beside("k-member", problem, cut, run, inf)
    assert told is not None
    whole = solve_partition("k-member", problem, run)
    # A part has borders, so that it tells less than there is to gain.
    assert total(problem, whole) / total(problem, cut) < told < 0.9
    # Few classes tell nothing, nor do so many rows that they would take long.
    large = replace(problem, k=1_000)
    assert loss_beside("k-member", large, solve_partition("mondrian", large, run), run, inf) is None
    one = Partition(cut.rows, np.zeros_like(cut.classes), cut.counts)
    assert loss_beside("k-member", problem, one, run, inf) is None


def test_a_busy_machine_shows_as_a_slow_one() -> None:
    problem = many_categories(6_000)

    def tenfold() -> float:
        return 10.0 * time.process_time()

    run = Run(seed=1, budget=Budget(seconds=1e6, began=tenfold(), clock=tenfold))
    prospects = Prospects(problem, run)
    solve_partition("k-member", problem, run.child())
    assert prospects.slowness == pytest.approx(10.0, rel=0.05)
    assert not prospects.is_search_shallow
    assert prospects.seconds("agglomerative") < inf
    # Too little is left for slices of it, and for a search.
    short = Prospects(problem, run.within(replace(run.budget, seconds=0.0)))
    assert short.is_search_shallow
    assert short.seconds("agglomerative") == inf
    assert short.seconds("united-cells") == inf


def test_outliers_of_a_table_too_large_for_a_look_are_suppressed_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    ages = rng.integers(20, 40, 3_000)
    ages[::300] = 100_000 + 1_000 * np.arange(10)
    frame = pl.DataFrame({"age": ages, "height": rng.integers(150, 200, 3_000)})
    schema = declare(frame, quasi=frame.columns)
    problem = Problem.of(encode(Table.of(frame, schema)), 5, suppression=0.01)
    monkeypatch.setattr("shoal.algorithms.auto.classes.LOOK_SHARE", 0.0)
    run = Run(seed=1, budget=Budget(seconds=2.0))
    found = solve(problem, run)
    # Nothing else is tried with all records.
    assert [step.step for step in run.trace][:2] == ["mondrian", "mondrian"]
    assert run.trace[-1].step == "suppress"
    assert found.suppressed > 0
    assert found.sizes.min() >= problem.k


@pytest.mark.parametrize("has_outlier", [True, False])
def test_suppression_has_the_time_only_if_a_short_search_ends_lower(
    has_outlier: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    values = 3 if has_outlier else 6
    frame = pl.DataFrame({f"q{i}": rng.integers(0, values, 3_000) for i in range(4)})
    if has_outlier:
        frame = pl.concat([frame[1:], pl.DataFrame({name: [99] for name in frame.columns})])
    # Without one, intervals of a few values cost far less than a suppressed record.
    schema = declare(frame, quasi=frame.columns, suppress_only=frame.columns if has_outlier else [])
    problem = Problem.of(encode(Table.of(frame, schema)), 20, suppression=0.01)
    monkeypatch.setattr("shoal.algorithms.auto.classes.SUPPRESSION_JUDGES", 0.0)
    monkeypatch.setattr("shoal.algorithms.auto.classes.is_suppression_worth_time", lambda *_: True)
    run = Run(seed=1, budget=Budget(seconds=2.0))
    found = solve(problem, run)
    searches = [step.step for step in run.trace if step.step in {"suppress", "refine"}]
    # A search of all records, and one of those that are left, which are searches, too.
    assert searches[0] == "refine"
    assert searches.count("suppress") == (2 if has_outlier else 1)
    assert searches[-1] == ("suppress" if has_outlier else "refine")
    assert (found.suppressed > 0) is has_outlier


def test_a_start_that_slices_show_to_be_too_slow_gives_way_to_cells() -> None:
    problem = many_categories(9_000)
    assert starts(problem, 10.0, Foreseen(3.9)) == ["sorted", "k-member", "hilbert"]
    curve = {"hilbert": 0.1}
    assert starts(problem, 10.0, Foreseen(4.1, others=curve)) == ["sorted", "cells", "hilbert"]
    # Where a search would change little, the start may take more.
    shallow = Foreseen(4.1, is_search_shallow=True)
    assert starts(problem, 10.0, shallow) == ["sorted", "k-member", "hilbert"]
    # Another start that fits and promises far less loss takes the place of cells.
    other = Foreseen(4.1, great=("sequential",), others={"sequential": 2.4, **curve})
    assert starts(problem, 10.0, other) == ["sorted", "sequential", "hilbert"]
    slow = replace(other, others={"sequential": 2.6, **curve})
    assert starts(problem, 10.0, slow) == ["sorted", "cells", "hilbert"]
    united = replace(other, great=("agglomerative",), others={"agglomerative": 2.4, **curve})
    assert starts(problem, 10.0, united) == ["sorted", "agglomerative", "hilbert"]
    # So does `agglomerative` where it is quick, unless `k-member` promises far less loss.
    quick = Foreseen(4.1, others={"agglomerative": 1.4, **curve})
    assert starts(problem, 10.0, quick) == ["sorted", "agglomerative", "hilbert"]
    ahead = replace(quick, great=("k-member",))
    assert starts(problem, 10.0, ahead)[:2] == ["sorted", "k-member"]
    # So it may if it promises far less loss, but not with a model, whose repair takes time, too.
    great = Foreseen(29.9, great=("k-member",), others=curve)
    assert starts(problem, 10.0, great) == ["sorted", "k-member", "hilbert"]
    assert starts(problem, 10.0, replace(great, taken=30.1)) == ["sorted", "cells", "hilbert"]
    with_model = replace(problem, models=(DistinctDiversity("place", 2),))
    for promising in (great, other, united, quick):
        assert "cells" in starts(with_model, 10.0, promising)
    # Slices do not show how the time of a linear start grows, nor do cells save any.
    linear = replace(great, taken=8.4, linear=True, divided=False)
    assert starts(problem, 10.0, linear) == ["sorted", "k-member", "hilbert"]
    assert starts(problem, 10.0, replace(linear, taken=8.6)) == ["sorted", "hilbert"]
    # What promises too little for its time is left out.
    assert starts(problem, 10.0, Foreseen(3.9, worthless=("k-member",))) == ["sorted", "hilbert"]
    poor = Foreseen(4.1, worthless=("k-member",), others=curve)
    assert starts(problem, 10.0, poor) == ["sorted", "hilbert"]
    cost = calibrate("k-member", problem, Run(seed=1), 60.0)
    assert 0 < cost.seconds(9_000) < cost.seconds(90_000)
    assert calibrate("k-member", many_categories(500), Run(seed=1), 60.0).seconds(500) == 0


def test_a_further_slice_settles_doubts_about_the_usual_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def noted(name: str, problem: Problem, *others: Any) -> Partition:
        sizes.append(problem.rows)
        return solve_partition(name, problem, *others)

    monkeypatch.setattr("shoal.algorithms.auto.calibration.solve_partition", noted)
    monkeypatch.setattr("shoal.algorithms.auto.calibration.SLICE_SHARE", 0.0)
    problem = many_categories(20_000)
    doubt = "shoal.algorithms.auto.calibration.DOUBTFUL_SHARES"
    for name, limits, slices in (
        ("k-member", (inf, inf), 2),
        ("k-member", (0.0, inf), 4),
        ("agglomerative", (0.0, inf), 2),
    ):
        sizes.clear()
        monkeypatch.setattr(doubt, limits)
        calibrate(name, problem, Run(seed=1), 600.0)
        assert sizes == [1_024 * 2**place for place in range(slices)]


# ---- forms, goals and targets


def test_the_form_of_a_full_domain_is_its_optimum() -> None:
    frame = mixed_table(300, 11, spread=4)
    words = {**MIXED, "k": 5, "seed": 1}
    auto = shoal.anonymize(frame, form="full-domain", **words)
    flash = shoal.anonymize(frame, algorithm="flash", **words)
    assert auto.figures.measures["gcp"] == pytest.approx(flash.figures.measures["gcp"])
    assert auto.figures.optimal
    assert auto.facts["levels"].keys() == set(MIXED["quasi"])
    assert shoal.verify(frame, auto.frame, k=5, **{**MIXED, "form": "full-domain"}).passed


def test_a_lattice_too_large_to_search_whole_is_searched_until_the_budget_is_spent() -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 8, 80) for i in range(16)})
    words: dict[str, Any] = {"k": 3, "quasi": frame.columns, "seed": 1}
    words["hierarchy"] = dict.fromkeys(frame.columns, "ranges:2,4")
    for steps in (2_000, 20_000):
        release = shoal.anonymize(frame, form="full-domain", steps=steps, **words)
        trace = release.figures.trace
        assert [one["step"] for one in trace] == ["datafly", "descents"]
        assert steps <= release.figures.steps < 1.2 * steps
        kgen = shoal.anonymize(frame, algorithm="kgen", steps=steps, **words)
        assert release.figures.loss <= kgen.figures.loss


def test_the_form_of_a_hierarchy_shows_nodes_where_sets_would_be() -> None:
    frame = mixed_table(300, 12)
    release = shoal.anonymize(frame, k=5, seed=1, form="hierarchy", **MIXED)
    assert release.facts["guarantee"] == "classes"
    made = {**MIXED["hierarchy"], **release.facts["job"]["hierarchy"]}
    assert made["job"] == "auto"
    assert set(made) == {"job", "place"}
    # The verifier knows no cell but the nodes of the tree.
    assert shoal.verify(frame, release.frame, k=5, **{**MIXED, "hierarchy": made}).passed


def test_the_form_of_a_cover_is_never_worse_than_rings() -> None:
    frame = mixed_table(300, 13)
    words = {**MIXED, "k": 5, "seed": 1}
    auto = shoal.anonymize(frame, form="freeform", **words)
    ring = shoal.anonymize(frame, algorithm="ring", **words)
    assert auto.facts["guarantee"] == "freeform"
    assert auto.figures.measures["gcp"] <= ring.figures.measures["gcp"]
    assert shoal.verify(frame, auto.frame, **{**words, "form": "freeform"}).passed
    with pytest.raises(ParameterError, match="conditions on classes"):
        shoal.anonymize(frame, form="freeform", models="distinct-l-diversity:2", **words)


def test_the_best_cover_of_a_small_table_is_proved() -> None:
    frame = mixed_table(12, 3)
    words = {**MIXED, "k": 4, "seed": 1}
    auto = shoal.anonymize(frame, form="freeform", **words)
    assert auto.figures.optimal
    assert [step["step"] for step in auto.figures.trace] == ["ring", "ff-optimal"]
    search = shoal.anonymize(frame, algorithm="ff-refine", **words)
    assert auto.figures.measures["gcp"] <= search.figures.measures["gcp"] + 1e-9


@pytest.mark.parametrize(("form", "algorithm"), [("full-domain", "k-member"), ("hierarchy", "ola")])
def test_a_form_that_an_algorithm_does_not_publish_is_refused(form: Any, algorithm: str) -> None:
    with pytest.raises(ParameterError, match=f"not {form}"):
        shoal.anonymize(mixed_table(50, 14), k=5, form=form, algorithm=algorithm, **MIXED)


def test_a_measure_goes_before_a_target() -> None:
    frame = mixed_table(300, 15)
    words = {**MIXED, "k": 5, "seed": 1}
    plain = shoal.anonymize(frame, **words)
    told = shoal.anonymize(frame, target="disease", measure="gcp", **words)
    assert told.figures.measures["gcp"] == plain.figures.measures["gcp"]
    assert told.facts["job"]["measure"] == "gcp"


def test_a_job_file_keeps_whether_a_target_decides(tmp_path: Any) -> None:
    path = tmp_path / "job.toml"
    for words in ({"target": "disease"}, {"target": "disease", "measure": "gcp"}):
        path.write_text(write_job(Job.from_dict({"k": 5, "quasi": ["age"], **words})))
        assert read_job(path).get("measure") == words.get("measure")


def test_goal_is_another_word_for_measure() -> None:
    assert Job.from_dict({"k": 5, "quasi": ["age"], "goal": "mi"}).measure == "mi"
    assert Job.from_dict({"k": 5, "quasi": ["age"], "goal": "mi", "measure": "mi"}).measure == "mi"
    with pytest.raises(ParameterError, match="given twice, with different values"):
        Job.from_dict({"k": 5, "quasi": ["age"], "goal": "mi", "measure": "pmi"})


def test_the_default_takes_no_longer_on_a_wide_table() -> None:
    """A step compares attributes; lists of near records compare all pairs in each attribute."""

    def budget(n: int, attributes: int) -> Budget:
        rng = np.random.default_rng(1)
        frame = pl.DataFrame({f"q{i}": rng.integers(0, 1000, n) for i in range(attributes)})
        schema = declare(frame, quasi=frame.columns)
        return default_budget(Problem.of(encode(Table.of(frame, schema)), 5))

    usual, wide = budget(400, 8), budget(400, 160)
    assert usual.steps is not None
    assert wide.steps is not None
    assert usual.steps == 10 * wide.steps
    assert budget(400, 16).steps == usual.steps
    # 6,000 records would get steps, but comparing them in 300 attributes takes a clock.
    assert budget(6_000, 3).seconds is None
    assert budget(6_000, 300).seconds == DEFAULT_SECONDS


def test_classes_larger_than_a_slice_are_no_obstacle() -> None:
    problem = make_problem(9_000, 3, 2_000)
    cost = calibrate("k-member", problem, Run(seed=1), 60.0)
    assert 0 < cost.seconds(problem.rows) < 60
    found = solve(problem, Run(seed=1, budget=Budget(seconds=0.3)))
    assert found.sizes.min() >= 2_000


def test_cells_of_few_large_classes_have_two_at_least() -> None:
    problem = make_problem(9_000, 3, 2_000)
    for seconds in (0.0, 60.0):
        found = divide_in_cells(problem, Run(seed=1, budget=Budget(seconds=seconds)), 100)
        assert placed(problem, found) == problem.counts.tolist()
        assert found.sizes.min() >= 2_000
        assert found.number >= 2


def test_without_time_for_looks_the_search_begins_with_the_best_start() -> None:
    problem = make_problem(3_000, 3, 400)
    run = Run(seed=1, budget=Budget(seconds=2.0))
    portfolio = Portfolio(problem, run)
    portfolio.starts.enter("mondrian", {}, inf)
    portfolio.starts.enter("sorted", {}, inf)
    best = min(portfolio.starts.losses.values())
    portfolio.contest.judging = 0.5  # seconds: more than a look would take
    portfolio.search._refine(1.0)
    assert [step.step for step in run.trace] == ["mondrian", "sorted", "refine"]
    assert run.trace[-1].loss is not None
    assert run.trace[-1].loss <= best
