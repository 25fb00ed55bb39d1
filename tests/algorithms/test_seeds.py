"""What algorithms say about the seed: unless they are random, it changes the order of rows only."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms

# These solve programs, which takes too long for 60 records.
SLOW = {"milp", "ff-mip"}


def released(name: str, seed: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.integers(0, 9, 60), "y": rng.integers(0, 6, 60)})
    words: dict[str, Any] = {"kind": {"x": "numeric", "y": "numeric"}}
    if algorithms()[name].family == "lattice":
        words = {"hierarchy": {"x": "ranges:3,9", "y": "ranges:2,6"}}
    if algorithms()[name].traits.anytime:
        words["steps"] = 30
    made = shoal.anonymize(frame, k=4, quasi=["x", "y"], algorithm=name, seed=seed, **words)
    return sorted(made.table.rows())


@pytest.mark.parametrize(
    "name",
    [name for name, one in algorithms().items() if not one.traits.random and name not in SLOW],
)
def test_the_seed_changes_the_order_of_rows_only(name: str) -> None:
    assert len({tuple(released(name, seed)) for seed in range(4)}) == 1


@pytest.mark.parametrize("name", ["k-concealment", "split-carry"])
def test_the_seed_changes_what_is_random(name: str) -> None:
    assert algorithms()[name].traits.random
    assert len({tuple(released(name, seed)) for seed in range(4)}) > 1
