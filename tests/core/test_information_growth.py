"""Greedy Search and k-member under information measures against the slow oracle."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shoal._core import kernels
from tests.core.tables import random_table
from tests.interrupting import Interrupted
from tests.reference.information import class_information
from tests.reference.information_growth import grow_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.core.tables import TestTable


def information(table: TestTable, secret: Sequence[int], w: float, members: Sequence[int]) -> float:
    return class_information(table.attributes, members, secret, w)


def shows_the_same(table: TestTable, one: int, other: int) -> bool:
    return all(attribute.codes[one] == attribute.codes[other] for attribute in table.attributes)


@pytest.mark.parametrize("w", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("method", ["greedy", "k-member", "centre"])
def test_classes_grow_as_those_of_the_oracle(method: str, w: float) -> None:
    different = 0
    for seed in range(60):
        table = random_table(seed, size=16)
        draw = np.random.default_rng(seed)
        order = draw.permutation(table.rows).astype(np.int32)
        secret = draw.integers(0, 3, table.rows).astype(np.uint32)
        objective = kernels.Objective.information(table.records, w, secret, 3)
        k = 1 + seed % 6
        start = None if method == "greedy" else seed % table.rows
        centre = method == "centre"
        expected = grow_classes(
            partial(information, table, secret[table.row_of].tolist(), w),
            partial(shows_the_same, table),
            [table.expand([row]) for row in order.tolist()],
            k,
            start=None if start is None else table.expand([start])[0],
            centre=centre,
        )
        if start is None:
            placed = kernels.information_greedy(objective, order, k, False, kernels.Control())
            plain = kernels.greedy(table.records, order, k, False, kernels.Control())
        else:
            placed = kernels.information_k_member(
                objective, order, start, k, False, centre, kernels.Control()
            )
            plain = kernels.k_member(
                table.records, start, k, False, centre, kernels.Control(), order=order
            )
        assert table.classes_of(placed) == table.fold_classes(expected)
        different += table.classes_of(placed) != table.classes_of(plain)
    assert different > 5


@pytest.mark.parametrize("method", ["greedy", "k-member"])
def test_settled_rows_are_classes_of_their_own(method: str) -> None:
    for seed in range(40):
        table = random_table(seed)
        k = 1 + seed % 4
        counts = np.bincount(table.row_of)
        order = np.arange(table.rows, dtype=np.int32)
        objective = kernels.Objective.information(
            table.records, 1.0, np.zeros(0, dtype=np.uint32), 0
        )
        if method == "greedy":
            placed = kernels.information_greedy(objective, order, k, True, kernels.Control())
        else:
            placed = kernels.information_k_member(
                objective, order, 0, k, True, False, kernels.Control()
            )
        row, which, count = placed
        assert np.bincount(row, weights=count).tolist() == counts.tolist()
        assert min(np.bincount(which, weights=count)) >= k
        for settled in np.flatnonzero(counts >= k).tolist():
            assert count[row == settled].tolist() == [counts[settled]]


def test_cancelling_stops_a_run_under_way() -> None:
    draw = np.random.default_rng(1)
    rows = 100_000
    records = kernels.Records(np.ones(rows, dtype=np.int32))
    for _ in range(8):
        records.add_set(draw.integers(0, 60, rows).astype(np.uint8), 60, 1 / 59, 1 / 8)
    objective = kernels.Objective.information(records, 1.0, np.zeros(0, dtype=np.uint32), 0)
    control = kernels.Control()
    order = np.arange(rows, dtype=np.int32)
    ended = Interrupted(
        lambda: kernels.information_greedy(objective, order, 5, False, control), control
    )
    assert ended.cancelled
    assert ended.went_on < 0.01


def test_the_plain_loss_is_refused() -> None:
    records = kernels.Records(np.array([1, 2], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    with pytest.raises(ValueError, match="information measure"):
        kernels.information_greedy(
            kernels.Objective(records), np.arange(2, dtype=np.int32), 2, False, kernels.Control()
        )
