"""What a run tells its user beside the release."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal

PEOPLE = pl.DataFrame({"age": [None, None, 31, 32], "sex": ["F", "F", "M", "M"]})


@pytest.mark.parametrize("notation", ["text", "min_max", "label", "json"])
def test_a_missing_number_is_not_any_number(notation: str) -> None:
    words: dict[str, Any] = {"k": 2, "quasi": ["age", "sex"], "notation": notation}

    release = shoal.anonymize(PEOPLE, **words)

    measured = shoal.measure(PEOPLE, release.frame, **words)["measures"]["gcp"]
    assert measured == release.figures.measures["gcp"]


def test_a_budget_does_not_apply_to_what_runs_once() -> None:
    release = shoal.anonymize(PEOPLE, k=2, quasi=["age", "sex"], algorithm="sorted", time=1)

    assert any("`time` and `steps` do not apply" in note for note in release.custody.notes)
