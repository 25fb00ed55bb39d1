"""Values of records that are not in a release are in none of its cells, nor in its facts."""

from __future__ import annotations

import json
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
    exact, published_loss = release.figures.per_attribute, release.facts.per_attribute
    assert published_loss == pytest.approx(exact)


def test_losses_of_made_hierarchies_do_not_count_withheld_values() -> None:
    rares = ["Bishop", "Abbot"]
    made = []
    for one in rares:
        frame = people(one)
        release = shoal.anonymize(frame, hierarchy={"job": "auto:counts"}, **WORDS, seed=3)
        made.append(release)
    if made[0].table.equals(made[1].table):
        assert made[0].facts.per_attribute == made[1].facts.per_attribute
    # Four jobs are released, and two of them in each cell: one of three steps is lost.
    lost = made[0].facts.per_attribute["job"]
    assert lost == pytest.approx((12 * 1 / 3 + 1) / 13)
