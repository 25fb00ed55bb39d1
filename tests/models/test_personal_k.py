"""Personal k: a class is as large as the largest k among its records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError, ValueReadError
from tests.reference.optimum import divisions

if TYPE_CHECKING:
    from collections.abc import Sequence

QUASI = ["age", "sex"]
ASKED: dict[str, Any] = {
    "k": 3,
    "quasi": QUASI,
    "sensitive": ["ill"],
    "other": ["ward"],
    "personal_k": ["own", "ward=ICU:12"],
}


def people(n: int = 150) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "ward": rng.choice(["A", "B", "ICU"], n, p=[0.6, 0.36, 0.04]),
            "own": [None if one == 0 else int(one) for one in rng.choice([0, 2, 5, 9], n)],
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )


def wanted(frame: pl.DataFrame, k: int) -> list[int]:
    return [
        max(k, own or 0, 12 if ward == "ICU" else 0)
        for own, ward in zip(frame["own"], frame["ward"], strict=True)
    ]


def assert_respected(frame: pl.DataFrame, release: shoal.Release[Any], ks: Sequence[int]) -> None:
    looks = list(release.frame.select(QUASI).iter_rows())
    sizes = Counter(looks)
    for look, row in zip(looks, release.custody.rows.tolist(), strict=True):
        assert sizes[look] >= ks[row]


@pytest.mark.parametrize(
    "algorithm",
    [
        "mondrian",
        "k-member",
        "sequential",
        "hilbert",
        "agglomerative",
        "greedy",
        "sorted",
        "refine",
        "split-carry",
        "ola",
        "datafly",
        "kgen",
        "samarati",
        "auto",
    ],
)
def test_algorithms_respect_it(algorithm: str) -> None:
    frame = people()
    steps: dict[str, Any] = {"steps": 20} if algorithm in {"refine", "auto"} else {}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=1, **ASKED, **steps)
    assert_respected(frame, release, wanted(frame, 3))
    assert "own" not in release.frame.columns
    assert [check.passed for check in release.verdict.checks if check.name == "personal k"] == [
        True
    ]


@pytest.mark.parametrize("algorithm", ["mondrian", "ola", "optimal"])
@pytest.mark.parametrize("suppressed", ["star", "withhold"])
def test_suppressed_records_are_held_to_it(algorithm: str, suppressed: str) -> None:
    frame = people(60)
    asked = {**ASKED, "suppression": 0.4, "suppressed": suppressed, "suppress_for": "released"}
    steps: dict[str, Any] = {"steps": 20} if algorithm == "optimal" else {}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=1, **asked, **steps)
    assert_respected(frame, release, wanted(frame, 3))


def test_the_optimum_is_that_of_all_partitions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        own = rng.choice([0, 4, 5], 8, p=[0.6, 0.3, 0.1])
        frame = pl.DataFrame({"x": rng.integers(0, 30, 8), "y": rng.integers(0, 9, 8)})
        x, y = (frame[name].to_numpy() / np.ptp(frame[name].to_numpy()) for name in "xy")
        best = min(
            sum(len(one) * (np.ptp(x[one]) + np.ptp(y[one])) / 2 for one in classes) / 8
            for classes in divisions(list(range(8)), 2)
            if all(len(one) >= own[one].max() for one in classes)
        )
        asked: dict[str, Any] = {"k": 2, "quasi": ["x", "y"], "personal_k": "own"}
        frame = frame.with_columns(own=pl.Series([int(one) or None for one in own]))
        release = shoal.anonymize(frame, algorithm="optimal", seed=1, **asked)
        assert release.facts.optimal
        assert release.facts.measures["gcp"] == pytest.approx(best)
        found = shoal.bound(frame, bound_seconds=4, **asked)
        assert found["lower_bound"] <= best + 1e-9
        assert found["loss"] >= best - 1e-9


def test_a_rule_alone_leaves_the_column_to_its_role() -> None:
    frame = people().drop("own")
    asked = {**ASKED, "personal_k": "ward=ICU:12"}
    release = shoal.anonymize(frame, algorithm="mondrian", seed=1, **asked)
    assert "ward" in release.frame.columns
    ks = [12 if ward == "ICU" else 3 for ward in frame["ward"]]
    assert_respected(frame, release, ks)
    with pytest.raises(SchemaError, match="'ward'"):
        shoal.anonymize(frame, **{**asked, "other": []})


def test_a_column_of_ks_that_has_a_role_is_released() -> None:
    asked = {**ASKED, "other": ["ward", "own"], "accept": ["own"]}
    release = shoal.anonymize(people(), algorithm="mondrian", seed=1, **asked)
    assert "own" in release.frame.columns


def test_smaller_ks_and_idle_rules_are_noted() -> None:
    frame = people()
    asked = {**ASKED, "personal_k": ["own", "ward=Z:12"]}
    release = shoal.anonymize(frame, algorithm="mondrian", seed=1, **asked)
    below = sum(own == 2 for own in frame["own"])
    notes = " ".join(release.custody.notes)
    assert f"{below} records have a personal k below k = 3" in notes
    assert "No record shows the value of the rule 'ward=Z:12'" in notes


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("nobody", ParameterError, "neither a column nor"),
        ("ward=ICU", ParameterError, "neither a column nor"),
        ("ward=ICU:1", ParameterError, "at least 2"),
        ("waard=ICU:9", SchemaError, "no such column"),
        ("ward=A:900", InfeasibleError, "only 150 records"),
        ("ill", ValueReadError, "row 1, 2, 3"),
    ],
)
def test_what_cannot_be_kept_is_refused(rule: str, error: type[Exception], message: str) -> None:
    asked = {**ASKED, "personal_k": [rule], "rest": "drop"}
    with pytest.raises(error, match=message) as raised:
        shoal.anonymize(people(), algorithm="mondrian", **asked)
    assert not any(value in str(raised.value) for value in ("flu", "cold", "gout"))


@pytest.mark.parametrize(
    "more",
    [{"form": "freeform"}, {"algorithm": "ff-greedy"}, {"algorithm": "iyengar"}, {"person": "id"}],
)
def test_where_it_is_not_defined_it_is_refused(more: dict[str, Any]) -> None:
    frame = people(40).with_columns(id=pl.int_range(40))
    with pytest.raises(ParameterError, match="personal"):
        shoal.anonymize(frame, **{**ASKED, "rest": "drop", **more})


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_is_never_above_the_least_loss_under_a_personal_k(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = 8, 2
    own: list[int] = rng.integers(2 + seed % 2, 5, n).tolist()
    frame = pl.DataFrame(
        {"age": rng.integers(0, 12, n), "sex": rng.choice(["f", "m"], n), "own": own}
    )
    span = max(frame["age"].to_list()) - min(frame["age"].to_list())

    def loss(rows: Sequence[int]) -> float:
        part = frame[list(rows)]
        ages, sexes = part["age"].to_list(), part["sex"].n_unique()
        wide = (max(ages) - min(ages)) / span
        return float(len(rows) * (wide + (sexes - 1)) / 2)

    least = min(
        sum(map(loss, classes))
        for classes in divisions(list(range(n)), k)
        if all(len(rows) >= max(own[row] for row in rows) for rows in classes)
    )
    words: dict[str, Any] = {"quasi": QUASI, "personal_k": ["own"], "bound_seconds": 60}
    found = shoal.bound(frame, k=k, **words)
    assert found["lower_bound"] <= least / n + 1e-12
    lowest = min(own)
    assert f"classes of at least {lowest} records" in found["notes"][0]
    # It is the bound of the least k that any record asks for.
    common = shoal.bound(frame, k=lowest, quasi=QUASI, rest="drop", bound_seconds=60)
    assert found["lower_bound"] == pytest.approx(common["lower_bound"], rel=0.01, abs=1e-6)
    assert not common["notes"]
