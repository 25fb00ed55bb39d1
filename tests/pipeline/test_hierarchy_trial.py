"""What sets and a hierarchy keep of a column of many categories, told from a trial."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal

POSTCODES = [f"{region}{place:02d}" for region in ("10", "20", "30", "40") for place in range(60)]


def people(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "postcode": [f"0{one}" for one in rng.choice(POSTCODES, n)],
            "age": rng.integers(20, 80, n),
        }
    )


def trial_note(release: shoal.Release[pl.DataFrame]) -> str:
    (note,) = [one for one in release.custody.notes if "In a trial on" in one]
    return note


def test_the_note_tells_both_ways_in_figures() -> None:
    frame = people(900)
    release = shoal.anonymize(frame, k=5, quasi=["postcode", "age"], algorithm="k-member")
    note = trial_note(release)
    assert f"'postcode' has {frame['postcode'].n_unique()} categories" in note
    assert "on 900 records (k-member)" in note
    in_sets, _, in_tree = note.partition("With the hierarchy auto")
    assert "typically lists" in in_sets
    assert "show level" in in_tree
    # Both name the share of exact cells, the loss of the column and that of all columns.
    for part in (in_sets, in_tree):
        assert re.search(r"[\d.]+ % of its cells stay exact", part)
        assert re.search(r"it loses [\d.]+ %, all columns 0\.\d{4} \(gcp\)", part)


def test_the_figures_are_those_of_the_release_where_the_sample_is_the_table() -> None:
    frame = people(900)
    words: dict[str, Any] = {"k": 5, "quasi": ["postcode", "age"], "algorithm": "k-member"}
    trial = trial_note(shoal.anonymize(frame, seed=1, **words))
    for part, hierarchy in zip(
        trial.split("With the hierarchy auto"), ({}, {"postcode": "auto"}), strict=True
    ):
        # The same algorithm, but other rows first: close, not equal.
        made = shoal.anonymize(frame, seed=1, hierarchy=hierarchy, **words)
        told = float(re.search(r"all columns (0\.\d{4})", part)[1])  # type: ignore[index]
        assert told == pytest.approx(made.figures.measures["gcp"], rel=0.15)
        exact = float(re.search(r"([\d.]+) % of its cells", part)[1])  # type: ignore[index]
        assert exact / 100 == pytest.approx(made.facts.detail["postcode"].exact, abs=0.1)


def test_few_categories_get_no_trial_and_facts_none_at_all() -> None:
    frame = people(900)
    release = shoal.anonymize(frame, k=5, quasi=["postcode", "age"], algorithm="mondrian")
    assert "trial" not in str(release.facts.to_dict())
    few = frame.with_columns(postcode=pl.col("postcode").str.slice(0, 3))
    again = shoal.anonymize(few, k=5, quasi=["postcode", "age"], algorithm="mondrian")
    assert not [note for note in again.custody.notes if "trial" in note]


def test_missing_cells_are_no_exact_ones() -> None:
    dates = ["2021-03-01"] * 4 + [None] * 16
    frame = pl.DataFrame({"died": dates, "sex": ["F", "M"] * 10})
    kept = shoal.anonymize(frame, k=2, quasi=["died", "sex"], seed=1).facts.detail
    assert kept["died"].exact == pytest.approx(0.2)
    assert kept["died"].missing == pytest.approx(0.8)
    assert kept["died"].nothing == kept["died"].generalized == 0
    in_sets = shoal.anonymize(
        frame, k=2, quasi=["died", "sex"], kind={"died": "categorical"}, seed=1
    )
    assert in_sets.facts.detail["died"].missing == pytest.approx(0.8)
    assert in_sets.facts.detail["sex"].missing == 0
