"""Columns that give a quasi-identifier away only together stop the run; chance stops nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal

ROLES: dict[str, Any] = {"k": 10, "quasi": ["age", "region"], "rest": "other", "seed": 1}


def people(n: int = 2_000, seed: int = 1) -> dict[str, np.ndarray[Any, Any]]:
    """Return ages, regions, and columns that have nothing to do with either."""
    rng = np.random.default_rng(seed)
    harmless = {f"z{size}": rng.integers(0, size, n) for size in (2, 5, 9, 30)}
    return {"age": rng.integers(18, 90, n), "region": rng.integers(0, 20, n), **harmless}


def table(columns: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(columns).with_columns(region=pl.format("R{}", "region"))


def two_codes() -> pl.DataFrame:
    """Return people with two codes that determine the region, and neither does."""
    columns = people()
    a = np.random.default_rng(2).integers(0, 20, len(columns["age"]))
    return table({**columns, "a": a, "b": (columns["region"] + a) % 20})


def refused(frame: pl.DataFrame, **options: Any) -> shoal.ExposureError:
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(frame, algorithm="mondrian", **ROLES, **options)
    return caught.value


def released(frame: pl.DataFrame, **options: Any) -> shoal.Release[Any]:
    return shoal.anonymize(frame, algorithm="mondrian", **ROLES, **options)


def together(release: shoal.Release[Any]) -> dict[str, Any]:
    """Return what the custodian learns about all other columns together."""
    assert release.custody.figures is not None
    assert release.custody.figures.exposure is not None
    figures: dict[str, Any] = release.custody.figures.exposure["other_columns_together"]
    return figures


def test_two_codes_that_determine_the_region_stop_the_run() -> None:
    error = refused(two_codes())
    assert set(error.columns) == {"a", "b"}
    assert "together determine the quasi-identifier 'region'" in error.what
    for way in ("identifier", "quasi", "accept"):
        assert f"`{way}=['a', 'b']`" in error.remedy


@pytest.mark.parametrize("left_out", ["a", "b"])
def test_either_of_them_alone_is_released(left_out: str) -> None:
    assert together(released(two_codes().drop(left_out)))["findings"] == []


def test_accepting_both_releases_and_records_them() -> None:
    release = released(two_codes(), accept=["a", "b"])
    assert release.facts["exposure"]["accepted"] == ["a", "b"]
    (found,) = together(release)["findings"]
    assert found["columns"] == ["a", "b"]
    assert found["accepted"]
    assert found["effective_k"] < 10 <= found["candidates"]
    assert together(release)["effective_k"] == found["effective_k"]
    assert "accepted as they are: 'a', 'b'" in release.verdict.checks[-1].detail
    assert any("'a' and 'b' together determine" in note for note in release.custody.notes)
    # Effective k depends on exact values, and stays with the custodian.
    assert "'effective_k'" not in str(release.facts.to_dict())


def test_accepting_one_of_them_is_not_enough() -> None:
    assert set(refused(two_codes(), accept=["a"]).columns) == {"a", "b"}


def test_verify_finds_them() -> None:
    frame = two_codes()
    release = released(frame, accept=["a", "b"])
    options = {name: value for name, value in ROLES.items() if name != "seed"}
    secrets: dict[str, Any] = {"rows": release.custody.rows}
    verdict = shoal.verify(frame, release.frame, **secrets, **options)
    (fault,) = [check for check in verdict.checks if not check.passed]
    assert fault.name == "unchanged columns"
    assert "'a' and 'b' together" in fault.detail
    assert shoal.verify(frame, release.frame, accept=["a", "b"], **secrets, **options).passed


@pytest.mark.parametrize(
    "split",
    [
        lambda age, y: {"y1": y, "y2": age - y},
        lambda age, y: {"y1": y + 0.5, "y2": 3.0 * (age + y)},
        lambda age, y: {"y1": np.exp(y / 100), "y2": age / np.exp(y / 100)},
    ],
    ids=["sum", "weighted difference", "product"],
)
def test_quantities_that_give_the_age_together_stop_the_run(split: Any) -> None:
    columns = people()
    y = np.random.default_rng(3).integers(-500, 500, len(columns["age"]))
    error = refused(table({**columns, **split(columns["age"], y)}))
    assert set(error.columns) == {"y1", "y2"}
    assert "together repeat the quasi-identifier 'age'" in error.what


def test_hints_that_add_up_stop_the_run() -> None:
    # Each code tells a third of a decade for some people, and is noise for the others.
    columns = people()
    rng, n = np.random.default_rng(4), len(columns["age"])
    hints = {
        f"h{number}": np.where(rng.random(n) < 0.23, columns["age"] // 3, rng.integers(6, 30, n))
        for number in range(14)
    }
    error = refused(table({**columns, **hints}))
    assert set(error.columns) <= set(hints)
    assert len(error.columns) > 1
    assert "together narrow the quasi-identifiers as none of them does alone" in error.what
    release = released(table({**columns, **hints}), accept=list(error.columns))
    assert release.facts["exposure"]["accepted"] == [*error.columns]


@pytest.mark.parametrize("n", [60, 300, 2_000])
def test_columns_that_have_nothing_to_do_with_people_stop_nothing(n: int) -> None:
    # All records are unique by these columns, and still none tells a quasi-identifier.
    columns = people(n)
    rng = np.random.default_rng(5)
    many = {f"x{number}": rng.integers(0, 2 + number, n) for number in range(25)}
    amounts = {f"y{number}": np.round(rng.gamma(2, 300, n), 2) for number in range(5)}
    figures = together(released(table({**columns, **many, **amounts})))
    assert figures["findings"] == []
    assert figures["effective_k"] > 0.97 * figures["candidates"]


def test_a_month_beside_a_date_of_birth_stops_the_run() -> None:
    rng = np.random.default_rng(6)
    born = pl.Series(rng.integers(-10_000, 10_000, 2_000)).cast(pl.Date)
    frame = pl.DataFrame({"born": born, "m": born.dt.month(), "z": rng.integers(0, 9, 2_000)})
    for shown in (frame, frame.with_columns(pl.col("born").cast(pl.String))):
        with pytest.raises(shoal.ExposureError) as caught:
            shoal.anonymize(shown, k=5, quasi=["born"], rest="other", algorithm="mondrian")
        assert caught.value.columns == ("m",)


def test_columns_of_any_type_and_size_raise_no_warning() -> None:
    rng, n = np.random.default_rng(8), 200
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "size": rng.choice([1e-300, 1e15, 5.0], n),
            "huge": rng.choice([1e308, -1e308, 0.0], n),
            "tiny": rng.choice([1e-308, 2.0], n),
            "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "endless": rng.choice([np.inf, 1.0], n),
            "empty": pl.Series([None] * n, dtype=pl.Int64),
            "flag": rng.random(n) < 0.5,
            "list": pl.Series([[1, 2]] * n),
            "span": pl.Series(rng.integers(0, 10**6, n)).cast(pl.Duration("us")),
            "exact": pl.Series(["1.25", "2.5"] * (n // 2)).cast(pl.Decimal(10, 2)),
            "kind": pl.Series(["x", "y"] * (n // 2), dtype=pl.Categorical),
        }
    )
    others = frame.columns[2:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = shoal.anonymize(
            frame, k=5, quasi=["age", "size"], other=others, accept=others, algorithm="mondrian"
        )
    assert together(release)["findings"] == []


def test_columns_that_tell_whose_a_value_is_together_stop_anatomy() -> None:
    rng, n = np.random.default_rng(7), 2_000
    disease, a = rng.integers(0, 12, n), rng.integers(0, 12, n)
    frame = pl.DataFrame(
        {"age": rng.integers(18, 90, n), "a": a, "b": (disease + a) % 12, "d": disease}
    )
    options: dict[str, Any] = {"quasi": ["age"], "sensitive": "d", "l": 3, "other": ["a", "b"]}
    with pytest.raises(shoal.ExposureError, match="'a' and 'b' together determine the sensitive"):
        shoal.anatomize(frame, **options)
    release = shoal.anatomize(frame, accept=["a", "b"], **options)
    assert release.facts["accepted"] == ["a", "b"]
