"""Starred records: held to what a class is held to, or withheld."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms
from tests.tables import MIXED, mixed_table

AUDITED = pl.DataFrame(
    {
        "age": [30, 31, 32, 33, 34, 97],
        "d": ["flu", "cold", "gout", "flu", "cold", "HIV"],
    }
)


def starred_rows(release: shoal.Release[pl.DataFrame], quasi: list[str]) -> pl.DataFrame:
    return release.table.filter(pl.all_horizontal(pl.col(quasi) == "*"))


def people(common: int, rare: int, illness: list[str]) -> pl.DataFrame:
    """Return many people who are alike, and a few who are like nobody else."""
    return pl.DataFrame(
        {
            "q": ["a"] * common + [f"r{place}" for place in range(rare)],
            "d": ["flu", "cold"] * (common // 2) + illness,
        }
    )


WORDS: dict[str, Any] = {
    "k": 3,
    "quasi": ["q"],
    "suppress_only": ["q"],
    "sensitive": ["d"],
    "algorithm": "ola",
    "suppression": 0.5,
}


def test_one_starred_record_would_be_known_to_all() -> None:
    release = shoal.anonymize(AUDITED, k=3, quasi=["age"], sensitive=["d"], suppression=0.2)
    assert release.facts.starred == 0
    assert (release.facts.suppressed, release.facts.withheld) == (1, 1)
    assert "HIV" not in release.table["d"].to_list()
    assert any("withheld, not starred: fewer than k" in note for note in release.custody.notes)
    again = shoal.verify(AUDITED, release.table, **release.facts.job)
    assert again.passed


@pytest.mark.parametrize(("rare", "starred"), [(0, 0), (1, 0), (2, 0), (3, 3), (5, 5)])
def test_stars_are_shown_from_k_on(rare: int, starred: int) -> None:
    frame = people(8, rare, ["flu", "cold", "gout", "rash", "mumps"][:rare])
    release = shoal.anonymize(frame, **WORDS)
    assert release.facts.suppressed == rare
    assert release.facts.starred == starred == starred_rows(release, ["q"]).height
    assert release.facts.withheld == rare - starred
    assert release.table.height == 8 + starred


@pytest.mark.parametrize(("illness", "starred"), [("same", 0), ("two", 4)])
def test_starred_records_meet_the_models(illness: str, starred: int) -> None:
    ill = ["HIV"] * 4 if illness == "same" else ["HIV", "flu"] * 2
    release = shoal.anonymize(people(8, 4, ill), models=["distinct-l-diversity:2"], **WORDS)
    assert release.facts.starred == starred
    assert release.facts.withheld == 4 - starred
    assert any("together they do not meet" in note for note in release.custody.notes) == (
        not starred
    )


@pytest.mark.parametrize("persons", [2, 3])
def test_starred_persons_are_counted(persons: int) -> None:
    frame = people(8, 4, ["flu"] * 4).with_columns(
        who=pl.Series([*(f"c{place}" for place in range(8)),
                       *(f"p{place % persons}" for place in range(4))])
    )  # fmt: skip
    release = shoal.anonymize(frame, person="who", **WORDS)
    assert release.facts.starred == (4 if persons == 3 else 0)


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_no_algorithm_stars_fewer_than_k(name: str) -> None:
    words: dict[str, Any] = {"algorithm": name, "suppression": 0.15, "seed": 3}
    if name in {"ff-mip", "milp"}:
        words["time"] = 0.2  # the steps of their solver take any time
    elif algorithms()[name].traits.anytime:
        words["steps"] = 200
    for seed in range(3):
        frame = mixed_table(40, seed, spread=30)
        release = shoal.anonymize(frame, k=4, **MIXED, **words)
        starred = starred_rows(release, MIXED["quasi"]).height
        assert starred == release.facts.starred
        assert starred == 0 or starred >= 4
