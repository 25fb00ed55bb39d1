"""The search for global recodings: its counting, its moves, and the chain they make."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from shoal.algorithms import Cut, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.recoding.search import MEASURES, open_search
from shoal.encoding import encode
from shoal.measures import Measures, Released, TargetColumn
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.algorithms.test_lattice import problem_of, random_case
from tests.tables import MIXED, PLACES, mixed_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal._core import kernels

    State = tuple[tuple[int, ...], ...]

FREE: dict[str, Any] = {"temperature": 1e9, "uncollapse": 0.5, "pressure": 0.0, "hastings": False}


def make_problem(frame: pl.DataFrame, k: int, measure: str, **words: Any) -> Problem:
    hierarchy = words.pop("hierarchy", {})
    job = Job.from_dict({"k": k, "measure": measure, **words})
    table = Table.of(frame, schema_of(frame, job, hierarchy))
    target = np.unique(frame[job.sensitive[0]].to_numpy(), return_inverse=True)[1]
    return Problem.of(
        encode(table), k, measure=measure, suppression=0.2, target=target.astype(np.uint32)
    )


def canonical(groups: NDArray[np.int32]) -> tuple[int, ...]:
    """Number groups in the order in which they first occur."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(int(group), len(seen)) for group in groups)


def state(search: kernels.RecodingSearch, attributes: int) -> State:
    return tuple(canonical(search.groups(place)) for place in range(attributes))


@pytest.mark.parametrize("measure", [*MEASURES, "wmi:0.25"])
@pytest.mark.parametrize("seed", range(4))
def test_loss_is_what_the_evaluator_says(measure: str, seed: int) -> None:
    frame = mixed_table(150, seed, missing=0.1 * (seed % 2), spread=6)
    words = dict(MIXED)
    problem = make_problem(frame, 4, measure, **words)
    search = open_search(problem, seed, contiguous=seed != 3)
    for _ in range(10):
        for place in range(len(problem.domains)):
            search.walk(place, 3, **FREE)
        cut = Cut(tuple(search.groups(place) for place in range(len(problem.domains))))
        # Levels are those of all groups, also of those whose records are all suppressed.
        seen = replace(problem, k=1) if measure == "precision" else problem
        recoding = cut.recode(seen, np.random.default_rng(1))
        target = np.unique(frame["disease"].to_numpy(), return_inverse=True)[1]
        record_codes = tuple(codes[problem.folded.row_of] for codes in problem.codes)
        released = Released(
            problem.domains,
            problem.weights,
            record_codes,
            recoding,
            problem.n,
            4,
            TargetColumn("disease", target, target),
        )
        if released.blank.any():
            continue  # cells that show nothing count as suppressed: another figure
        assert measure == "precision" or search.suppressed == recoding.suppressed
        assert search.loss == pytest.approx(Measures(released, [measure])[measure], abs=1e-7)


def small_table() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    size = 60
    return pl.DataFrame(
        {
            "age": rng.integers(20, 24, size),
            "job": rng.choice(list("abcd"), size),
            "place": rng.choice(PLACES.leaves, size),
            "code": rng.choice(list("wxyz"), size),
            "disease": rng.choice(["flu", "gout"], size),
        }
    )


# Divisions of four values into any groups, of four into intervals, cuts of the tree (a and c may
# be whole or not, west whole if a is, east whole if c is, and all in one), all but the four
# subsets of one of four values.
@pytest.mark.parametrize(
    ("column", "words", "states"),
    [
        ("job", {}, 15),
        ("age", {}, 8),
        ("place", {"hierarchy": {"place": PLACES}}, (2 + 1) * (2 + 1) + 1),
        ("code", {"suppress_only": ["code"]}, 2**4 - 4),
    ],
)
def test_every_state_is_reached_and_every_step_has_a_way_back(
    column: str, words: dict[str, Any], states: int
) -> None:
    problem = make_problem(
        small_table().select(column, "disease"),
        2,
        "gcp",
        quasi=[column],
        sensitive=["disease"],
        **words,
    )
    search = open_search(problem, 3, contiguous=True)
    seen: set[tuple[int, ...]] = set()
    steps: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    here = canonical(search.groups(0))
    for _ in range(40_000):
        search.walk(0, 1, **FREE)
        there = canonical(search.groups(0))
        seen.add(there)
        steps.add((here, there))
        here = there
    assert len(seen) == states
    assert all((there, here) in steps for here, there in steps)


def boltzmann_fit(problem: Problem, *, hastings: bool, temperature: float) -> float:
    """Return the p-value of the visits being in proportion to exp(-loss / temperature)."""
    search = open_search(problem, 11, contiguous=True)
    attributes = len(problem.domains)
    visits: Counter[State] = Counter()
    losses: dict[State, float] = {}
    walk: dict[str, Any] = {
        "temperature": temperature,
        "uncollapse": 0.4,
        "pressure": 0.0,
        "hastings": hastings,
    }
    for _ in range(6_000):
        for place in range(attributes):
            search.walk(place, 12, **walk)
        here = state(search, attributes)
        visits[here] += 1
        losses[here] = search.loss
    weights = {here: np.exp(-loss / temperature) for here, loss in losses.items()}
    total = sum(visits.values())
    expected = {here: total * weight / sum(weights.values()) for here, weight in weights.items()}
    common = [here for here, count in expected.items() if count >= 8]
    observed = np.array([visits[here] for here in common] + [0.0])
    should = np.array([expected[here] for here in common] + [0.0])
    observed[-1], should[-1] = total - observed.sum(), total - should.sum()
    held = should > 0
    return float(
        stats.chisquare(
            observed[held], should[held] * observed[held].sum() / should[held].sum()
        ).pvalue
    )


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("job", {}),
        ("age", {}),
        ("place", {"hierarchy": {"place": PLACES}}),
        ("code", {"suppress_only": ["code"]}),
    ],
)
def test_with_hastings_the_chain_is_boltzmann_and_as_printed_it_is_not(
    column: str, words: dict[str, Any]
) -> None:
    problem = make_problem(
        small_table().select(column, "disease"),
        2,
        "gcp",
        quasi=[column],
        sensitive=["disease"],
        **words,
    )
    assert boltzmann_fit(problem, hastings=True, temperature=0.4) > 1e-3
    assert boltzmann_fit(problem, hastings=False, temperature=0.4) < 1e-6


def all_divisions(values: int) -> Iterator[tuple[int, ...]]:
    for groups in itertools.product(range(values), repeat=values):
        if canonical(np.array(groups)) == groups:
            yield groups


@pytest.mark.parametrize("measure", ["gcp", "mi", "pmi", "cm", "cm_fields", "precision"])
@pytest.mark.parametrize("hastings", [False, True])
def test_annealing_finds_the_best_of_all_states(measure: str, hastings: bool) -> None:
    frame = small_table().select("age", "job", "disease")
    problem = make_problem(frame, 6, measure, quasi=["age", "job"], sensitive=["disease"])
    search = open_search(problem, 1, contiguous=True)
    best = np.inf
    for ages, jobs in itertools.product(all_divisions(4), all_divisions(4)):
        if not search.allows(0, np.array(ages, dtype=np.int32)):
            continue
        search.set_groups(0, np.array(ages, dtype=np.int32))
        search.set_groups(1, np.array(jobs, dtype=np.int32))
        if search.suppressed <= problem.suppression_limit:
            best = min(best, search.loss)
    run = Run(seed=5, budget=Budget(steps=40_000))
    make_algorithm("annealing", {"hastings": hastings}).solve(problem, run)
    assert run.control.loss == pytest.approx(best)


@pytest.mark.parametrize("seed", [4, 7, 11, 13])
def test_precision_of_the_best_grouping_is_that_of_the_best_node(seed: int) -> None:
    # The highest group of an attribute decides; lifting all others to it breaks no promise.
    frame, hierarchies, _ = random_case(seed)
    asked = problem_of(frame, hierarchies, 3, suppression=0.1, measure="precision")
    node = make_algorithm("ola").solve(asked, Run(seed=1))
    run = Run(seed=seed, budget=Budget(steps=30_000))
    make_algorithm("annealing").solve(asked, run)
    assert run.control.loss == pytest.approx(node.lower_bound)


def test_annealing_does_not_let_the_first_attribute_take_all_room() -> None:
    # Exact values of `fine` leave no room for anything else; halves of all three are far better.
    rng = np.random.default_rng(3)
    halves = rng.integers(0, 2, (1600, 3))
    frame = pl.DataFrame(
        {
            "fine": 25 * halves[:, 0] + rng.integers(0, 25, 1600),
            "first": 9 * halves[:, 1],
            "second": 9 * halves[:, 2],
            "disease": rng.choice(["flu", "gout"], 1600),
        }
    )
    problem = make_problem(
        frame, 100, "gcp", quasi=["fine", "first", "second"], sensitive=["disease"]
    )
    run = Run(seed=8, budget=Budget(steps=20_000))
    make_algorithm("annealing").solve(problem, run)
    search = open_search(problem, 1, contiguous=True)
    coarse = (np.arange(problem.domains[0].size) >= 25).astype(np.int32)
    search.set_groups(0, coarse)
    for place in (1, 2):
        search.set_groups(place, np.array([0, 1], dtype=np.int32))
    assert search.suppressed == 0
    assert run.control.loss <= search.loss + 1e-12


def test_printed_proposals_draw_a_value_and_all_outside_its_group_alike() -> None:
    """Five values, two of them in a group: how often each partition follows, by hand."""
    frame = pl.DataFrame({"x": list("abcde"), "s": ["u", "v"] * 2 + ["u"]})
    problem = make_problem(frame, 2, "cm", quasi=["x"], sensitive=["s"])
    search = open_search(problem, 3, contiguous=True)
    pair = np.array([0, 0, 1, 2, 3], dtype=np.int32)
    draws = 20_000
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(draws):
        search.set_groups(0, pair)
        search.walk(0, 1, **{**FREE, "uncollapse": 0.0})
        seen[canonical(search.groups(0))] += 1
    chance: dict[tuple[int, ...], float] = {}
    for y in range(5):
        near = [y] + [z for z in range(5) if pair[z] != pair[y]]
        for z in near:
            after = pair.copy()
            after[z] = 4 if z == y else pair[y]
            key = canonical(after)
            chance[key] = chance.get(key, 0.0) + 1 / 5 / len(near)
    assert set(seen) == set(chance)
    expected = [draws * chance[one] for one in seen]
    assert stats.chisquare(list(seen.values()), expected).pvalue > 1e-6


@pytest.mark.parametrize("hastings", [False, True])
def test_sim1_as_printed_finds_the_best_of_all_states(hastings: bool) -> None:
    frame = mixed_table(60, 4, spread=4).select("job", "place", "disease")
    problem = make_problem(frame, 3, "cm", quasi=["job", "place"], sensitive=["disease"])
    runs = [Run(seed=2, budget=Budget(steps=4_000)) for _ in range(2)]
    settings = {"schedule": "paper", "hastings": hastings}
    one, two = (make_algorithm("annealing", settings).solve(problem, run) for run in runs)
    assert isinstance(one, Cut)
    assert isinstance(two, Cut)
    assert all((a == b).all() for a, b in zip(one.groups, two.groups, strict=True))
    long = make_algorithm("annealing").solve(problem, Run(seed=2, budget=Budget(steps=200_000)))
    assert isinstance(long, Cut)
    search = open_search(problem, 1, contiguous=True)
    losses = []
    for found in (one, long):
        for place, groups in enumerate(found.groups):
            search.set_groups(place, groups)
        losses.append(search.loss)
    assert losses[0] <= losses[1] + 1e-12


def test_groups_of_a_wrong_shape_are_refused() -> None:
    problem = make_problem(
        small_table().select("age", "disease"), 2, "gcp", quasi=["age"], sensitive=["disease"]
    )
    search = open_search(problem, 1, contiguous=True)
    assert not search.allows(0, np.array([0, 1, 0, 0], dtype=np.int32))
    assert search.allows(0, np.array([0, 0, 1, 1], dtype=np.int32))
    with pytest.raises(ValueError, match="one entry for each value"):
        search.set_groups(0, np.zeros(3, dtype=np.int32))
    with pytest.raises(ValueError, match="no such group"):
        search.set_groups(0, np.full(4, 9, dtype=np.int32))
