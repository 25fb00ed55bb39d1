"""Pricing and cuts against trying every class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from shoal._core import kernels
from tests.core.tables import TestTable, random_table
from tests.reference.exact import multisets

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAIN = 2.0**-32


def rounded(weight: int, divisor: int, remainder: int) -> int:
    """Return what a class of this weight counts in a cut."""
    return (divisor - remainder) * (weight // divisor) + max(0, weight % divisor - remainder)


class Case:
    """A random table with random prices, cuts and branches."""

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng(seed)
        self.table: TestTable = random_table(seed, size=int(draw.integers(5, 10)), most_codes=5)
        self.counts = np.bincount(self.table.row_of).astype(np.int32)
        rows = len(self.counts)
        self.k = int(draw.integers(2, 4))
        self.prices = np.rint(draw.random(rows) * 0.8 / GRAIN) * GRAIN
        self.opening = float(np.rint((draw.random() - 0.8) * 0.2 / GRAIN) * GRAIN)
        size = int(draw.integers(0, 4))
        self.weights = draw.integers(0, 3, (size, rows))
        self.divisors = np.full(size, 3, dtype=np.int32)
        self.remainders = draw.integers(0, 3, size).astype(np.int32)
        self.cut_prices = -np.rint(draw.random(size) * 0.3 / GRAIN) * GRAIN
        single = np.flatnonzero(self.counts == 1)
        self.branches: list[tuple[int, int, bool]] = []
        if len(single) >= 2 and draw.random() < 0.6:
            first, second = draw.choice(single, 2, replace=False).tolist()
            self.branches.append((first, second, bool(draw.random() < 0.5)))

    def cut_arrays(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        where = [np.flatnonzero(line) for line in self.weights]
        start = np.cumsum([0, *map(len, where)]).astype(np.int64)
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *where]).astype(np.int32)
        weights = np.concatenate(
            [np.zeros(0, dtype=np.int64)]
            + [line[place] for line, place in zip(self.weights, where, strict=True)]
        )
        return start, rows, weights.astype(np.int32)

    def loss(self, rows: tuple[int, ...]) -> float:
        records = [int(np.flatnonzero(self.table.row_of == row)[0]) for row in set(rows)]
        return sum(
            attribute.weight * attribute.loss({attribute.codes[record] for record in records})
            for attribute in self.table.attributes
        )

    def all_columns(self) -> dict[tuple[int, ...], float]:
        """Every class that keeps to the branches, with its reduced cost."""
        found = {}
        for rows in multisets(self.counts.tolist(), self.k, 2 * self.k - 1):
            if any(
                (first in rows) != (second in rows) if together else {first, second} <= set(rows)
                for first, second, together in self.branches
            ):
                continue
            gain = sum(self.prices[row] for row in rows) + self.opening
            for line, divisor, remainder, price in zip(
                self.weights, self.divisors, self.remainders, self.cut_prices, strict=True
            ):
                held = int(sum(line[row] for row in rows))
                gain += price * rounded(held, int(divisor), int(remainder))
            found[rows] = len(rows) * self.loss(rows) - gain
        return found

    def price(self, **words: Any) -> tuple[Any, ...]:
        pricer = kernels.ClassPricer(self.table.records, self.k, 2 * self.k - 1)
        first, second, together = [list(each) for each in zip(*self.branches, strict=True)] or [
            [],
            [],
            [],
        ]
        given = {
            "below": 0.0,
            "all": False,
            "nodes": -1,
            "total": -1,
            "columns": 10**6,
            "seconds": -1.0,
        }
        return pricer.price(
            self.prices,
            self.opening,
            self.cut_prices,
            *self.cut_arrays(),
            self.divisors,
            self.remainders,
            np.array(first, dtype=np.int32),
            np.array(second, dtype=np.int32),
            np.array(together, dtype=np.uint8),
            **{**given, "threads": 1, "control": kernels.Control(), **words},
        )


def listed(answer: tuple[Any, ...]) -> dict[tuple[int, ...], float]:
    start, rows, counts, _, reduced = (part.tolist() for part in answer[:5])
    return {
        tuple(np.repeat(rows[a:b], counts[a:b]).tolist()): value
        for a, b, value in zip(start[:-1], start[1:], reduced, strict=True)
    }


@pytest.mark.parametrize("seed", range(60))
def test_every_class_below_a_limit_is_listed_once(seed: int) -> None:
    case = Case(seed)
    limit = 0.25
    expected = {rows: cost for rows, cost in case.all_columns().items() if cost < limit - 1e-9}
    answer = case.price(all=True, below=limit)
    found = listed(answer)
    assert len(found) == len(answer[3])
    assert set(expected) <= set(found)
    for rows, cost in found.items():
        assert cost == pytest.approx(case.all_columns()[rows], abs=1e-9)
        assert cost < limit


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("nodes", [-1, 2])
def test_no_class_is_below_what_its_leader_could_lead(seed: int, nodes: int) -> None:
    case = Case(seed)
    answer = case.price(nodes=nodes)
    least = answer[5]
    found = listed(answer)
    best: dict[int, float] = {}
    for rows, cost in case.all_columns().items():
        leader = min(rows, key=lambda row: (-case.prices[row], row))
        best[leader] = min(best.get(leader, 0.0), cost)
        assert cost >= least[leader] - 1e-9
    if nodes < 0:
        for leader, cost in best.items():
            assert least[leader] == pytest.approx(cost, abs=1e-9)
            if cost < -1e-9:
                assert min(found.values()) <= cost + 1e-9


def test_threads_and_the_order_of_work_change_nothing() -> None:
    case = Case(3)
    one, two = case.price(threads=1), case.price(threads=3)
    for left, right in zip(one, two, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("seed", range(20))
def test_a_total_of_nodes_is_kept_and_threads_change_nothing(seed: int) -> None:
    case = Case(seed)
    whole = case.price()
    nodes = whole[6]
    for total in {0, 1, nodes // 2, nodes, nodes + 1}:
        one, three = case.price(total=total), case.price(total=total, threads=3)
        assert one[6] <= total
        assert one[7] == (total > nodes)
        for place in (0, 1, 2, 3, 4, 5, 7):
            assert np.array_equal(one[place], three[place])
        assert (one[5] <= whole[5]).all()
        told = one[5] > -np.inf
        assert np.array_equal(one[5][told], whole[5][told])


def test_a_list_that_grows_too_long_is_given_up() -> None:
    case = Case(5)
    assert not case.price(all=True, below=10.0, columns=3)[7]


@pytest.mark.parametrize("seed", range(40))
def test_cuts_are_broken_by_the_given_solution_and_by_no_division(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows, k = 9, 3
    # Halves of two divisions, or thirds of three: fractional, and every row is placed once.
    parts = int(draw.integers(2, 4))
    classes: list[list[int]] = []
    for _ in range(parts):
        mixed = draw.permutation(rows).tolist()
        classes += [sorted(mixed[at : at + k]) for at in range(0, rows, k)]
    start = np.arange(0, rows * parts + 1, k, dtype=np.int64)
    members = np.concatenate(classes).astype(np.int32)
    ones = np.ones(len(members), dtype=np.int32)
    counts = np.ones(rows, dtype=np.int64)
    value = np.full(len(classes), 1.0 / parts)
    start, row, weight, divisors, remainders = kernels.separate(
        counts, start, members, ones, value, np.array([2, 3], dtype=np.int32), violation=0.01,
        most=20, most_of_row=20, largest=9, control=kernels.Control(),
    )  # fmt: skip
    for at, (d, r) in enumerate(zip(divisors.tolist(), remainders.tolist(), strict=True)):
        weights = np.zeros(rows, dtype=np.int64)
        weights[row[start[at] : start[at + 1]]] = weight[start[at] : start[at + 1]]
        limit = rounded(int(weights.sum()), d, r)
        counted = sum(rounded(int(weights[one].sum()), d, r) for one in classes) / parts
        assert counted > limit + 0.009 * (d - r)
        for _ in range(30):
            mixed = draw.permutation(rows)
            division = [mixed[i : i + k] for i in range(0, rows, k)]
            assert sum(rounded(int(weights[one].sum()), d, r) for one in division) <= limit


@pytest.mark.parametrize("divisor", [2, 3, 4, 5, 7])
def test_two_classes_together_count_no_less_than_one_by_one(divisor: int) -> None:
    for remainder in range(divisor):
        for one in range(3 * divisor):
            for other in range(3 * divisor):
                assert rounded(one, divisor, remainder) + rounded(
                    other, divisor, remainder
                ) <= rounded(one + other, divisor, remainder)


def test_a_cluster_that_classes_do_not_leave_is_cut() -> None:
    # Of 34 records in a ring, every five in a row by a fifth: 6.8 classes, where no more than six
    # fit. Five further records are a class of their own.
    rows = 34
    classes = [[(first + i) % rows for i in range(5)] for first in range(rows)]
    classes.append([rows + i for i in range(5)])
    start, row, weight, divisors, remainders = kernels.separate(
        np.ones(rows + 5, dtype=np.int64), np.arange(0, 5 * len(classes) + 1, 5, dtype=np.int64),
        np.array([sorted(one) for one in classes], dtype=np.int32).ravel(),
        np.ones(5 * len(classes), dtype=np.int32), np.array([0.2] * rows + [1.0]),
        np.array([5], dtype=np.int32), violation=0.79, most=1, most_of_row=1, largest=40,
        control=kernels.Control(),
    )  # fmt: skip
    assert start.tolist() == [0, rows]
    assert row.tolist() == list(range(rows))
    assert weight.tolist() == [1] * rows
    assert (divisors[0], remainders[0]) == (5, 4)


def test_bad_arguments_are_refused() -> None:
    case = Case(1)
    case.prices = case.prices[:-1]
    with pytest.raises(ValueError, match="one for each row"):
        case.price()
    case = Case(1)
    case.opening = float("nan")
    with pytest.raises(ValueError, match="opening"):
        case.price()
    with pytest.raises(ValueError, match="largest"):
        kernels.ClassPricer(case.table.records, 3, 2)
