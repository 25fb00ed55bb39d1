"""Replay against every registered algorithm: the order of the source must not show in a release.

An adversary may know every quasi-identifier, the order of the source file and the algorithm, but
not the seed, which comes from the operating system. Two things must hold: which of two records
alike went where is a fair coin, whatever their places in the source; and running the algorithm
again does not tell a record's released row better than a guess among k.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
import pytest

from shoal.algorithms import Budget, Form, Partition, Problem, Run, algorithms, make_algorithm
from shoal.algorithms.algorithm import Family, Traits
from shoal.encoding import decode, encode, encode_values
from shoal.models import DistinctDiversity
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms import Algorithm
    from shoal.encoding import EncodedTable

NAMES = list(algorithms())
RUNS = 40
# A node of an integer program takes longer than a step of a search.
STEPS = {Family.AUTO: 2_000, Family.EXACT: 2}
PEOPLE, REPLAYS = 16, 14
CONCEALMENTS = ["(1,k)", "(k,1)", "(k,k)", "concealment"]
WAYS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in NAMES if name != "milp"),
    ("milp", {"largest": 0}),  # its initial solution; the program takes seconds a run
    *(("k-concealment", {"model": model}) for model in CONCEALMENTS[:-1]),
    ("mondrian", {"cuts": "relaxed"}),
    ("ff-sortgreedy", {"symmetric": True}),
]
ways = pytest.mark.parametrize(
    ("name", "parameters"), WAYS, ids=[f"{name}{parameters or ''}" for name, parameters in WAYS]
)
# Equal ages at both ends of the source that differ in their illness alone, and others around them
# that need one of a pair each.
ALIKE = pl.DataFrame(
    {
        "age": [5, 3, 1, 1, 9, 9, 3, 5],
        "illness": ["flu", "flu", "gout", "gout", "gout", "gout", "cold", "cold"],
    }
)


@dataclass(frozen=True, slots=True)
class Source:
    """A table, its quasi-identifier encoded, and the codes of its sensitive attribute."""

    height: int
    encoded: EncodedTable
    illness: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Source:
        job = Job.from_dict({"k": 2, "quasi": ["age"], "sensitive": ["illness"]})
        encoded = encode(Table.of(frame, schema_of(frame, job)))
        return cls(frame.height, encoded, encode_values(frame["illness"])[0])


def solve(chosen: Algorithm, source: Source, k: int, *, diverse: bool) -> list[str]:
    """Return what each record of the source shows, in the order of the source, in a fresh run."""
    encoded = source.encoded
    run = Run(budget=Budget(steps=STEPS.get(chosen.family, 300)))
    problem = Problem.of(
        encoded,
        k,
        models=(DistinctDiversity("illness", 2),) if diverse else (),
        protected=(source.illness,) if diverse else (),
        rng=np.random.default_rng([run.seed, 2]),
    )
    recoding = chosen.solve(problem, run).recode(problem, np.random.default_rng([run.seed, 1]))
    cells = decode(recoding, encoded.domains, np.arange(source.height, dtype=np.int64))
    return cells["age"].to_list()


def coins(chosen: Algorithm, *, diverse: bool) -> tuple[int, int]:
    """Return how often the earlier of two records alike shows the lesser cell, of all that part."""
    pairs = [(0, 7), (1, 6)]
    heads = tosses = 0
    source = Source.of(ALIKE)
    for _ in range(RUNS):
        shown = solve(chosen, source, 3, diverse=diverse)
        for first, last in pairs:
            if shown[first] != shown[last]:
                tosses += 1
                heads += shown[first] < shown[last]
    return heads, tosses


def is_fair(heads: int, tosses: int) -> bool:
    """Tell whether heads lie within five standard deviations of a fair coin."""
    return bool(abs(heads - tosses / 2) <= 5 * np.sqrt(tosses) / 2)


@ways
@pytest.mark.parametrize("diverse", [False, True])
def test_which_of_two_records_alike_goes_where_is_a_fair_coin(
    name: str, parameters: dict[str, Any], diverse: bool
) -> None:
    chosen = make_algorithm(name, parameters)
    if diverse and not chosen.traits.models:
        pytest.skip("keeps no models")
    heads, tosses = coins(chosen, diverse=diverse)
    assert is_fair(heads, tosses), (heads, tosses)
    if chosen.traits.form in {Form.FULL_DOMAIN, Form.GLOBAL}:
        assert tosses == 0  # what a record shows follows from its quasi-identifiers alone


def replayed(chosen: Algorithm, frame: pl.DataFrame, k: int, runs: int) -> float:
    """Return how often a replay finds a record's own released row, by the cells it predicts."""
    hits = 0.0
    source = Source.of(frame)
    for _ in range(runs):
        released = solve(chosen, source, k, diverse=False)
        predicted = solve(chosen, source, k, diverse=False)
        number = Counter(released)
        for cell, guess in zip(released, predicted, strict=True):
            hits += (cell == guess) / number[guess] if guess in number else 0.0
    return hits / (runs * frame.height)


@ways
def test_a_replay_finds_no_record_better_than_a_guess_among_k(
    name: str, parameters: dict[str, Any]
) -> None:
    k, runs = 4, REPLAYS
    ages = np.random.default_rng(3).permutation(PEOPLE)
    frame = pl.DataFrame({"age": ages, "illness": ["flu"] * PEOPLE})
    found = replayed(make_algorithm(name, parameters), frame, k, runs)
    assert found <= 1 / k + 5 * np.sqrt(0.25 / (runs * PEOPLE))


class LeakyRuns:
    """Cuts runs of k records by age, ties by record number: what an algorithm must never do."""

    name: ClassVar[str] = "leaky"
    family: ClassVar[Family] = Family.CLUSTER
    traits: ClassVar[Traits] = algorithms()["sorted"].traits

    def solve(self, problem: Problem, _: Run) -> Partition:
        order = np.lexsort((problem.folded.first, problem.codes[0]))
        rows = np.repeat(order, problem.counts[order])
        last = problem.n // problem.k - 1
        classes = np.minimum(np.arange(problem.n) // problem.k, last)
        return Partition.of(rows, classes, np.ones(problem.n, dtype=np.int32))


class LeakyConcealment:
    """Publishes every record as its own closure: a replay tells whose is whose."""

    name: ClassVar[str] = "leaky-concealment"
    family: ClassVar[Family] = Family.FREEFORM
    traits: ClassVar[Traits] = algorithms()["k-concealment"].traits

    def solve(self, problem: Problem, _: Run) -> Any:
        found = make_algorithm("k-concealment").solve(problem, Run(seed=1))

        class Own(type(found)):  # type: ignore[misc]
            def match(self, _: np.random.Generator) -> Any:
                return np.arange(len(self.records))

        return Own(found.records, found.members, found.starts, found.guarantee)  # type: ignore[attr-defined]


def test_ties_by_record_number_are_caught() -> None:
    heads, tosses = coins(LeakyRuns(), diverse=True)
    assert tosses >= RUNS / 2
    assert not is_fair(heads, tosses)


def test_records_published_as_their_own_closure_are_caught() -> None:
    ages = np.random.default_rng(3).permutation(PEOPLE)
    frame = pl.DataFrame({"age": ages, "illness": ["flu"] * PEOPLE})
    limit = 1 / 4 + 5 * np.sqrt(0.25 / (REPLAYS * PEOPLE))
    assert replayed(LeakyConcealment(), frame, 4, REPLAYS) > limit
