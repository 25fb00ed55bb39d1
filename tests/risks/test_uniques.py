"""Minimal unique combinations and SUDA scores, by definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.risks.uniques import affordable, find_uniques
from tests.reference import risk as reference


def test_the_worked_example() -> None:
    """Four columns; the last record is unique on sex + job and on age alone.

    Its score is (4-2)(4-3) + (4-1)(4-2)(4-3) = 2 + 6 with combinations of up to three columns.
    """
    table = pl.DataFrame(
        {
            "sex": ["F", "F", "M", "M", "F"],
            "job": ["cook", "cook", "smith", "smith", "smith"],
            "age": [30, 30, 40, 40, 50],
            "town": ["a", "a", "a", "a", "a"],
        }
    )
    found = shoal.risk(table, quasi=table.columns, combinations=3)
    assert found.by_record["score"].to_list() == [0, 0, 0, 0, 8]
    combined = {tuple(row["columns"]): row["records"] for row in found.by_combination.to_dicts()}
    assert combined == {("age",): 1, ("sex", "job"): 1}
    columns = {row["column"]: row for row in found.by_column.to_dicts()}
    assert columns["age"]["contribution"] == pytest.approx(6 / 8)
    assert columns["sex"]["contribution"] == pytest.approx(2 / 8)
    assert columns["town"]["contribution"] == 0
    assert columns["age"]["unique_alone"] == 1
    assert columns["age"]["unique_without"] == 1
    assert found.by_column["column"][0] == "age"


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)),
        min_size=1,
        max_size=14,
    ),
    st.integers(1, 4),
)
def test_by_definition(rows: list[tuple[int, int, int, int]], largest: int) -> None:
    codes = [np.array(column, dtype=np.uint8) for column in zip(*rows, strict=True)]
    found = find_uniques(codes, largest)
    minimal = [
        [one for one in listed if len(one) <= largest] for listed in reference.minimal_uniques(rows)
    ]
    assert dict(found.combinations) == Counter(one for listed in minimal for one in listed)
    scores = [reference.suda_score(listed, 4, largest) for listed in minimal]
    assert found.scores.tolist() == scores
    assert found.unique == sum(count == 1 for count in Counter(rows).values())
    for column in range(4):
        with_it = sum(
            reference.suda_score([one], 4, largest)
            for listed in minimal
            for one in listed
            if column in one
        )
        expected = with_it / sum(scores) if sum(scores) else 0
        assert found.contributions[column] == pytest.approx(expected)
        others = Counter(tuple(np.delete(row, column)) for row in rows)
        assert found.without[column] == sum(count == 1 for count in others.values())


def test_what_is_searched_follows_from_the_size_of_the_table() -> None:
    assert affordable(8, 30_000) == 8
    assert affordable(8, 1_000_000) < 8
    assert affordable(500, 1_000_000) == 1
    codes = [np.arange(30, dtype=np.uint8) // (place + 2) for place in range(6)]
    found = find_uniques(codes, work=30 * 25)
    assert found.searched == 2
    assert max(len(columns) for columns, _ in found.combinations) <= 2


def test_one_column_and_one_record() -> None:
    found = find_uniques([np.zeros(1, dtype=np.uint8)])
    assert found.combinations == (((0,), 1),)
    assert found.without == (1,)
