"""The attribute that is sorted by first: by the variance of ranks, or of values as printed."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Partition, Problem, Run, make_algorithm
from shoal.algorithms.cluster.ordering import commonest_rows, sorted_rows
from shoal.encoding import encode
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.reference import clustering

# Two incomes far apart: their ranks vary least, their values most.
FRAME = pl.DataFrame({"income": [0, 90_000] * 4, "age": [20, 21, 22, 23, 24, 25, 26, 27]})


def problem(frame: pl.DataFrame, **words: Any) -> Problem:
    job = Job.from_dict({"k": 2, "quasi": frame.columns, **words})
    return Problem.of(encode(Table.of(frame, schema_of(frame, job))), 2)


def walked(frame: pl.DataFrame, order: Any, **words: Any) -> list[tuple[Any, ...]]:
    asked = problem(frame, **words)
    return [frame.row(int(asked.folded.first[row])) for row in sorted_rows(asked, order)]


def test_ranks_do_not_depend_on_units_and_values_do() -> None:
    by_income, by_age = sorted(FRAME.rows()), sorted(FRAME.rows(), key=lambda row: row[::-1])
    assert walked(FRAME, "ranks") == by_income
    assert walked(FRAME, "values") == by_age
    thousands = FRAME.with_columns(pl.col("income") / 90_000)
    assert [row[1] for row in walked(thousands, "values")] == [row[1] for row in by_income]


def test_weights_divide_variances_by_their_squares() -> None:
    """Variances of values: 2.025e9 and 5.25; the ratio of weights that turns them is 19,640."""
    by_income = sorted(FRAME.rows())
    assert walked(FRAME, "values", weight={"income": 19_700, "age": 1}) == by_income
    assert walked(FRAME, "values", weight={"income": 19_600, "age": 1}) != by_income


def test_missing_numbers_do_not_vary() -> None:
    frame = pl.DataFrame({"a": [1, 1, 1, None], "b": [0, 1, 2, 3]})
    assert [row[0] for row in walked(frame, "values")] == [1, 1, 1, None]


@pytest.mark.parametrize("name", ["sorted", "greedy", "split-carry"])
def test_algorithms_walk_in_the_order_asked_for(name: str) -> None:
    made = {
        order: shoal.anonymize(
            FRAME, k=2, quasi=["income", "age"], algorithm=name, param={"order": order}, seed=1
        )
        for order in ("ranks", "values")
    }
    assert all(one.verdict.passed for one in made.values())
    if name == "sorted":
        shown = {order: set(one.frame["income"].to_list()) for order, one in made.items()}
        assert shown["ranks"] == {"0", "90000"}
        assert shown["values"] == {"[0..90000]"}


def test_commonest_rows_have_the_commonest_values() -> None:
    """Shares of x: 3/4 and 1/4; of y: 1/2 each; weights decide between b, p and a, q."""
    frame = pl.DataFrame({"x": ["b", "a", "a", "a"], "y": ["p", "p", "p", "q"]})
    asked = problem(frame)
    rows = [frame.row(int(asked.folded.first[row])) for row in commonest_rows(asked)]
    assert rows[0] == ("a", "p")
    assert set(rows[1:]) == {("b", "p"), ("a", "q")}
    heavy = problem(frame, weight={"x": 3.0, "y": 1.0})
    rows = [frame.row(int(heavy.folded.first[row])) for row in commonest_rows(heavy)]
    assert rows == [("a", "p"), ("a", "q"), ("b", "p")]


@pytest.mark.parametrize("seed", range(4))
def test_ties_of_k_member_go_to_the_first_in_order_or_to_the_rarest(seed: int) -> None:
    """Suppress-only: most records are equally near. Each rule has the oracle's classes."""
    rng = np.random.default_rng(seed)
    drawn = {
        name: rng.choice(list(values), 60, p=shares)
        for name, values, shares in (
            ("x", "abc", (0.6, 0.3, 0.1)),
            ("y", "pqrs", (0.5, 0.25, 0.15, 0.1)),
            ("z", "uvw", (0.7, 0.2, 0.1)),
        )
    }
    frame = pl.DataFrame(drawn).unique(maintain_order=True)
    weight = {"x": 1.0, "y": 1.3, "z": 1.7}
    asked = problem(frame, suppress_only=frame.columns, weight=weight)
    assert asked.rows == frame.height
    attributes = [
        clustering.AllOrNothing(codes.tolist(), weight, domain.size)
        for codes, weight, domain in zip(asked.codes, asked.weights, asked.domains, strict=True)
    ]
    rarity = [
        sum(one.weight * log(one.codes.count(one.codes[row]) / frame.height) for one in attributes)
        for row in range(asked.rows)
    ]
    orders = {
        "sorted": sorted_rows(asked).tolist(),
        "rarest": sorted(range(asked.rows), key=lambda row: (round(rarity[row], 9), -row)),
    }
    start = int(Run(seed=seed).generator().integers(asked.rows))
    found = {}
    for ties, order in orders.items():
        chosen = make_algorithm("k-member", {"ties": ties, "settle": False})
        partition = chosen.solve(asked, Run(seed=seed))
        assert isinstance(partition, Partition)
        members: dict[int, set[int]] = {}
        for row, label in zip(partition.rows.tolist(), partition.classes.tolist(), strict=True):
            members.setdefault(label, set()).add(row)
        expected = clustering.k_member(attributes, order, start, asked.k, centre=False)
        found[ties] = sorted(map(sorted, members.values()))
        assert found[ties] == sorted(map(sorted, expected))
    assert found["sorted"] != found["rarest"]
