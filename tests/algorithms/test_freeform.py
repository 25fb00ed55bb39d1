"""Freeform algorithms against slow answers; publication, symmetry and attacks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.stats import chi2

import shoal
from shoal._core import kernels
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.budget import Budget
from shoal.algorithms.cover import Cover, matchings
from shoal.algorithms.freeform.kernel_covers import lexicographic_rows
from shoal.algorithms.freeform.records import restricted, rows_of, shuffled
from shoal.algorithms.freeform.ring import rings
from shoal.algorithms.freeform.segments import segments
from shoal.algorithms.freeform.sets import list_sets, sets_at_most
from shoal.encoding import encode
from shoal.errors import ParameterError
from shoal.hierarchies import Hierarchy
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Schema, Table
from tests.reference.covers import (
    Graph,
    least_cover_loss,
    possible_counterparts,
)
from tests.reference.freeform_rounds import (
    by_originals,
    by_released,
    by_sorted_pairs,
    in_pairs,
    width,
)
from tests.reference.loss import class_loss
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}


def schema(frame: pl.DataFrame, k: int) -> Schema:
    return schema_of(frame, Job.from_dict({**WORDS, "k": k}), MIXED["hierarchy"])


def problem(frame: pl.DataFrame, k: int) -> Problem:
    return Problem.of(encode(Table.of(frame, schema(frame, k))), k)


def cover_of(name: str, asked: Problem, **parameters: Any) -> Cover:
    solution = make_algorithm(name, parameters).solve(asked, Run(seed=5))
    assert isinstance(solution, Cover)
    return solution


def loss(asked: Problem, cover: Cover) -> float:
    return float(kernels.cover_loss(asked.records(), asked.k, rows_of(asked, cover)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [3, 12])
def test_every_round_of_assignments_is_optimal(seed: int, spread: int) -> None:
    """Each round costs what scipy finds on the matrix of all pairs, used ones barred."""
    k, frame = 4, mixed_table(26, seed, missing=0.1, spread=spread)
    asked = problem(frame, k)
    columns = schema(frame, k)
    members = kernels.cover(
        asked.records(), k, "assignments", lexicographic_rows(asked), 1, kernels.Control()
    ).reshape(-1, k)
    some = asked.folded.first.tolist()  # a record of each row
    copies = asked.counts.tolist()
    for held in range(1, k):
        before = [members[i, :held].tolist() for i in range(asked.n)]
        growth = np.array(
            [
                [
                    class_loss(frame, columns, [some[r] for r in {*rows, row}])
                    - class_loss(frame, columns, [some[r] for r in set(rows)])
                    if rows.count(row) < copies[row]
                    else 1e3
                    for row in range(asked.rows)
                ]
                for rows in before
            ]
        )
        costs = np.repeat(growth, copies, axis=1)
        best = costs[linear_sum_assignment(costs)].sum()
        taken = growth[np.arange(asked.n), members[:, held]].sum()
        assert taken == pytest.approx(best, abs=1e-6)
        assert np.bincount(members[:, held], minlength=asked.rows).tolist() == copies


@pytest.mark.parametrize("seed", range(3))
def test_an_assignment_of_many_records_is_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"a": rng.integers(0, 400, 700), "b": rng.integers(0, 50, 700)})
    job = Job.from_dict({"k": 2, "quasi": ["a", "b"]})
    asked = Problem.of(encode(Table.of(frame, schema_of(frame, job))), 2)
    cover = make_algorithm("ff-hungarian").solve(asked, Run(seed=1))
    assert isinstance(cover, Cover)
    a, b = (values / np.ptp(values) for values in frame.to_numpy().astype(float).T)
    costs = (np.abs(a[:, None] - a) + np.abs(b[:, None] - b)) / 2 + 1e3 * np.eye(700)
    assert loss(asked, cover) == pytest.approx(costs[linear_sum_assignment(costs)].mean(), abs=1e-6)


def numbers(n: int, seed: int) -> pl.DataFrame:
    """Return two numeric columns without equal differences, so that no choice is a tie."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"a": rng.random(n), "b": rng.random(n)})


def of_numbers(frame: pl.DataFrame, k: int) -> Problem:
    job = Job.from_dict({"k": k, "quasi": ["a", "b"]})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), k)


def members_of(method: str, frame: pl.DataFrame, k: int) -> list[set[int]]:
    """Return what a kernel's released records cover, by record."""
    asked = of_numbers(frame, k)
    members = kernels.cover(
        asked.records(), k, method, lexicographic_rows(asked), 1, kernels.Control()
    ).reshape(-1, k)
    record_of = np.argsort(asked.folded.row_of, kind="stable")
    found = {int(record_of[i]): {*record_of[rows].tolist()} for i, rows in enumerate(members)}
    return [found[i] for i in range(frame.height)]


def scaled(frame: pl.DataFrame) -> NDArray[np.float64]:
    values = frame.to_numpy()
    return np.asarray(values / (values.max(axis=0) - values.min(axis=0)))


@pytest.mark.parametrize(("n", "k"), [(24, 3), (16, 6), (11, 6)])
def test_originals_choose_as_in_algorithm_1(n: int, k: int) -> None:
    """Dead ends included: near (n + 3) / 2 most rounds have some."""
    for seed in range(10):
        frame = numbers(n, seed)
        names = of_numbers(frame, k).folded.row_of.tolist()
        expected = by_originals(scaled(frame), k, names)
        assert members_of("originals", frame, k) == expected


def exact_in_fixed_point(n: int, seed: int) -> tuple[pl.DataFrame, Schema]:
    """Return records of every kind of closure, whose losses are multiples of 1/512: true ties."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(129), rng.integers(0, 129, n - 129)])
    frame = pl.DataFrame(
        {
            "number": [0, 32, *rng.integers(0, 33, n - 2).tolist()],
            "few": [f"f{code % 9}" for code in codes.tolist()],
            "many": [f"m{code:03}" for code in rng.permutation(codes).tolist()],
            "place": [f"p{code % 9}" for code in rng.permutation(codes).tolist()],
        }
    )
    places = Hierarchy.from_rows([[f"p{i}", f"group {i // 3}", "*"] for i in range(9)])
    job = Job.from_dict({"quasi": frame.columns, "k": 2})
    return frame, schema_of(frame, job, {"place": places})


@pytest.mark.parametrize(("n", "k", "threads"), [(300, 3, 1), (300, 3, 3), (700, 4, 1)])
def test_originals_choose_the_least_growth_whatever_the_closures(
    n: int, k: int, threads: int
) -> None:
    """Against the growth of every free closure, computed one by one from its members."""
    frame, columns = exact_in_fixed_point(n, k)
    asked = Problem.of(encode(Table.of(frame, columns)), k)
    order = lexicographic_rows(asked).tolist()
    members = kernels.cover(
        asked.records(), k, "originals", np.array(order, np.int32), threads, kernels.Control()
    ).reshape(-1, k)
    some = frame[asked.folded.first.tolist()]
    number, few, many, place = (some[name].to_list() for name in frame.columns)

    def lost(rows: list[int]) -> float:
        ordered = sorted(number[row] for row in rows)
        groups = {place[row]: int(place[row][1]) // 3 for row in rows}
        of_place = 0.0 if len(groups) == 1 else 0.25 if len({*groups.values()}) == 1 else 1.0
        distinct = (len({few[row] for row in rows}) - 1) / 8
        listed = (len({many[row] for row in rows}) - 1) / 128
        return float(ordered[-1] - ordered[0]) / 32 + distinct + listed + of_place

    for held in range(1, k):
        before = [one[:held] for one in members.tolist()]
        losses = [lost(rows) for rows in before]
        free = set(range(n))
        for row in np.repeat(order, asked.counts[order]).tolist():
            able = [i for i in free if before[i].count(row) < asked.counts[row]]
            chosen = min(able, key=lambda i: (lost([*before[i], row]) - losses[i], i))
            assert members[chosen, held] == row
            free.remove(chosen)


@pytest.mark.parametrize(
    ("method", "oracle"),
    [
        ("greedy", by_released),
        ("sorted", by_sorted_pairs),
        ("symmetric-greedy", partial(in_pairs, sort=False)),
        ("symmetric", partial(in_pairs, sort=True)),
    ],
)
def test_rounds_are_those_of_the_oracle(method: str, oracle: Any) -> None:
    compared = 0
    for seed in range(12):
        frame = numbers(24, seed)
        expected = oracle(scaled(frame), 3)
        if expected:
            compared += 1
            assert members_of(method, frame, 3) == expected
    assert compared >= 5


def least_pairing(costs: NDArray[np.float64]) -> float:
    """Return what the cheapest division of all into pairs costs, by an integer program."""
    pairs = list(combinations(range(len(costs)), 2))
    ends = np.array([[i in pair for pair in pairs] for i in range(len(costs))], dtype=float)
    found = milp(
        [costs[pair] for pair in pairs],
        constraints=LinearConstraint(ends, 1, 1),
        integrality=np.ones(len(pairs), dtype=np.int64),
        bounds=Bounds(0, 1),
    )
    assert found.success
    return float(found.fun)


def test_first_pairs_by_assignment_are_near_the_best() -> None:
    """Records left over by odd cycles keep them from the best pairing."""
    lost: dict[str, float] = dict.fromkeys(["symmetric-assignments", "symmetric-greedy"], 0.0)
    least = 0.0
    for seed in range(6):
        frame = numbers(40, seed)
        values = scaled(frame)
        least += 2 * least_pairing(np.abs(values[:, None] - values).sum(axis=2))
        for method in lost:
            lost[method] += sum(width(values, one) for one in members_of(method, frame, 2))
    assert least <= lost["symmetric-assignments"] + 1e-6
    assert lost["symmetric-assignments"] < 1.2 * least < lost["symmetric-greedy"]


SYMMETRIC = ["ff-greedy", "ff-sortgreedy", "ff-hungarian", "ff-mincost", "ff-refine"]


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("k", [2, 5, 8, 9, 10])
def test_symmetric_forms_are_symmetric_and_regular_up_to_k_equal_n(name: str, k: int) -> None:
    for n in (10, 11):
        cover = cover_of(name, problem(mixed_table(n, k, spread=4), k), symmetric=True)
        graph = graph_of(cover)
        assert np.bincount(cover.matches.ravel(), minlength=n).tolist() == [k] * n
        assert all(i in graph[other] for i, covered in enumerate(graph) for other in covered)
        # Without itself is one record at most, where n·(k - 1) is odd.
        assert sum(i not in covered for i, covered in enumerate(graph)) == (n % 2) * (1 - k % 2)


def test_symmetric_refinement_loses_less_than_its_start_and_follows_its_steps() -> None:
    asked = problem(mixed_table(150, 2, missing=0.05), 4)
    runs = [Run(seed=3, budget=Budget(steps=40)) for _ in range(2)]
    one, two = (make_algorithm("ff-refine", {"symmetric": True}).solve(asked, run) for run in runs)
    assert isinstance(one, Cover)
    assert isinstance(two, Cover)
    assert (one.matches == two.matches).all()
    assert runs[0].control.steps == 40
    start = loss(asked, cover_of("ff-hungarian", asked, symmetric=True))
    assert loss(asked, one) < 0.97 * start


@pytest.mark.parametrize("name", ["ff-greedy", "ff-sortgreedy", "ff-hungarian", "ff-mincost"])
@pytest.mark.parametrize("k", [2, 5, 8, 9, 10])
def test_dead_ends_are_resolved_up_to_k_equal_n(name: str, k: int) -> None:
    for seed in range(6):
        asked = problem(mixed_table(10, seed, spread=4), k)
        cover = cover_of(name, asked)
        if name == "ff-greedy":
            printed = cover_of(name, asked, chooser="original")
            assert np.bincount(printed.matches.ravel(), minlength=10).tolist() == [k] * 10
        assert np.bincount(cover.matches.ravel(), minlength=10).tolist() == [k] * 10


def test_optimum_of_the_program_is_that_of_trying_everything() -> None:
    for seed in range(4):
        frame = mixed_table(6, seed, missing=0.15, spread=5)
        cover = cover_of("ff-mip", problem(frame, 3))
        best = least_cover_loss(frame, schema(frame, 3), 3)
        assert cover.optimal
        assert loss(problem(frame, 3), cover) == pytest.approx(best, abs=1e-6)
        assert cover.lower_bound is not None
        assert cover.lower_bound <= best + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_both_programs_prove_the_same_optimum(seed: int) -> None:
    k = 2 + seed % 3
    asked = problem(mixed_table(6, seed, missing=0.15, spread=3), k)
    by_sets, by_pairs = (cover_of("ff-mip", asked, program=name) for name in ("sets", "paper"))
    assert by_sets.optimal
    assert by_pairs.optimal
    assert loss(asked, by_sets) == pytest.approx(loss(asked, by_pairs), abs=1e-6)


@pytest.mark.parametrize("column", ["age", "job", "code"])
def test_an_attribute_with_one_value_costs_nothing_in_either_program(column: str) -> None:
    frame = mixed_table(6, 1)
    frame = frame.with_columns(pl.lit(frame[column][0]).alias(column))
    asked = problem(frame, 3)
    best = least_cover_loss(frame, schema(frame, 3), 3)
    for program in ("sets", "paper"):
        cover = cover_of("ff-mip", asked, program=program)
        assert cover.optimal
        assert loss(asked, cover) == pytest.approx(best, abs=1e-6)


def test_sets_hold_equal_records_as_often_as_there_are() -> None:
    frame = mixed_table(3, 1)
    asked = problem(pl.concat([frame] * 3 + [frame.head(1)] * 2), 4)
    assert sorted(asked.counts.tolist()) == [3, 3, 5]
    listed = list_sets(asked)
    tried = combinations(np.sort(asked.folded.row_of).tolist(), 4)
    assert sorted(map(tuple, listed.tolist())) == sorted(set(tried))
    assert sets_at_most(asked, len(listed))
    assert not sets_at_most(asked, len(listed) - 1)
    cover = cover_of("ff-mip", asked)
    assert cover.optimal
    assert (np.bincount(cover.matches.ravel()) == 4).all()


def test_few_rows_and_a_large_k_are_counted_at_once() -> None:
    frame = mixed_table(1, 1)
    asked = problem(pl.concat([frame] * 30_000), 20_000)
    assert sets_at_most(asked, 1)
    assert not sets_at_most(problem(pl.concat([mixed_table(8, 1)] * 5_000), 15_000), 10**9)


def test_too_many_sets_are_not_listed() -> None:
    asked = problem(mixed_table(60, 1), 8)
    assert not sets_at_most(asked, 200_000)
    run = Run(seed=1)
    cover = make_algorithm("ff-mip").solve(asked, run)
    assert not cover.optimal
    assert "200,000 sets" in run.notes[0]


@pytest.mark.parametrize("seed", range(3))
def test_flow_of_least_cost_is_optimal_at_k_2(seed: int) -> None:
    asked = problem(mixed_table(14, seed, missing=0.1), 2)
    program, flow = cover_of("ff-mip", asked), cover_of("ff-mincost", asked)
    assert program.optimal
    assert loss(asked, flow) == pytest.approx(loss(asked, program), abs=1e-6)
    assert loss(asked, cover_of("ff-hungarian", asked)) == pytest.approx(
        loss(asked, flow), abs=1e-6
    )


@pytest.mark.parametrize(("k", "most"), [(3, 0.95), (4, 0.98), (5, 0.98)])
def test_refinement_is_never_worse_than_its_start_nor_than_rings_in_classes(
    k: int, most: float
) -> None:
    for seed in range(3):
        asked = problem(mixed_table(150, seed, missing=0.05), k)
        refined = loss(asked, cover_of("ff-refine", asked))
        assert refined <= loss(asked, cover_of("ff-hungarian", asked))
        assert refined <= loss(asked, cover_of("ring", asked))
        # On tables of this kind it gains some percent.
        assert refined < most * loss(asked, cover_of("ff-hungarian", asked))


@pytest.mark.parametrize(("k", "share"), [(5, 0.05), (20, 0.7)])
def test_it_is_never_worse_than_classes_that_got_their_share(k: int, share: float) -> None:
    """A step of the search for classes is the 800th part of a block."""
    asked = problem(mixed_table(200, 1), k)
    run = Run(seed=1, budget=Budget(steps=100))
    found = make_algorithm("ff-refine", {"heat": 0.0}).solve(asked, run)
    assert isinstance(found, Cover)
    assert run.control.steps == 100  # those for classes are part of them
    alike, _ = shuffled(asked, Run(seed=1))
    budget = Budget(steps=int(800 * share * 100))
    classes = solve_partition("refine", alike, Run(seed=1, budget=budget))
    assert loss(asked, found) <= loss(alike, rings(alike, classes, Run(seed=1), chain=True))


def test_refinement_follows_steps_and_has_a_cover_at_its_deadline() -> None:
    asked = problem(mixed_table(3_000, 1, spread=28), 5)
    runs = [Run(seed=3, threads=threads, budget=Budget(steps=200)) for threads in (1, 2)]
    one, two = (make_algorithm("ff-refine").solve(asked, run) for run in runs)
    assert isinstance(one, Cover)
    assert isinstance(two, Cover)
    assert (one.matches == two.matches).all()
    assert runs[0].control.steps == 200
    timed = Run(seed=3, budget=Budget(seconds=0.5))
    found = make_algorithm("ff-refine").solve(asked, timed)
    assert isinstance(found, Cover)
    assert (np.bincount(found.matches.ravel()) == 5).all()


def test_segments_are_solved_apart() -> None:
    asked = problem(mixed_table(230, 4, spread=28), 5)
    parts = segments(asked, 50)
    assert sorted(np.concatenate(parts).tolist()) == list(range(230))
    cover = cover_of("ff-hungarian", asked, partition=50)
    for part in parts:
        assert np.isin(cover.matches[part], part).all()
    assert loss(asked, cover) > loss(asked, cover_of("ff-hungarian", asked))


def ring(n: int, k: int) -> NDArray[np.int32]:
    return np.array([[(i + step) % n for step in range(k)] for i in range(n)], dtype=np.int32)


def test_matchings_divide_any_regular_graph() -> None:
    rng = np.random.default_rng(2)
    for n, k in ((2, 2), (7, 3), (40, 11), (500, 6)):
        graph = rng.permutation(n).astype(np.int32)[ring(n, k)]
        division = matchings(graph, rng)
        for number in range(k):
            assert sorted(graph[division == number].tolist()) == list(range(n))


def test_each_of_the_k_matches_is_published_equally_often() -> None:
    """Chi-square over many draws at fixed covers: of a ring, and of what an algorithm found."""
    asked = problem(mixed_table(12, 3), 4)
    for cover in (
        Cover(np.arange(10, dtype=np.int64), ring(10, 3)),
        cover_of("ff-hungarian", asked),
        cover_of("ff-sortgreedy", asked, symmetric=True),
    ):
        n, k = cover.matches.shape
        draws = 4_000
        rng = np.random.default_rng(11)
        times = np.zeros((n, n))
        together: set[tuple[int, ...]] = set()
        for _ in range(draws):
            published = cover.match(rng)
            times[np.arange(n), published] += 1
            together.add(tuple(published.tolist()))
        covers = np.zeros((n, n), dtype=bool)
        covers[cover.matches.ravel(), np.repeat(np.arange(n), k)] = True
        assert not times[~covers].any()
        statistic = ((times[covers] - draws / k) ** 2 / (draws / k)).sum()
        # (n - 1)(k - 1) degrees of freedom or fewer; beyond 1 in a million is no accident.
        assert statistic < chi2.isf(1e-6, n * (k - 1))
        # More matchings than k: the division itself is drawn anew each time.
        assert len(together) > k


def test_a_seed_gives_one_publication_and_the_operating_system_many() -> None:
    frame = mixed_table(40, 6)
    words: dict[str, Any] = {"k": 4, "algorithm": "ff-greedy", **MIXED}
    same = [shoal.anonymize(frame, seed=9, **words).frame for _ in range(2)]
    assert same[0].equals(same[1])
    drawn = [shoal.anonymize(frame, **words) for _ in range(2)]
    assert drawn[0].custody.seed != drawn[1].custody.seed
    owners = [
        dict(zip(one.custody.rows.tolist(), map(tuple, one.custody.matches.tolist()), strict=True))  # type: ignore[union-attr]
        for one in drawn
    ]
    assert owners[0] != owners[1]


def left_after(graph: Graph, known: dict[int, int]) -> list[int]:
    """Return how many counterparts originals keep whose own record an adversary does not know.

    ``known`` gives for some released records the original that they are.
    """
    released = [i for i in range(len(graph)) if i not in known]
    originals = [i for i in range(len(graph)) if i not in known.values()]
    place = {original: number for number, original in enumerate(originals)}
    return possible_counterparts(
        [{place[one] for one in graph[i] if one in place} for i in released]
    )


def graph_of(cover: Cover) -> Graph:
    return [set(covered) for covered in cover.matches.tolist()]


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize(("n", "k"), [(7, 3), (6, 4)])
def test_symmetric_covers_keep_k_less_c_against_who_knows_c_matches(
    name: str, n: int, k: int
) -> None:
    for seed in range(3):
        cover = cover_of(name, problem(mixed_table(n, seed), k), symmetric=True)
        graph = graph_of(cover)
        for i, covered in enumerate(graph):
            assert all(i in graph[other] for other in covered)
        rng = np.random.default_rng(seed)
        for c in (1, 2):
            for _ in range(4):
                published = cover.match(rng)
                truth = {int(record): original for original, record in enumerate(published)}
                for some in combinations(truth, c):
                    left = left_after(graph, {record: truth[record] for record in some})
                    assert min(left) >= k - c


def test_a_record_that_does_not_cover_itself_may_cost_more() -> None:
    """An odd number of records and even k: released 0 covers four others and not original 0."""
    graph: Graph = [
        {1, 3, 4, 6}, {0, 1, 4, 5}, {2, 3, 5, 6}, {0, 2, 3, 6}, {0, 1, 4, 5}, {1, 2, 4, 5},
        {0, 2, 3, 6},
    ]  # fmt: skip
    assert min(possible_counterparts(graph)) == 4
    known = [
        {one: a, other: b}
        for one, other in combinations(range(7), 2)
        for a in graph[one]
        for b in graph[other]
        if a != b
    ]
    # Two matches that no perfect matching has leave nothing; of the others the worst leaves one.
    left = {min(left_after(graph, one)) for one in known} - {0}
    assert min(left) == 1  # not 4 - 2


def test_other_covers_may_keep_less() -> None:
    """Two groups of three that hang together by two pairs in one direction each."""
    graph: Graph = [{2, 4, 5}, {0, 1, 4}, {2, 4, 5}, {0, 1, 3}, {2, 3, 5}, {0, 1, 3}]
    assert min(possible_counterparts(graph)) == 3
    # Who knows that released 1 is original 4 knows that released 4 is original 3: one, not 3 - 1.
    assert min(left_after(graph, {1: 4})) == 1


@pytest.mark.parametrize("model", ["(1,k)", "(k,1)", "(k,k)", "concealment"])
def test_weaker_models_are_enforced_verified_and_told(model: Any) -> None:
    frame = mixed_table(80, 3, missing=0.1)
    made = shoal.anonymize(
        frame, k=4, algorithm="k-concealment", param={"model": model}, seed=1, **MIXED
    )
    assert made.facts["guarantee"] == model
    assert any("less than k-anonymity" in note for note in made.custody.notes)
    assert shoal.verify(frame, made.frame, k=4, form=model, **MIXED).passed
    if model != "concealment":
        assert not shoal.verify(frame, made.frame, k=4, form="freeform", **MIXED).passed


def test_persons_models_and_forms_are_refused() -> None:
    frame = mixed_table(30, 1)
    words: dict[str, Any] = {"k": 3, "algorithm": "ff-greedy", **MIXED}
    with pytest.raises(ParameterError, match="conditions on classes"):
        shoal.anonymize(frame, models="t-closeness:0.3", **words)
    with pytest.raises(ParameterError, match="freeform, not classes"):
        shoal.anonymize(frame, form="classes", **words)


@pytest.mark.parametrize("limit", [1, 3])
def test_best_cover_with_suppression_is_that_of_trying_everyone_left_out(limit: int) -> None:
    """Who is left out is drawn from all; two records are equal."""
    frame = mixed_table(7, 3)
    frame = pl.concat([frame, frame.head(1)])
    asked = replace(problem(frame, 3), suppression_limit=limit)
    cover = cover_of("ff-mip", asked)
    assert cover.optimal
    best = min(
        (out + (asked.n - out) * loss(left, cover_of("ff-mip", left))) / asked.n
        for out in range(limit + 1)
        for records in combinations(range(asked.n), asked.n - out)
        for left in [restricted(asked, np.array(records))]
    )
    left = restricted(asked, cover.records)
    out = asked.n - left.n
    found = (out + left.n * loss(left, replace(cover, records=np.arange(left.n)))) / asked.n
    assert found == pytest.approx(best, abs=1e-6)
    assert cover.lower_bound == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("parameters", [{"program": "paper"}, {"sets": 10}])
def test_nothing_is_proved_of_records_that_were_left_out_by_guess(
    parameters: dict[str, Any],
) -> None:
    asked = replace(problem(mixed_table(7, 1), 2), suppression_limit=2)
    cover = cover_of("ff-mip", asked, **parameters)
    assert not cover.optimal
    assert cover.lower_bound is None
