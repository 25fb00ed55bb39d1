"""Bad arguments raise ValueError at the binding, before any kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from shoal._core import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

CODES = np.array([0, 1, 2], dtype=np.uint8)
COUNTS = np.ones(3, dtype=np.int32)
ORDER = np.arange(3, dtype=np.int32)
TREE: dict[str, Any] = {
    "ancestors": np.array([[0, 1, 2], [3, 3, 2], [4, 4, 4]], dtype=np.int32),
    "node_first": np.array([0, 1, 2, 0, 0], dtype=np.int32),
    "node_last": np.array([0, 1, 2, 1, 2], dtype=np.int32),
    "node_loss": np.array([0.0, 0.0, 0.0, 0.5, 1.0]),
}


def records() -> kernels.Records:
    made = kernels.Records(COUNTS)
    made.add_set(CODES, 3, 0.5, 1.0)
    return made


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.empty(0, dtype=np.int32), "empty"),
        (np.array([1, 0], dtype=np.int32), "at least 1"),
        (np.array([1, -4], dtype=np.int32), "at least 1"),
        (np.array([1, 2]), "int32"),
        (np.ones((2, 2), dtype=np.int32), "one dimension"),
        (np.ones(6, dtype=np.int32)[::2], "contiguous"),
    ],
)
def test_counts(counts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernels.Records(counts)


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda r: r.add_set(CODES, 2, 0.5, 1.0), "below code_count"),
        (lambda r: r.add_set(CODES[:2], 3, 0.5, 1.0), "each row"),
        (lambda r: r.add_set(CODES.astype(np.int8), 3, 0.5, 1.0), "uint8"),
        (lambda r: r.add_set(CODES, 0, 0.5, 1.0), "code_count"),
        (lambda r: r.add_set(CODES, 2**40, 0.5, 1.0), "code_count"),
        (lambda r: r.add_set(CODES, 3, -0.5, 1.0), "step"),
        (lambda r: r.add_set(CODES, 3, float("nan"), 1.0), "step"),
        (lambda r: r.add_set(CODES, 3, 0.5, -1.0), "weight"),
        (lambda r: r.add_set(CODES, 3, 0.5, float("inf")), "weight"),
        (lambda r: r.add_all_or_nothing(CODES, 2, 1.0), "below code_count"),
        (lambda r: r.add_interval(CODES, np.array([0.0, 1.0]), 1.0), "below code_count"),
        (lambda r: r.add_interval(CODES, np.array([0.0, 1.0, 0.5]), 1.0), "ascend"),
        (lambda r: r.add_interval(CODES, np.array([0.0, 1.0, np.nan]), 1.0), "finite"),
        (lambda r: r.add_interval(CODES, np.array([0, 1, 2]), 1.0), "float64"),
    ],
)
def test_attributes(add: Callable[[kernels.Records], None], message: str) -> None:
    made = kernels.Records(COUNTS)
    with pytest.raises(ValueError, match=message):
        add(made)
    assert made.attributes == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ancestors": TREE["ancestors"][0]}, "two dimensions"),
        ({"ancestors": TREE["ancestors"].astype(np.int64)}, "int32"),
        ({"ancestors": TREE["ancestors"][:, :2].copy()}, "below code_count"),
        ({"ancestors": TREE["ancestors"][:2].copy()}, "last level"),
        ({"ancestors": TREE["ancestors"][::-1].copy()}, "nested"),
        ({"ancestors": np.full((3, 3), 5, dtype=np.int32)}, "name nodes"),
        ({"ancestors": np.full((3, 3), -1, dtype=np.int32)}, "name nodes"),
        ({"ancestors": np.asfortranarray(TREE["ancestors"])}, "contiguous"),
        ({"node_first": TREE["node_first"][:4]}, "each node"),
        ({"node_last": np.array([0, 1, 2, 1, 9], dtype=np.int32)}, "nested"),
        ({"node_loss": np.array([0.0, 0.0, 0.0, 0.5, 1.5])}, "0 to 1"),
        ({"node_loss": np.array([0.0, 0.0, 0.0, 0.5, 0.2])}, "fall"),
        ({"node_loss": np.array([0.0, 0.0, 0.0, np.nan, 1.0])}, "0 to 1"),
    ],
)
def test_trees(changes: dict[str, Any], message: str) -> None:
    made = kernels.Records(COUNTS)
    made.add_tree(CODES, **TREE, weight=1.0)
    with pytest.raises(ValueError, match=message):
        made.add_tree(CODES, **(TREE | changes), weight=1.0)
    assert made.attributes == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, c: kernels.greedy(r, ORDER, 0, False, c), "at least 1"),
        (lambda r, c: kernels.greedy(r, ORDER, 4, False, c), "number of records"),
        (lambda r, c: kernels.greedy(r, ORDER[:2], 2, False, c), "each row"),
        (lambda r, c: kernels.greedy(r, ORDER * 0, 2, False, c), "once"),
        (lambda r, c: kernels.greedy(r, ORDER + 1, 2, False, c), "once"),
        (lambda r, c: kernels.greedy(r, ORDER - 1, 2, False, c), "once"),
        (lambda r, c: kernels.greedy(r, ORDER.astype(np.int64), 2, False, c), "int32"),
        (lambda r, c: kernels.greedy(r, ORDER, 2, False, c, "sse9"), "path"),
        (lambda r, c: kernels.k_member(r, 3, 2, False, False, c), "start"),
        (lambda r, c: kernels.k_member(r, -1, 2, False, False, c), "start"),
        (lambda r, c: kernels.k_member(r, 0, 2, False, False, c, "auto", ORDER * 0), "once"),
        (lambda r, c: kernels.k_member(r, 0, 4, False, False, c), "number of records"),
        (lambda r, c: kernels.mondrian(r, 4, True, 1, c), "number of records"),
        (lambda r, c: kernels.mondrian(r, 2, True, 0, c), "threads"),
        (lambda _, c: kernels.mondrian(kernels.Records(COUNTS), 2, True, 1, c), "no attribute"),
        (lambda r, _: kernels.scan(r, ORDER[:0]), "members"),
        (lambda r, _: kernels.scan(r, ORDER), "every row"),
        (lambda r, _: kernels.scan(r, ORDER + 2), "members"),
        (lambda r, _: kernels.scan(r, ORDER[:1], "sse9"), "path"),
        (lambda r, _: kernels.scan_speed(r, ORDER[:1], "auto", 0), "repeats"),
        (lambda r, _: kernels.class_loss(r, ORDER, ORDER, ORDER, 2), "below classes"),
        (lambda r, _: kernels.class_loss(r, ORDER + 1, ORDER, ORDER, 3), "row of the records"),
        (lambda r, _: kernels.class_loss(r, ORDER, ORDER, ORDER - 1, 3), "negative"),
        (lambda r, _: kernels.class_loss(r, ORDER, ORDER[:2], ORDER, 3), "equally long"),
        (lambda r, _: kernels.class_loss(r, ORDER, ORDER, ORDER, -1), "classes"),
    ],
)
def test_algorithms(
    call: Callable[[kernels.Records, kernels.Control], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call(records(), kernels.Control())


def test_records_in_use_take_no_further_attributes() -> None:
    codes = np.zeros(3, dtype=np.uint8)
    users: list[Callable[[kernels.Records], object]] = [
        kernels.Objective,
        lambda records: kernels.ClassPricer(records, 2, 3),
        lambda records: kernels.mondrian(records, 2, True, 1, kernels.Control()),
    ]
    for use in users:
        records = kernels.Records(np.ones(3, dtype=np.int32))
        records.add_set(codes, 1, 1.0, 1.0)
        used = use(records)
        with pytest.raises(ValueError, match="before the records are used"):
            records.add_set(codes, 1, 1.0, 1.0)
        assert records.attributes == 1
        del used
