"""A column that a release carries unchanged gets the codes of its original, whatever its type."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import polars as pl
import pytest

from shoal.encoding import encode_together

MOMENT = datetime(2024, 1, 1, 12, 30, 0, 250_000)


@pytest.mark.parametrize(
    ("original", "released"),
    [
        ([1, 2, None], ["2", "", "1"]),
        ([1.5, 2.0, None], ["2", None, "1.50"]),
        (["a", "b", ""], ["b", None, "a"]),
        ([date(2024, 1, 1), date(2024, 1, 2), None], ["2024-01-02", "", "2024-01-01"]),
        ([MOMENT, datetime(2024, 1, 2), None], ["2024-01-02T00:00:00", "", str(MOMENT)]),
        ([True, False, None], ["false", None, "true"]),
        ([1, 2, None], [2.0, None, 1.0]),
    ],
)
def test_equal_cells_have_equal_codes(original: list[Any], released: list[Any]) -> None:
    before, after, labels = encode_together(pl.Series("x", original), pl.Series("y", released))
    assert after.tolist() == [before[1], before[2], before[0]]
    assert labels[before[2]] == ""
    assert len(set(before.tolist())) == 3


def test_cells_that_do_not_fit_the_type_are_compared_as_texts() -> None:
    before, after, labels = encode_together(pl.Series([1, 2]), pl.Series(["1", "many"]))
    assert labels == ["1", "2", "many"]
    assert (before.tolist(), after.tolist()) == ([0, 1], [0, 2])
