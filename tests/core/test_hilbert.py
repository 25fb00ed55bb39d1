"""The Hilbert curve against a recursive construction, and optimal runs against trying all."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shoal._core import kernels
from shoal.errors import Cancelled
from tests.core.exact_tables import exact_table
from tests.core.tables import TestTable, random_table
from tests.reference.clustering import class_loss
from tests.reference.hilbert import curve
from tests.reference.information import class_information
from tests.reference.runs import least_by_prefixes, least_by_trying_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Loss = Callable[[Sequence[int]], float]


def indices(points: list[tuple[int, ...]], bits: int) -> list[int]:
    """Where points lie on the curve, as whole numbers of any size."""
    axes = [np.array(axis, dtype=np.uint32) for axis in zip(*points, strict=True)]
    keys, words = kernels.hilbert_keys(axes, bits, kernels.Control())
    numbers = []
    for key in keys.reshape(-1, words).tolist():
        number = 0
        for word in key:
            number = number << 64 | word
        numbers.append(number)
    return numbers


def test_indices_that_the_paper_prints() -> None:
    printed = {
        (0, 0, 0, 0): 0,
        (1, 1, 1, 0): 9,
        (0, 0, 0, 2): 118,
        (1, 1, 1, 2): 123,
        (2, 2, 2, 0): 220,
        (2, 2, 2, 2): 162,
    }
    assert indices(list(printed), 2) == list(printed.values())


@pytest.mark.parametrize(("axes", "order"), [(1, 3), (2, 1), (2, 4), (3, 1), (3, 3), (4, 2),
                                             (5, 2), (6, 1), (7, 1), (8, 1)])  # fmt: skip
def test_whole_grids_follow_the_recursive_curve(axes: int, order: int) -> None:
    assert indices(curve(axes, order), order) == list(range(1 << axes * order))


@pytest.mark.parametrize(("axes", "bits"), [(2, 5), (3, 3), (4, 3), (5, 2)])
def test_every_index_once_and_neighbours_follow_each_other(axes: int, bits: int) -> None:
    points = list(product(range(1 << bits), repeat=axes))
    found = indices(points, bits)
    assert sorted(found) == list(range(len(points)))
    path = [point for _, point in sorted(zip(found, points, strict=True))]
    for here, there in pairwise(path):
        assert sum(abs(a - b) for a, b in zip(here, there, strict=True)) == 1


def walk(point: list[int], bits: int) -> int:
    """Hamilton's loop on numbers of any size."""
    axes = len(point)
    mask = (1 << axes) - 1
    index = entry = direction = 0
    for level in reversed(range(bits)):
        label = sum((value >> level & 1) << axis for axis, value in enumerate(point)) ^ entry
        turn = (direction + 1) % axes
        gray = (label >> turn | label << (axes - turn)) & mask if turn else label
        rank = 0
        while gray:
            rank ^= gray
            gray >>= 1
        if rank:
            even = (rank - 1) // 2 * 2
            start = even ^ even >> 1
            entry ^= (start << turn | start >> (axes - turn)) & mask
            odd = rank if rank % 2 else rank - 1
            direction += ((odd + 1) & ~odd).bit_length() - 1
        direction = (direction + 1) % axes
        index = index << axes | rank
    return index


@pytest.mark.parametrize("axes", [2, 63, 64, 65, 97, 130])
@pytest.mark.parametrize("bits", [1, 7, 32])
def test_keys_of_hundreds_of_bits(axes: int, bits: int) -> None:
    draw = np.random.default_rng(axes * bits)
    points = [tuple(row) for row in draw.integers(0, 1 << bits, (60, axes)).tolist()]
    found = indices(points, bits)
    assert found == [walk(list(point), bits) for point in points]
    order = kernels.hilbert_order(
        [np.array(axis, dtype=np.uint32) for axis in zip(*points, strict=True)],
        bits,
        kernels.Control(),
    )
    assert order.tolist() == sorted(range(60), key=found.__getitem__)


def test_points_in_one_place_keep_their_order() -> None:
    axes = [np.array([3, 0, 3, 0], dtype=np.uint32)] * 2
    assert kernels.hilbert_order(axes, 2, kernels.Control()).tolist() == [1, 3, 0, 2]
    many = [np.array([3, 0, 3, 0], dtype=np.uint32)] * 70
    assert kernels.hilbert_order(many, 2, kernels.Control()).tolist() == [1, 3, 0, 2]


def plain(table: TestTable) -> Loss:
    return lambda members: len(members) * class_loss(table.attributes, members)


def check_runs(
    table: TestTable, objective: kernels.Objective, loss: Loss, order: list[int], k: int
) -> float:
    """Return the total loss of the kernel's runs, once they are known to be runs of the order."""
    rows = np.array(order, dtype=np.int32)
    row, which, count = kernels.optimal_runs(objective, rows, k, kernels.Control())
    line = table.expand(order)
    # Entry by entry the placement must walk along the line.
    assert [int(r) for r, c in zip(row, count, strict=True) for _ in range(c)] == [
        int(table.row_of[record]) for record in line
    ]
    assert which.tolist() == sorted(which.tolist())
    total, start = 0.0, 0
    for size in np.bincount(which, count).astype(int).tolist():
        assert size >= k
        total += loss(line[start : start + size])
        start += size
    return total


@pytest.mark.parametrize("seed", range(80))
def test_no_division_of_a_short_line_loses_less(seed: int) -> None:
    table = exact_table(seed, size=7, copies=2, most_codes=[9, 513][seed % 2])
    line = table.expand(range(table.rows))
    k = min(2 + seed % 3, len(line))
    expected = least_by_trying_all(plain(table), line, k)
    objective = kernels.Objective(table.records)
    found = check_runs(table, objective, plain(table), list(range(table.rows)), k)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_rows_of_many_records_are_divided_exactly(seed: int) -> None:
    table = exact_table(seed, size=6, copies=25)
    order = np.random.default_rng(seed).permutation(table.rows).tolist()
    line = table.expand(order)
    k = min(2 + seed % 3, len(line))
    # Runs of any length lose no less than the kernel's, which have fewer than 2k records.
    expected = least_by_prefixes(plain(table), line, k, len(line))
    found = check_runs(table, kernels.Objective(table.records), plain(table), order, k)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_wide_domains_and_uneven_weights(seed: int) -> None:
    table = random_table(seed, size=60, most_codes=[7, 100, 1_000][seed % 3])
    order = np.random.default_rng(seed).permutation(table.rows).tolist()
    expected = least_by_prefixes(plain(table), table.expand(order), 3, 60)
    found = check_runs(table, kernels.Objective(table.records), plain(table), order, 3)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("w", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("seed", range(12))
def test_runs_under_information_measures(seed: int, w: float) -> None:
    table = random_table(seed, size=24, most_codes=[3, 5][seed % 2])
    draw = np.random.default_rng(seed)
    secret = draw.integers(0, 3, table.rows).astype(np.uint32)
    of_record = secret[table.row_of].tolist()
    objective = kernels.Objective.information(table.records, w, secret, 3)

    def loss(members: Sequence[int]) -> float:
        return class_information(table.attributes, members, of_record, w)

    order = draw.permutation(table.rows).tolist()
    k = 2 + seed % 2
    expected = least_by_prefixes(loss, table.expand(order), k, 2 * k - 1)
    assert check_runs(table, objective, loss, order, k) == pytest.approx(expected, abs=1e-9)


def test_refused_points() -> None:
    ok = np.array([0, 1], dtype=np.uint32)
    control = kernels.Control()
    with pytest.raises(ValueError, match="at least one axis"):
        kernels.hilbert_order([], 2, control)
    with pytest.raises(ValueError, match="from 1 to 32"):
        kernels.hilbert_order([ok], 33, control)
    with pytest.raises(ValueError, match=r"below 2\*\*bits"):
        kernels.hilbert_order([np.array([0, 4], dtype=np.uint32)], 2, control)
    with pytest.raises(ValueError, match="equally long"):
        kernels.hilbert_order([ok, ok[:1]], 2, control)
    with pytest.raises(ValueError, match="uint32"):
        kernels.hilbert_order([ok.astype(np.int64)], 2, control)


def test_refused_orders() -> None:
    records = kernels.Records(np.array([2, 2], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    for order in ([0, 0], [0, 2], [-1, 1]):
        with pytest.raises(ValueError, match="every row once"):
            kernels.optimal_runs(
                kernels.Objective(records), np.array(order, dtype=np.int32), 2, kernels.Control()
            )
    with pytest.raises(ValueError, match="one entry for each row"):
        kernels.optimal_runs(
            kernels.Objective(records), np.array([0], dtype=np.int32), 2, kernels.Control()
        )


def test_a_cancelled_control_stops_both() -> None:
    control = kernels.Control()
    control.cancel()
    axes = [np.array([0, 1], dtype=np.uint32)]
    with pytest.raises(Cancelled):
        kernels.hilbert_order(axes, 1, control)
    records = kernels.Records(np.array([2, 2], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    with pytest.raises(Cancelled):
        kernels.optimal_runs(
            kernels.Objective(records), np.array([0, 1], dtype=np.int32), 2, control
        )
