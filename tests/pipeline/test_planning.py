"""Plans: what is feasible is exact, what is expected is near what then happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_feasible() -> None:
    table = pl.DataFrame({"age": [1, 1, 2, 3, 4, 5], "ill": [*"aaabbc"], "who": [*"ppqrst"]})
    found = shoal.plan(table, k=[2, 6, 7], quasi=["age"], sensitive=["ill"], rest="drop")
    assert (found.n, found.distinct, found.k_now, found.largest_k) == (6, 5, 1, 6)
    assert found.largest_l == {"ill": 2.0}
    assert [one.k for one in found.forecasts] == [2, 6]
    persons = shoal.plan(table, k=[2], quasi=["age"], sensitive=["ill"], person="who")
    assert persons.largest_k == 5
    twice = pl.DataFrame({"age": [1, 1, 2, 2], "who": [*"ppqr"]})
    assert shoal.plan(twice, k=2, quasi=["age"], rest="drop").k_now == 2
    assert shoal.plan(twice, k=2, quasi=["age"], person="who").k_now == 1  # 1 is p alone
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "sensitive": ["ill"], "rest": "drop"}
    assert shoal.anonymize(table, models=["frequency-l-diversity:2"], **words).verdict.passed
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(table, models=["frequency-l-diversity:2.1"], **words)


def test_what_is_feasible_under_level_limits() -> None:
    """Records of two regions may not share a class: what the smaller one allows is the most."""
    tree = shoal.Hierarchy.from_rows(
        [["n1", "north", "*"], ["n2", "north", "*"], ["s1", "south", "*"], ["s2", "south", "*"]]
    )
    table = pl.DataFrame(
        {
            "place": ["n1", "n2", "n1", "s1", "s2", "s1", "s2", "s1"],
            "ill": [*"abc", *"aabbb"],
            "who": [*"ppq", *"rstuv"],
        }
    )
    words: dict[str, Any] = {
        "quasi": ["place"],
        "sensitive": ["ill"],
        "hierarchy": {"place": tree},
        "rest": "drop",
    }
    free = shoal.plan(table, k=[2, 3, 4], **words)
    assert (free.largest_k, free.largest_distinct_l, free.notes) == (8, {"ill": 3}, ())
    limits: dict[str, Any] = {**words, "max_level": {"place": 1}, "min_level": {"place": 1}}
    found = shoal.plan(table, k=[2, 3, 4], **limits)
    assert found.largest_k == 3
    # South: five records, three of b; two values.
    assert (found.largest_l, found.largest_distinct_l) == ({"ill": 1.6666}, {"ill": 2})
    assert [one.k for one in found.forecasts] == [2, 3]
    # Every record shows its region: one of three inner steps up from two leaves.
    assert [one.reached for one in found.forecasts] == pytest.approx([1 / 3, 1 / 3])
    assert any("At k = 4" in note and "3 records (37.5 %)" in note for note in found.notes)
    assert shoal.anonymize(table, k=3, **limits).verdict.passed
    with pytest.raises(shoal.InfeasibleError):
        shoal.anonymize(table, k=4, **limits)
    closest = [f"frequency-l-diversity:{found.largest_l['ill']}"]
    assert shoal.anonymize(table, k=2, models=closest, **limits).verdict.passed
    people = shoal.plan(table, k=[2, 3], person="who", **limits)
    assert people.largest_k == 2  # p and q


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
    assert any("`suppression`" in one.what for one in found.advice)
    effects = [one.effect for one in found.advice]
    assert effects == sorted(effects, reverse=True)
    left_out = {one.what.split("'")[1] for one in found.advice if one.what.startswith("Leave")}
    assert left_out
    assert left_out <= set(MIXED["quasi"])


def test_a_column_that_tells_everybody_apart_costs_most() -> None:
    table = pl.DataFrame(
        {
            "sex": list("FM") * 200,
            "age": [20 + row % 40 for row in range(400)],
            "number": [row * 7919 % 400 for row in range(400)],
        }
    )
    found = shoal.plan(table, k=5, quasi=table.columns)
    first = next(one for one in found.advice if one.what.startswith("Leave"))
    assert "'number'" in first.what
    # Without it k holds as it is: 40 ages of one sex each, ten times.
    assert first.effect == 1.0


def test_what_models_cost_and_where_they_end() -> None:
    table = pl.DataFrame({"age": list(range(60)), "ill": ["a", "b", "c"] * 20})
    words: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"]}
    found = shoal.plan(table, k=[2, 5], models=["distinct-l-diversity:3"], **words)
    assert found.largest_distinct_l == {"ill": 3}
    for one in found.forecasts:
        assert one.under_models is not None
        assert one.under_models >= one.reached
    # At least three records a class, so the forecast for k = 2 is that of k = 3.
    first = found.forecasts[0]
    assert (first.under_models or 0) > first.reached
    impossible = shoal.plan(table, k=2, models=["distinct-l-diversity:4"], **words)
    assert impossible.forecasts[0].under_models is None
    assert "distinct-l-diversity:4" in impossible.notes[0]


@pytest.mark.parametrize("model", ["average-risk:0.1", "k-map:7", "population-uniqueness:0.001"])
def test_models_of_the_whole_release_are_forecast(model: str, tmp_path: Path) -> None:
    """As mondrian meets them in a release."""
    table = pl.DataFrame({"age": list(range(60))})
    everybody = tmp_path / "everybody.csv"
    pl.concat([table, table.head(30)]).write_csv(everybody)
    needs: dict[str, dict[str, Any]] = {
        "k-map:7": {"population": str(everybody)},
        "population-uniqueness:0.001": {"sampling_fraction": 0.5},
    }
    options = {"quasi": ["age"], "models": [model], **needs.get(model, {})}
    found = shoal.plan(table, k=2, **options)
    release = shoal.anonymize(table, k=2, algorithm="mondrian", **options)
    assert found.models == (model,)
    assert found.forecasts[0].under_models == pytest.approx(release.figures.measures["gcp"])
    if model in needs:
        with pytest.raises(shoal.ParameterError, match="needs"):
            shoal.plan(table, k=2, quasi=["age"], models=[model])


def test_what_suppression_buys_is_forecast_at_every_k() -> None:
    """Two who are far from all others cost much; without them everybody is close."""
    table = pl.DataFrame({"age": [*range(20, 40), *range(20, 40)] * 5 + [900, 990]})
    found = shoal.plan(table, k=[3, 5], quasi=["age"])
    for one in found.forecasts:
        assert one.with_suppression is not None
        assert one.with_suppression < one.low
    top = found.advice[0]
    assert "1 %" in top.what
    assert top.effect > 0.2


def test_delta_presence_has_no_forecast_and_says_so(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": list(range(20))})
    everybody = tmp_path / "everybody.csv"
    pl.concat([table, table]).write_csv(everybody)
    found = shoal.plan(
        table, k=2, quasi=["age"], models=["delta-presence:0,0.9"], population=str(everybody)
    )
    assert found.forecasts[0].under_models is None
    assert "delta-presence" in found.notes[0]


def test_roles_that_are_missing_are_suggested_and_named() -> None:
    table = pl.DataFrame(
        {"name": [f"Ann {row}" for row in range(20)], "age": [30 + row for row in range(20)],
         "diagnosis": ["flu", "cold"] * 10}
    )  # fmt: skip
    found = shoal.plan(table, k=2)
    assert found.roles["quasi"] == ("age",)
    assert found.roles["sensitive"] == ("diagnosis",)
    assert found.undecided == {"name": "identifier", "age": "quasi", "diagnosis": "sensitive"}
    decided = shoal.plan(table, k=2, quasi=["age"], rest="drop")
    assert decided.undecided == {}
