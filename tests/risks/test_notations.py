"""Risk of releases in every notation: what a release says does not depend on how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal

if TYPE_CHECKING:
    from shoal.risks import Risk

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 33, 36, 41, 44, 62, 64, 70, 71, 72, 95],
        "sex": list("FMFMFMFMFMFM"),
        "born": [f"19{50 + year}-01-01" for year in range(12)],
        "ill": list("abcabcabcabc"),
    }
)
QUASI = ["age", "sex", "born"]
WORDS: dict[str, Any] = {"k": 3, "quasi": QUASI, "sensitive": ["ill"], "algorithm": "k-member"}


def figures(found: Risk) -> dict[str, Any]:
    return {figure.name: figure.value for figure in found.figures}


@pytest.mark.parametrize("notation", ["min_max", "label", "json"])
@pytest.mark.parametrize("alone", [False, True])
def test_the_same_release_has_the_same_risk(notation: Any, alone: bool) -> None:
    asked: dict[str, Any] = {"quasi": QUASI} | ({} if alone else {"original": TABLE})
    release = {
        style: shoal.anonymize(TABLE, seed=1, notation=style, **WORDS).table
        for style in ("text", notation)
    }
    expected = shoal.risk(release["text"], **asked)
    found = shoal.risk(release[notation], notation=notation, **asked)
    assert figures(found) == figures(expected)
    if not alone:
        assert figures(found)["linkage_highest"] <= 1 / 3


def test_labels_that_are_not_named_are_refused() -> None:
    release = shoal.anonymize(TABLE, notation="label", **WORDS).table
    with pytest.raises(shoal.InputError, match="labels") as caught:
        shoal.risk(release, quasi=QUASI, original=TABLE)
    assert "notation" in caught.value.remedy


@pytest.mark.parametrize("shown", [{"notation": "midpoint"}, {"aggregate": {"age": "mean"}}])
def test_statistics_tell_classes_and_not_whom_they_cover(shown: Any) -> None:
    plain = shoal.anonymize(TABLE, seed=1, **WORDS)
    release = shoal.anonymize(TABLE, seed=1, **WORDS, **shown)
    found = shoal.risk(release.table, quasi=QUASI, original=TABLE, **shown)
    expected = shoal.risk(plain.table, quasi=QUASI)
    assert found["prosecutor_highest"] == expected["prosecutor_highest"]
    assert "linkage_highest" not in figures(found)
    assert "statistics" in " ".join(found.notes)


@pytest.mark.parametrize("notation", ["text", "min_max", "label", "json"])
def test_open_values_cover_the_numbers_beyond(notation: Any) -> None:
    words: dict[str, Any] = {**WORDS, "quasi": ["age", "sex"], "rest": "drop"}
    release = shoal.anonymize(
        TABLE, top={"age": 65}, bottom={"age": 35}, notation=notation, **words
    )
    found = shoal.risk(release.table, quasi=["age", "sex"], original=TABLE, notation=notation)
    # Everybody of the original is covered by a class of three or more.
    assert not any("covered by no released record" in note for note in found.notes)
    assert 0 < figures(found)["linkage_highest"] <= 1 / 3
