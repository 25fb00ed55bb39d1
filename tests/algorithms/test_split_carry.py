"""Split & Carry: the sizes of its sub-problems, what it carries, and how it ends."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal._core import kernels
from shoal.algorithms import Partition, Problem, Run, make_algorithm, solve_partition
from shoal.algorithms.budget import Budget
from shoal.algorithms.exact.split_carry.chain import (
    BoundaryCarry,
    BubbleCarry,
    places_of_classes,
    run_chain,
)
from shoal.algorithms.exact.split_carry.split_carry import SplitCarry, _Work, class_losses
from shoal.encoding import encode
from shoal.errors import ParameterError
from shoal.table import Table, declare
from tests.interrupting import Interrupted
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from shoal.algorithms.exact.split_carry.chain import Classes, Link, Places


class AnyClasses:
    """Divides sub-problems at random: what holds for these answers holds for every solver's."""

    def __init__(self, k: int, seed: int, largest: int) -> None:
        self.k, self.largest = k, largest
        self.draw = np.random.default_rng(seed)
        self.sizes: list[int] = []

    def __call__(self, pool: Places, *, rest: bool) -> Classes:
        assert not rest
        assert (np.diff(pool) > 0).all()
        self.sizes.append(len(pool))
        number = int(self.draw.integers(max(1, len(pool) // self.largest), len(pool) // self.k + 1))
        mixed = self.draw.permutation(pool)
        spread = self.draw.integers(0, number, len(pool) - number * self.k)
        owner = np.concatenate((np.repeat(np.arange(number), self.k), spread))
        return [np.sort(mixed[owner == one]) for one in range(number)]


def checked(link: Link, n: int, solver: AnyClasses) -> None:
    """Run a chain and check that every record is in one class of at least k."""
    classes = run_chain(link, 0, n, solver)
    assert sorted(np.concatenate(classes).tolist()) == list(range(n))
    assert min(map(len, classes)) >= solver.k


def some(places: Places, number: int) -> Places:
    return places[:number]


@settings(max_examples=300, deadline=None)
@given(
    n=st.integers(2, 400),
    k=st.integers(2, 7),
    sets=st.integers(2, 6),
    boundary=st.integers(1, 20),
    cheap_part=st.booleans(),
    seed=st.integers(0, 2**32),
    stretch=st.integers(1, 6),
)
def test_sub_problems_keep_the_bound_of_lemma_2(
    n: int, k: int, sets: int, boundary: int, cheap_part: bool, seed: int, stretch: int
) -> None:
    n = max(n, k)
    boundary = min(boundary, k * sets)
    solver = AnyClasses(k, seed, k * stretch)
    checked(BoundaryCarry(k, sets, boundary, cheap_part, some), n, solver)
    assert max(solver.sizes) <= boundary * (2 * k - 1) + k * sets
    assert len(solver.sizes) == -(-n // (k * sets))


@settings(max_examples=300, deadline=None)
@given(
    n=st.integers(2, 400),
    k=st.integers(2, 7),
    more=st.integers(0, 30),
    accepted=st.integers(1, 5),
    seed=st.integers(0, 2**32),
)
def test_bubble_sub_problems_have_exactly_the_size_asked_for(
    n: int, k: int, more: int, accepted: int, seed: int
) -> None:
    n, size = max(n, k), 2 * k + more
    solver = AnyClasses(k, seed, 2 * k)
    checked(BubbleCarry(k, size, accepted, lambda places: float(places[0] % 7)), n, solver)
    assert max(solver.sizes) <= size
    # The last two share what is left, so that neither has too few.
    assert all(one == size for one in solver.sizes[:-2])


@pytest.mark.parametrize(("sets", "number"), [(3, 556), (4, 417), (5, 334)])
def test_number_of_sub_problems_of_table_8(sets: int, number: int) -> None:
    # 5,000 records, k = 3. How many there are does not depend on the answers of the solver.
    solver = AnyClasses(3, sets, 6)
    checked(BoundaryCarry(3, sets, 3, False, some), 5_000, solver)
    assert len(solver.sizes) == number
    assert solver.sizes[0] == 3 * sets


def test_a_class_of_2k_is_divided_and_a_smaller_one_carried_whole() -> None:
    link = BoundaryCarry(3, 3, 3, False, some)
    pool = np.arange(11)
    large, small = np.array([1, 2, 3, 4, 5, 8, 10]), np.array([0, 6, 7, 9])
    final, carried = link.settle([large, small], pool, 9)
    assert [places.tolist() for places in final] == [[1, 2, 3, 4]]
    assert carried.tolist() == [0, 5, 6, 7, 8, 9, 10]


def test_the_cheap_part_is_what_its_class_misses_least() -> None:
    frame = pl.DataFrame({"a": [0, 1, 2, 9, 50, 51, 52, 53, 54, 100]})
    asked = Problem.of(encode(Table.of(frame, declare(frame, quasi=["a"]))), 3)
    chosen = SplitCarry(sets=2, carry="cheap-part", solver="milp")
    link = chosen._link(asked, np.arange(10, dtype=np.int32))
    final, carried = link.settle([np.arange(4), np.arange(4, 8)], np.arange(8), 2)
    # Without 51 or 52 the class 50…53 still spans 50…53; nothing lies beyond the first.
    assert carried.tolist() == [5]
    assert [places.tolist() for places in final] == [[0, 1, 2, 3], [4, 6, 7]]


def test_equal_records_are_told_apart_so_that_few_classes_reach_the_edge() -> None:
    pool, rows = np.arange(10, 18), np.array([0, 0, 0, 1, 1, 1, 1, 1])
    entries = [(0, 0, 2), (1, 0, 1), (0, 1, 1), (1, 1, 4)]
    classes = places_of_classes(pool, rows, entries, 3)
    assert [places.tolist() for places in classes] == [[11, 12, 13], [10, 14, 15, 16, 17]]


def numeric_problem(n: int, m: int, k: int, seed: int, values: int = 50) -> Problem:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({f"a{j}": draw.integers(0, values, n) for j in range(m)})
    return Problem.of(encode(Table.of(frame, declare(frame, quasi=frame.columns))), k)


def entries_of(found: Any) -> list[list[int]]:
    assert isinstance(found, Partition)
    entries = zip(found.classes, found.rows, found.counts, strict=True)
    return sorted([int(part) for part in entry] for entry in entries)


def loss_of(problem: Problem, found: Any) -> float:
    assert isinstance(found, Partition)
    losses = class_losses(problem, np.split(found.rows, found.starts[1:]))
    return float(np.average(losses, weights=found.sizes))


@pytest.mark.parametrize("sets", [3, 4, 5])
def test_most_sub_problems_carry_one_class_as_in_table_8(sets: int) -> None:
    # Sex, age, marital status and race as a census has them: the last k records of a sub-problem
    # are most often one class. In the table most sizes are 12, 15 and 18: k more than are read.
    draw = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "sex": draw.integers(1, 3, 600),
            "age": draw.normal(40, 15, 600).astype(int),
            "status": draw.choice(6, 600, p=[0.5, 0.25, 0.12, 0.06, 0.04, 0.03]),
            "race": draw.choice(5, 600, p=[0.8, 0.1, 0.05, 0.03, 0.02]),
        }
    )
    asked = Problem.of(encode(Table.of(frame, declare(frame, quasi=frame.columns))), 3)
    sizes: list[int] = []
    SplitCarry(sets=sets).divide(asked, Run(seed=1), sizes)
    assert len(sizes) == -(-600 // (3 * sets))
    assert 3 * sets + 3 <= Counter(sizes).most_common(1)[0][0] < 3 * sets + 6
    assert max(sizes) <= 3 * (5 + sets)


def test_improving_never_loses_more_and_solving_beats_runs() -> None:
    asked = numeric_problem(120, 3, 3, 8)
    chained, improved = (
        loss_of(asked, make_algorithm("split-carry", {"improve": more}).solve(asked, Run(seed=1)))
        for more in (False, True)
    )
    assert improved <= chained < loss_of(asked, solve_partition("sorted", asked, Run(seed=1)))


def test_one_sub_problem_is_the_whole_problem() -> None:
    asked = numeric_problem(8, 2, 3, 1)
    exact = make_algorithm("milp").solve(asked, Run(seed=1))
    assert exact.optimal
    for solver in ("milp", "optimal"):
        chained = make_algorithm("split-carry", {"solver": solver}).solve(asked, Run(seed=1))
        assert loss_of(asked, chained) == pytest.approx(loss_of(asked, exact))


@pytest.mark.parametrize("carry", ["classes", "cheap-part", "bubble"])
@pytest.mark.parametrize("improve", [False, True])
def test_releases_are_verified_and_better_than_runs(carry: str, improve: bool) -> None:
    frame = mixed_table(60, 2, missing=0.05)
    words: dict[str, Any] = {**MIXED, "k": 3, "seed": 1}
    param = {"carry": carry, "improve": improve}
    made = shoal.anonymize(frame, algorithm="split-carry", param=param, **words)
    runs = shoal.anonymize(frame, algorithm="sorted", **words)
    assert made.verdict.passed
    assert made.figures.measures["gcp"] < runs.figures.measures["gcp"]


def test_segments_change_the_result_and_threads_do_not() -> None:
    asked = numeric_problem(150, 3, 3, 3)
    found = {
        (segments, threads): entries_of(
            make_algorithm("split-carry", {"segments": segments}).solve(
                asked, Run(seed=1, threads=threads)
            )
        )
        for segments in (1, 3)
        for threads in (1, 2)
    }
    assert found[1, 1] == found[1, 2]
    assert found[3, 1] == found[3, 2]
    assert found[1, 1] != found[3, 1]


def test_without_time_the_answer_is_that_of_sorted() -> None:
    asked = numeric_problem(200, 3, 3, 4)
    found = make_algorithm("split-carry").solve(asked, Run(seed=1, budget=Budget(seconds=0.0)))
    assert entries_of(found) == entries_of(solve_partition("sorted", asked, Run(seed=1)))


def test_the_size_of_a_bubble_must_leave_a_choice() -> None:
    asked = numeric_problem(50, 2, 5, 5)
    with pytest.raises(ParameterError, match="no choice"):
        make_algorithm("split-carry", {"carry": "bubble", "size": 9}).solve(asked, Run(seed=1))


def test_a_part_of_the_work_ends_with_the_whole_and_tells_its_own_progress() -> None:
    whole = kernels.Control()
    one, other = whole.child(), whole.child()
    one.progress = 0.5
    one.cancel()
    assert (whole.progress, whole.cancelled, other.cancelled) == (0.0, False, False)
    whole.cancel()
    assert other.cancelled
    orphan = kernels.Control().child()  # keeps the whole alive
    assert not orphan.cancelled


def test_cancel_stops_a_chain_of_sub_problems() -> None:
    asked = numeric_problem(200, 2, 3, 6)
    run = Run(seed=1, budget=Budget(seconds=600.0))
    chain = make_algorithm("split-carry", {"solver": "milp"})
    ended = Interrupted(lambda: chain.solve(asked, run), run.control)
    assert ended.cancelled
    assert ended.reached > 0.0
    assert run.control.progress < 1.0


def test_no_sub_problem_fails_on_repeated_records() -> None:
    run = Run(seed=1)
    SplitCarry().solve(numeric_problem(300, 3, 3, seed=1, values=4), run)
    assert not [note for note in run.notes if "failed" in note]


class Failing:
    """A solver that is out of order."""

    name = "optimal"

    def solve(self, problem: Problem, run: Run) -> Partition:
        raise RuntimeError("out of order")


def test_a_solver_that_fails_costs_quality_only_and_is_told() -> None:
    asked = numeric_problem(60, 3, 3, seed=1)
    run = Run(seed=1)
    rows = np.repeat(np.arange(asked.rows, dtype=np.int32), asked.counts)
    method = SplitCarry()
    link = method._link(asked, rows)
    work = _Work(asked, rows, "optimal", 3, run, link, 1, None)
    work.solver = Failing()  # type: ignore[assignment]
    classes = run_chain(link, 0, asked.n, work.solve)
    assert sorted(np.concatenate(classes).tolist()) == list(range(asked.n))
    assert min(map(len, classes)) >= 3
    assert run.notes == [
        "The solver failed in some sub-problems (out of order): these were cut into runs."
    ]
