"""Folding of equal rows."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from shoal._core import kernels

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 300), st.integers(0, 70_000)))


@given(rows=ROWS)
def test_rows_fold_in_order_of_first_appearance(rows: list[tuple[int, int, int]]) -> None:
    rows = rows + rows[::2]
    columns = [
        np.array([row[place] for row in rows], dtype=type_)
        for place, type_ in enumerate((np.uint8, np.uint16, np.uint32))
    ]
    row_of, first = kernels.fold(columns)
    distinct = list(dict.fromkeys(rows))
    assert [rows[place] for place in first.tolist()] == distinct
    assert [distinct[row] for row in row_of.tolist()] == rows
    assert first.tolist() == [rows.index(row) for row in distinct]


def test_keys_beyond_64_bits_are_compared_in_full() -> None:
    draw = np.random.default_rng(0)
    columns = [
        draw.integers(0, 2, 5_000).astype(np.uint32) * np.uint32(2**32 - 1) for _ in range(9)
    ]
    row_of, first = kernels.fold(columns)
    table = np.stack(columns, axis=1)
    assert np.array_equal(table[first][row_of], table)
    assert len(first) == len(np.unique(table, axis=0))


def test_the_table_of_rows_grows() -> None:
    values = np.random.default_rng(1).permutation(200_000).astype(np.uint32)
    row_of, first = kernels.fold([values, values % 7])
    assert np.array_equal(row_of, np.arange(200_000))
    assert np.array_equal(first, np.arange(200_000))


def test_no_records_have_no_rows() -> None:
    row_of, first = kernels.fold([np.empty(0, dtype=np.uint8)])
    assert len(row_of) == len(first) == 0


@pytest.mark.parametrize(
    "columns",
    [
        [],
        [np.zeros(3, dtype=np.int64)],
        [np.zeros((3, 1), dtype=np.uint8)],
        [np.zeros(3, dtype=np.uint8), np.zeros(4, dtype=np.uint8)],
        [np.zeros(6, dtype=np.uint8)[::2]],
    ],
    ids=["none", "type", "two dimensions", "lengths", "strides"],
)
def test_bad_columns_are_refused(columns: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="codes"):
        kernels.fold(columns)
