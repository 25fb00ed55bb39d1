"""Values of records that are not in a release are in none of its cells, nor in its facts."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import algorithms

JOBS = ["clerk", "cook", "driver", "nurse"]
# Sorted first, in the middle and last; the only one of its kind.
RARE = ["Bishop", "curate", "zealot"]


def people(rare: str, age: int | None = 97) -> pl.DataFrame:
    """Return twelve people of four jobs, and one who has a job and an age like nobody else."""
    return pl.DataFrame(
        {
            "job": [job for job in JOBS for _ in range(3)] + [rare],
            "age": [30, 31, 32] * 4 + [age],
            "d": ["flu", "cold", "gout"] * 4 + ["HIV"],
        }
    )


WORDS: dict[str, Any] = {
    "k": 4,
    "quasi": ["job", "age"],
    "sensitive": ["d"],
    "suppression": 0.1,
    "suppressed": "withhold",
}


def published(release: shoal.Release[pl.DataFrame]) -> str:
    return release.table.write_csv() + json.dumps(release.facts.to_dict())


@pytest.mark.parametrize("rare", RARE)
@pytest.mark.parametrize("recipe", ["auto", "auto:counts", "auto:cooccurrence"])
def test_a_made_hierarchy_does_not_name_withheld_values(recipe: str, rare: str) -> None:
    frame = people(rare)
    for form in (None, "hierarchy", "full-domain"):
        words = {**WORDS, "form": form, "hierarchy": {"job": recipe}}
        release = shoal.anonymize(frame, **words)
        if release.facts.withheld == 0:
            continue
        assert rare not in published(release)
        assert shoal.verify(frame, release.table, **release.facts.job).passed
        again = shoal.measure(frame, release.table, **release.facts.job)
        assert again["measures"]["gcp"] == pytest.approx(release.figures.measures["gcp"])


@pytest.mark.parametrize("rare", RARE)
def test_nor_does_one_of_records_dropped_for_a_missing_cell(rare: str) -> None:
    frame = people(rare, None)
    words = {**WORDS, "suppression": 0.0, "missing": "drop"}
    release = shoal.anonymize(frame, hierarchy={"job": "auto:counts"}, **words)
    assert release.facts.withheld == 1
    assert rare not in published(release)
    assert shoal.verify(frame, release.table, **release.facts.job).passed


@pytest.mark.parametrize("recipe", ["auto", "quantiles:4,2"])
def test_boundaries_of_numbers_lie_between_released_ones(recipe: str) -> None:
    rng = np.random.default_rng(4)
    ages = rng.integers(20, 60, 60).tolist()
    frame = pl.DataFrame(
        {"age": [*ages, 1000], "sex": ["F", "M"] * 30 + [None], "d": ["flu", "cold"] * 30 + ["HIV"]}
    )
    words = {**WORDS, "quasi": ["age", "sex"], "hierarchy": {"age": recipe}, "missing": "drop"}
    release = shoal.anonymize(frame, **{**words, "suppression": 0.0})
    assert release.facts.withheld == 1
    assert "1000" not in published(release)
    assert release.facts.job["hierarchy"]["age"].startswith("cuts:")
    assert shoal.verify(frame, release.table, **release.facts.job).passed


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_no_algorithm_shows_withheld_values(name: str) -> None:
    traits = algorithms()[name].traits
    budget: dict[str, Any] = {"time": 0.2} if traits.anytime else {}
    for rare in RARE:
        release = shoal.anonymize(people(rare), algorithm=name, **WORDS, **budget)
        if release.facts.withheld:
            cells = release.table.write_csv()
            assert rare not in cells
            assert "97" not in cells


def test_what_is_all_released_keeps_its_recipe() -> None:
    words = {**WORDS, "suppression": 0.0, "hierarchy": {"job": "auto:counts"}}
    release = shoal.anonymize(people("cook", 31), **words)
    assert release.facts.job["hierarchy"] == {"job": "auto:counts"}


def test_losses_of_made_hierarchies_do_not_count_withheld_values() -> None:
    rares = ["Bishop", "Abbot"]
    made = []
    for one in rares:
        frame = people(one)
        release = shoal.anonymize(frame, hierarchy={"job": "auto:counts"}, **WORDS, seed=3)
        made.append(release)
    if made[0].table.equals(made[1].table):
        assert made[0].facts.per_attribute == made[1].facts.per_attribute
    # Each cell is one level up of two, whatever lies below; the withheld record is lost.
    lost = made[0].facts.per_attribute["job"]
    assert lost == pytest.approx((12 * 1 / 2 + 1) / 13)


ORDER = ["none", "primary", "lower", "upper", "college", "master", "doctor"]
# What the withheld record holds, one table each.
HELD = {
    "ordered": ["none", "doctor", "upper"],
    "stars": ["80011", "9", "80011777", "12345", "8001Z"],
    "codes": ["08011", "09999", "01234", "08020"],
    "dates": ["2020-03-01", "1955-01-01", "2020-11-30", "2029-06-06"],
}
RECIPES = {
    "ordered": ["auto", "quantiles:4,2"],
    "stars": ["stars", "stars:1,2"],
    "codes": ["auto"],
    "dates": ["auto", "dates"],
}


def column_of(kind: str) -> list[str]:
    if kind == "ordered":
        return ["primary", "lower", "college", "master"] * 10
    if kind == "dates":
        return ["2020-03-01", "2020-03-09", "2020-04-02", "2020-09-09"] * 10
    if kind == "codes":
        return ["08011", "08012", "08110", "08200"] * 10
    return ["80011", "80012", "80110", "81000"] * 10


@pytest.mark.parametrize(
    ("kind", "recipe"), [(kind, recipe) for kind in RECIPES for recipe in RECIPES[kind]]
)
@pytest.mark.parametrize("form", ["classes", "full-domain"])
def test_names_levels_and_boundaries_follow_from_released_records(
    kind: str, recipe: str, form: Any
) -> None:
    """Who reads the release beside the released records alone finds every cell in their tree."""
    for held in HELD[kind]:
        frame = pl.DataFrame(
            {"x": [*column_of(kind), held], "age": [*(n // 4 for n in range(40)), None]}
        )
        words: dict[str, Any] = {
            "k": 15,
            "quasi": ["x", "age"],
            "missing": "drop",
            "hierarchy": {"x": recipe},
            "order": {"x": ORDER} if kind == "ordered" else {},
            "algorithm": "mondrian" if form == "classes" else "flash",
            "seed": 1,
        }
        release = shoal.anonymize(frame, **words)
        assert release.facts.withheld == 1
        assert shoal.verify(frame, release.table, **release.facts.job).passed
        # Nothing of it needs the withheld record: neither the names of groups nor their levels.
        alone = frame.head(40)
        job = release.facts.job
        assert shoal.verify(alone, release.table, **job).passed
        if kind != "ordered":  # facts count the levels of the tree that released records need
            job["hierarchy_loss"] = "levels"
            losses = shoal.measure(alone, release.table, **job)["per_attribute"]
            assert losses["x"] == pytest.approx(release.facts.per_attribute["x"])
        if kind in {"stars", "codes"}:
            assert job["hierarchy"]["x"].endswith("/5")


@pytest.mark.parametrize("recipe", ["ranges:5,10", "cuts:30,40", "auto", "quantiles:4,2"])
@pytest.mark.parametrize("form", ["classes", "full-domain"])
def test_a_fraction_that_is_withheld_does_not_change_how_numbers_are_written(
    recipe: str, form: Any
) -> None:
    ages = [str(age) for age in np.random.default_rng(4).integers(20, 60, 60)]
    shown = []
    for withheld in ("47", "47.5"):
        frame = pl.DataFrame({"age": [*ages, withheld], "sex": ["F", "M"] * 30 + [None]})
        release = shoal.anonymize(
            frame,
            k=4,
            quasi=["age", "sex"],
            hierarchy={"age": recipe},
            form=form,
            missing="drop",
            steps=100,
            seed=1,
        )
        assert release.facts.withheld == 1
        assert shoal.verify(frame, release.table, **release.facts.job).passed
        shown.append((sorted(release.table["age"]), release.facts.job["hierarchy"]))
        assert ")" not in "".join(release.table["age"])
        assert release.facts.job["hierarchy"]["age"].endswith(",whole")
        whole = r"\*|\d+|\[\d+\.\.\d+\]|<=?\d+|>=?\d+"
        assert all(re.fullmatch(whole, cell) for cell in release.table["age"])
    if recipe.startswith(("ranges", "cuts")):
        assert shown[0][1] == shown[1][1]
        # A search may choose other classes, since it counts the leaves of the whole column.
        assert form == "classes" or shown[0] == shown[1]


def test_groups_of_whole_numbers_hold_no_other() -> None:
    frame = pl.DataFrame({"age": ["20", "21", "24", "24.5", "26", "27"]})
    words: dict[str, Any] = {"quasi": ["age"], "hierarchy": {"age": "ranges:5,whole"}}
    release = pl.DataFrame({"age": ["[20..24]"] * 4 + ["[25..29]"] * 2})
    assert not shoal.verify(frame, release, k=2, **words).passed
    whole = frame.with_columns(age=pl.col("age").replace("24.5", "24"))
    assert shoal.verify(whole, release, k=2, **words).passed


SHOWN: list[dict[str, Any]] = [
    {},
    {"notation": "min_max"},
    {"notation": "json"},
    {"notation": "midpoint"},
    {"aggregate": {"x": "mean"}},
    {"round_to": {"x": 5}},
    {"top": {"x": 100}},
    {"hierarchy": {"x": "auto", "c": "auto"}},
    {"hierarchy": {"x": "quantiles:2"}},
    {"form": "full-domain"},
    {"form": "freeform"},
    {"models": ["t-closeness:0.7"]},
]


@pytest.mark.parametrize("shown", SHOWN, ids=str)
def test_release_and_facts_are_the_same_whatever_is_withheld(shown: dict[str, Any]) -> None:
    far = {"suppression": 0.2, "suppressed": "withhold", "suppress_for": "released"}
    both: list[tuple[dict[str, Any], list[tuple[str | None, str | None, str]]]] = [
        # One record is far from all others, or misses a quasi-identifier.
        (far, [("300", "z", "q"), ("301.5", "z", "q"), ("-500", "long", "r")]),
        ({"missing": "drop"}, [("300", None, "q"), ("7.25", None, "x"), (None, "zz", "y")]),
    ]
    for more, withheld in both:
        seen = []
        for x, c, d in withheld:
            columns = {"x": [*"112233", x], "c": [*"aabbcc", c], "d": [*"uvuvuv", d]}
            words: dict[str, Any] = {"k": 2, "quasi": ["x", "c"], "sensitive": ["d"], "seed": 3}
            release = shoal.anonymize(pl.DataFrame(columns), steps=200, **words, **more, **shown)
            assert release.facts.withheld == 1
            volatile = dict.fromkeys(["date"])
            facts = {**release.facts.to_dict(), **volatile}
            seen.append((sorted(map(str, release.table.rows())), release.table.schema, facts))
        assert all(one == seen[0] for one in seen)
