"""Measures on releases small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.measures import measures

ORIGINAL = pl.DataFrame({"age": [20, 30, 40, 60], "sex": ["F", "F", "M", "M"]})
RELEASED = pl.DataFrame(
    {"age": ["[20..30]", "[20..30]", "[40..60]", "[40..60]"], "sex": ["F", "F", "M", "M"]}
)


def measured(released: pl.DataFrame, k: int = 2, **words: Any) -> dict[str, float]:
    found = shoal.measure(ORIGINAL, released, k=k, quasi=["age", "sex"], **words)["measures"]
    assert isinstance(found, dict)
    return found


def test_two_classes_by_hand() -> None:
    found = measured(RELEASED)
    assert found["gcp"] == pytest.approx((10 / 40 + 20 / 40) / 2 / 2)
    assert found["gcp_sum"] == pytest.approx(4 * found["gcp"])
    assert found["am"] == 2.0
    assert found["dm"] == 8.0
    assert found["cavg"] == 1.0


def test_weights_shift_the_loss() -> None:
    assert measured(RELEASED, weight={"age": 3})["gcp"] == pytest.approx(0.75 * 0.375)


def test_suppressed_records_lose_everything_starred_or_withheld() -> None:
    starred = pl.DataFrame({"age": ["[20..30]", "[20..30]", "*", "*"], "sex": ["F", "F", "*", "*"]})
    for released in (starred, starred[:2]):
        found = measured(released)
        assert found["gcp"] == pytest.approx((0.25 / 2 * 2 + 1.0 * 2) / 4)
        assert found["gcp_released"] == pytest.approx(0.125)
        assert found["dm"] == 2**2 + 2 * 4
        assert found["am"] == pytest.approx((2 * 2 + 8 * 2) / 4)


def test_ends_that_the_original_never_had_are_measured_by_their_width() -> None:
    coarse = RELEASED.with_columns(age=pl.Series(["[20..38]"] * 2 + ["[40..60]"] * 2))
    assert measured(coarse)["gcp"] == pytest.approx((18 / 40 + 20 / 40) / 2 / 2)


def test_every_measure_says_what_it_means() -> None:
    for name, one in measures().items():
        assert one.meaning.endswith("."), name
