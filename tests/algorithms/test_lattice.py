"""Searches of the lattice against brute force, on many small lattices."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Levels, Problem, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.encoding import EncodedTable, encode
from shoal.errors import InfeasibleError, ParameterError
from shoal.hierarchies import Hierarchy
from shoal.models import parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.reference.lattice import Outcome, Tree, sound_nodes, tree_of

OPTIMAL = ["exhaustive", "ola", "incognito", "flash"]
SEEDS = list(range(120))


def random_tree(rng: np.random.Generator, name: str) -> list[list[str]]:
    """Return rows leaf, level 1, …, * of a random nested hierarchy."""
    leaves = int(rng.integers(1, 7))
    height = int(rng.integers(1, 4))
    of_level = [np.arange(leaves)]
    for _ in range(height - 1):
        groups = int(of_level[-1].max()) + 1
        parent = np.sort(rng.integers(0, max(groups - 1, 1), groups))
        _, parent = np.unique(parent, return_inverse=True)
        of_level.append(parent[of_level[-1]])
    rows = []
    for leaf in range(leaves):
        names = [f"{name}{level}.{groups[leaf]}" for level, groups in enumerate(of_level)]
        rows.append([*names, "*"])
    return rows


def random_case(seed: int) -> tuple[pl.DataFrame, dict[str, Hierarchy], list[Tree]]:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(8, 60)), int(rng.integers(1, 5))
    columns, hierarchies, trees = {}, {}, []
    for place in range(m):
        rows = random_tree(rng, "abcd"[place])
        skew = rng.dirichlet(np.full(len(rows), 0.7))
        columns["abcd"[place]] = [rows[leaf][0] for leaf in rng.choice(len(rows), n, p=skew)]
        hierarchies["abcd"[place]] = Hierarchy.from_rows(rows)
        trees.append(tree_of(rows))
    columns["ill"] = rng.choice(
        ["flu", "gout", "mumps", "none"], n, p=[0.6, 0.2, 0.1, 0.1]
    ).tolist()
    return pl.DataFrame(columns), hierarchies, trees


def encoded_of(frame: pl.DataFrame, hierarchies: dict[str, Hierarchy]) -> EncodedTable:
    job = Job.from_dict({"k": 2, "quasi": list(hierarchies), "sensitive": ["ill"]})
    return encode(Table.of(frame, schema_of(frame, job, hierarchies)))


def problem_of(
    frame: pl.DataFrame, hierarchies: dict[str, Hierarchy], k: int, **words: Any
) -> Problem:
    return Problem.of(encoded_of(frame, hierarchies), k, **words)


def expected(frame: pl.DataFrame, trees: list[Tree], k: int, limit: int) -> list[Outcome]:
    table = frame.drop("ill").rows()
    return sound_nodes(table, trees, lambda rows: len(rows) >= k, limit)


@pytest.mark.parametrize("seed", SEEDS)
def test_optimum_equals_brute_force(seed: int) -> None:
    frame, hierarchies, trees = random_case(seed)
    rng = np.random.default_rng([seed, 1])
    k = int(rng.integers(2, 6))
    encoded = encoded_of(frame, hierarchies)
    for suppression in (0.0, 0.1, 0.5):
        limit = int(suppression * len(frame) + 1e-9)
        sound = expected(frame, trees, k, limit)
        for measure in ("precision", "gcp", "dm"):
            asked = Problem.of(encoded, k, suppression=suppression, measure=measure)
            best = min(getattr(one, measure) for one in sound)
            for name in OPTIMAL:
                found = make_algorithm(name).solve(asked, Run(seed=seed))
                assert isinstance(found, Levels)
                assert found.optimal
                assert found.lower_bound == pytest.approx(best, abs=1e-9)
                told = next(one for one in sound if one.node == found.node)
                assert getattr(told, measure) == pytest.approx(best, abs=1e-9)
                assert int(asked.counts[found.suppressed].sum()) == told.suppressed


@pytest.mark.parametrize("seed", SEEDS[:40])
def test_samarati_finds_the_least_height(seed: int) -> None:
    frame, hierarchies, trees = random_case(seed)
    for suppression in (0.0, 0.2):
        sound = expected(frame, trees, 3, int(suppression * len(frame) + 1e-9))
        asked = problem_of(frame, hierarchies, 3, suppression=suppression, suppress_for="released")
        found = make_algorithm("samarati").solve(asked, Run(seed=seed))
        assert isinstance(found, Levels)
        height = min(one.height for one in sound)
        assert sum(found.node) == height
        told = {one.node: one.gcp for one in sound if one.height == height}
        assert told[found.node] == pytest.approx(min(told.values()))


# Some of these lattices have an unsound node above a sound one.
@pytest.mark.parametrize("seed", [*SEEDS[:8], 13, 42, 43, 52, 57])
@pytest.mark.parametrize(
    ("model", "value"), [("distinct", 2), ("frequency", 2), ("entropy", 1.8), ("closeness", 0.3)]
)
def test_models_are_inferred_only_where_that_is_right(seed: int, model: str, value: float) -> None:
    frame, hierarchies, trees = random_case(seed)
    table = frame.drop("ill").rows()
    ill: list[str] = frame["ill"].to_list()
    whole: dict[str, float] = {one: ill.count(one) / len(ill) for one in set(ill)}

    def holds(rows: list[int]) -> bool:
        shares: list[float] = [sum(ill[row] == one for row in rows) / len(rows) for one in whole]
        if len(rows) < 2:
            return False
        if model == "distinct":
            return sum(share > 0 for share in shares) >= value
        if model == "frequency":
            return max(shares) <= 1 / value + 1e-12
        if model == "entropy":
            return -sum(p * log(p) for p in shares if p) >= log(value) - 1e-9
        far = sum(abs(p - q) for p, q in zip(shares, whole.values(), strict=True)) / 2
        return far <= value + 1e-9

    word = "t-closeness" if model == "closeness" else f"{model}-l-diversity"
    if not holds(list(range(len(ill)))):
        with pytest.raises(InfeasibleError):
            _release(frame, hierarchies, "ola", [f"{word}:{value}"], 0.2)
        return
    job = Job.from_dict({"k": 2, "quasi": list(hierarchies), "sensitive": ["ill"]})
    whole_table = Table.of(frame, schema_of(frame, job, hierarchies))
    (wanted,) = parse_models([f"{word}:{value}"], ["ill"])
    made = protect(wanted, whole_table)
    encoded = encode(whole_table)
    for suppression in (0.0, 0.2):
        sound = sound_nodes(table, trees, holds, int(suppression * len(frame) + 1e-9))
        of_node = {one.node: one for one in sound}
        words: dict[str, Any] = {"models": (made.model,), "protected": (made.codes,)}
        asked = Problem.of(encoded, 2, suppression=suppression, **words)
        best = min(one.gcp for one in sound)
        for name in OPTIMAL:
            found = make_algorithm(name).solve(asked, Run(seed=1))
            assert isinstance(found, Levels)
            assert found.optimal
            assert of_node[found.node].gcp == pytest.approx(best)
            assert found.lower_bound == pytest.approx(best)
        lowest = replace(asked, suppress_for="released")
        least = make_algorithm("samarati").solve(lowest, Run(seed=1))
        assert isinstance(least, Levels)
        assert sum(least.node) == min(one.height for one in sound)
    release = _release(frame, hierarchies, "ola", [f"{word}:{value}"], 0.2)
    assert release.figures.optimal
    assert release.figures.measures["gcp"] == pytest.approx(best)


def _release(
    frame: pl.DataFrame,
    hierarchies: dict[str, Hierarchy],
    name: str,
    model: list[str],
    suppression: float,
) -> shoal.Release[Any]:
    return shoal.anonymize(
        frame,
        k=2,
        quasi=list(hierarchies),
        sensitive=["ill"],
        hierarchy=hierarchies,
        algorithm=name,
        models=model,
        suppression=suppression,
        seed=1,
    )


@pytest.mark.parametrize("name", [*OPTIMAL, "samarati"])
def test_threads_change_nothing(name: str) -> None:
    frame, hierarchies, _ = random_case(3)
    asked = problem_of(frame, hierarchies, 3, suppression=0.1)
    runs = [Run(seed=1, threads=threads) for threads in (1, 4)]
    found = [make_algorithm(name).solve(asked, run) for run in runs]
    assert isinstance(found[0], Levels)
    assert isinstance(found[1], Levels)
    assert found[0].node == found[1].node
    assert runs[0].control.steps == runs[1].control.steps


@pytest.mark.parametrize("name", OPTIMAL)
def test_a_budget_ends_the_search_with_an_answer_and_no_claim(name: str) -> None:
    frame, hierarchies, trees = next(
        case for case in map(random_case, SEEDS) if len(expected(case[0], case[2], 3, 0)) > 4
    )
    asked = problem_of(frame, hierarchies, 3)
    run = Run(seed=1, budget=Budget(steps=2))
    found = make_algorithm(name).solve(asked, run)
    assert isinstance(found, Levels)
    assert not found.optimal
    assert found.lower_bound is None
    assert any("was stopped after" in note for note in run.notes)
    assert found.node in {one.node for one in expected(frame, trees, 3, 0)}


def test_whole_searches_refuse_a_lattice_that_is_too_large() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 3, 50) for i in range(70)})
    with pytest.raises(ParameterError, match="whole lattice"):
        shoal.anonymize(frame, k=5, quasi=frame.columns, algorithm="ola")


@pytest.mark.parametrize("name", ["kgen", "random", "datafly"])
def test_more_than_64_quasi_identifiers(name: str) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{i}": rng.integers(0, 300, 400) for i in range(90)})
    made = shoal.anonymize(
        frame, k=5, quasi=frame.columns, algorithm=name, seed=1, steps=400, suppression=0.05
    )
    assert made.verdict.passed
    assert made.figures.measures["gcp"] <= 1.0


def test_levels_that_suppress_too_much_are_refused() -> None:
    frame, hierarchies, _ = random_case(5)
    asked = problem_of(frame, hierarchies, len(frame))
    with pytest.raises(InfeasibleError, match="would have to be suppressed"):
        Levels.of(asked, [0] * len(hierarchies))
