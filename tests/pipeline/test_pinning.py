"""Jobs pin what was inferred, and refuse tables that no longer fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

JANUARY = pl.DataFrame(
    {
        "plz": ["01067", "10115", "10117", "10119"] * 2,
        "age": ["31", "32", "33", "34"] * 2,
        "d": ["flu", "cold"] * 4,
    }
)
WORDS: dict[str, Any] = {"k": 2, "quasi": ["plz", "age"], "sensitive": ["d"]}


def test_a_code_stays_a_code_when_its_zeros_are_gone(tmp_path: Path) -> None:
    shoal.anonymize(JANUARY, **WORDS).save(tmp_path / "r.csv", job=tmp_path / "job.toml")
    job = shoal.Job.load(tmp_path / "job.toml")
    assert job.kind == {"plz": "categorical", "age": "numeric"}
    assert job.columns == {"plz": "text", "age": "text", "d": "text"}
    february = JANUARY.with_columns(pl.col("plz").replace("01067", "10179"))
    # By itself February's column would be numbers.
    assert shoal.anonymize(february, **WORDS).job.kind["plz"] == "numeric"
    cells = shoal.anonymize(february, **job.to_dict()).table["plz"]
    assert not any(".." in cell for cell in cells)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (JANUARY.drop("d"), "without 'd'"),
        (JANUARY.with_columns(email=pl.lit("a@b.c")), "new: 'email'"),
        (JANUARY.cast({"plz": pl.Int64}), "'plz' was text, is number"),
    ],
)
def test_a_table_that_no_longer_fits_is_refused(changed: pl.DataFrame, told: str) -> None:
    job = shoal.anonymize(JANUARY, **WORDS).job
    with pytest.raises(shoal.SchemaError, match="saved for") as failure:
        shoal.anonymize(changed, **{**job.to_dict(), "rest": "other"})
    assert told in str(failure.value)


def test_numbers_are_read_from_texts_and_numbers_alike() -> None:
    job = shoal.anonymize(JANUARY, **WORDS).job
    release = shoal.anonymize(JANUARY.cast({"age": pl.Int64}), **job.to_dict())
    assert release.verdict.passed


def test_facts_hold_the_pins_and_still_verify() -> None:
    release = shoal.anonymize(JANUARY, **WORDS)
    assert release.facts.job["kind"] == {"plz": "categorical", "age": "numeric"}
    assert shoal.verify(JANUARY, release.table, **release.facts.job).passed


def test_flags_overrule_what_a_saved_job_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    JANUARY.write_csv("people.csv")
    shoal.anonymize(JANUARY, **WORDS).save("r.csv", job="job.toml")
    again = ["anonymize", "people.csv", "--job", "job.toml", "-o", "out.csv", "--force"]
    assert run([*again, "--suppress-only", "plz"]) == 0
    assert run([*again, "--hierarchy", "plz=stars"]) == 0
    assert run([*again, "--quasi", "age", "--other", "plz", "--accept", "plz"]) == 0
