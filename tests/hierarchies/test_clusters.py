"""Grouping by co-occurrence against a slow and obvious reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.hierarchies import Recipe, cluster_levels
from shoal.hierarchies.names import set_name
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.hierarchy_building import make_hierarchy
from tests.hierarchies.trees import assert_nested, groups
from tests.reference.cooccurrence import grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

BY_COOCCURRENCE = Recipe.parse("auto:cooccurrence")


def made(records: Sequence[tuple[str, ...]]) -> list[set[frozenset[str]]]:
    frame = pl.DataFrame(records, schema=["a", "b", "c"], orient="row")
    tree = make_hierarchy(
        frame["a"], BY_COOCCURRENCE, CooccurrenceContext((frame["b"], frame["c"]))
    )
    assert_nested(tree, frame["a"].unique().to_list())
    return [
        {frozenset(below) for below in groups(tree, level).values()}
        for level in range(1, tree.height)
    ]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz"), st.sampled_from("pq")),
        min_size=3,
        max_size=40,
    )
)
def test_levels_are_those_of_the_reference(records: list[tuple[str, ...]]) -> None:
    values = {record[0] for record in records}
    if len(values) < 3:
        return
    expected = [
        {frozenset(group) for group in grouped(records, size)}
        for size in (4, 2)
        if size < len(values)
    ]
    assert made(records) == expected


def test_values_in_like_company_come_together() -> None:
    records = [(value, "x", "p") for value in "ab" for _ in range(5)]
    records += [(value, "y", "q") for value in "cd" for _ in range(5)]
    assert made(records)[-1] == {frozenset("ab"), frozenset("cd")}


def test_without_information_groups_are_of_like_size() -> None:
    leaves = [f"v{number:02}" for number in range(16)]
    tree = cluster_levels(leaves, [np.full((16, 1), 10)])
    for level in range(1, tree.height):
        sizes = [len(below) for below in groups(tree, level).values()]
        assert max(sizes) == min(sizes)


def test_the_order_of_records_does_not_matter() -> None:
    generator = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "job": generator.integers(0, 30, 2_000).astype(str),
            "age": generator.integers(18, 90, 2_000),
            "sex": generator.choice(["F", "M", ""], 2_000),
        }
    ).with_columns(job="j" + pl.col("job"))
    recipe = Recipe.parse("auto")
    first = make_hierarchy(
        frame["job"], recipe, CooccurrenceContext((frame["age"], frame["sex"]))
    ).rows()
    frame = frame.sample(fraction=1.0, shuffle=True, seed=3)
    context = CooccurrenceContext((frame["age"], frame["sex"]))
    assert make_hierarchy(frame["job"], recipe, context).rows() == first


def test_hundreds_of_categories_halve_level_by_level() -> None:
    generator = np.random.default_rng(1)
    context = [generator.integers(0, 40, (300, 16)) for _ in range(8)]
    tree = cluster_levels([f"v{number:03}" for number in range(300)], context)
    assert [len(groups(tree, level)) for level in range(tree.height + 1)] == [
        300,
        32,
        16,
        8,
        4,
        2,
        1,
    ]


def test_names_of_sets() -> None:
    assert set_name(["a"]) == "a"
    assert set_name(["a|b", "c{"]) == r"{a\|b|c\{}"
    assert set_name([f"{n:02}" for n in range(12)]).count("|") == 11
    assert set_name([f"{n:02}" for n in range(13)]) == "{00|01|02|…|12: 13 values}"
