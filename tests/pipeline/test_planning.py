"""Plans: what is feasible is exact, what is expected is near what then happens."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from tests.tables import MIXED, mixed_table


def test_what_is_feasible() -> None:
    table = pl.DataFrame({"age": [1, 1, 2, 3, 4, 5], "ill": [*"aaabbc"], "who": [*"ppqrst"]})
    found = shoal.plan(table, k=[2, 6, 7], quasi=["age"], sensitive=["ill"], rest="drop")
    assert (found.n, found.distinct, found.k_now, found.largest_k) == (6, 5, 1, 6)
    assert found.largest_l == {"ill": 2.0}
    assert [one.k for one in found.forecasts] == [2, 6]
    persons = shoal.plan(table, k=[2], quasi=["age"], sensitive=["ill"], person="who")
    assert persons.largest_k == 5
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"], "rest": "drop"}
    assert shoal.anonymize(table, models=["frequency-l-diversity:2"], **words).verdict.passed
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(table, models=["frequency-l-diversity:2.1"], **words)


def test_the_expected_loss_is_near_that_of_k_member() -> None:
    table = mixed_table(5_000, 3, spread=25)
    words: dict[str, Any] = {**MIXED, "accept": ["note", "disease"]}
    found = shoal.plan(table, k=[5, 10], **words)
    for one in found.forecasts:
        made = shoal.anonymize(table, k=one.k, algorithm="k-member", seed=1, **words)
        loss = made.figures.measures["gcp"]
        assert 0.85 * one.low <= loss <= 1.15 * one.high
        assert one.low <= one.high <= one.reached


def test_advice_comes_in_the_order_of_effect() -> None:
    found = shoal.plan(mixed_table(400, 2, spread=25), k=5, **MIXED)
    effects = [one.effect for one in found.advice]
    assert effects == sorted(effects, reverse=True)
    assert set(MIXED["quasi"]) <= {
        one.what.split("'")[1] for one in found.advice if one.what.startswith("Column")
    }
