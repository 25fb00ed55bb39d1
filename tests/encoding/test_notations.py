"""Releases as labels, JSON and bounds: each says what text notation says, and is verified."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.encoding import in_text_notation
from shoal.errors import InputError, SchemaError
from shoal.io import read_release
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("notation", ["label", "json"])
@pytest.mark.parametrize("suppression", [0.0, 0.3])
def test_cells_say_what_text_says(notation: Any, suppression: float) -> None:
    frame = mixed_table(90, 4, missing=0.1)
    words = {"k": 4, "seed": 5, "suppression": suppression, **MIXED}
    text = shoal.anonymize(frame, **words)
    other = shoal.anonymize(frame, notation=notation, **words)
    back = in_text_notation(other.table, other.schema.quasi, notation)
    for column in MIXED["quasi"]:
        assert sorted(back[column].to_list(), key=str) == sorted(
            text.table[column].to_list(), key=str
        )
    assert shoal.verify(frame, other.frame, k=4, notation=notation, **MIXED, suppression=1).passed


def test_json_by_hand() -> None:
    frame = pl.DataFrame(
        {"age": ["35", "36.50", None, None], "sex": ["F", "M", "*", None], "d": list("abab")}
    )
    release = shoal.anonymize(
        frame, k=2, quasi=["age", "sex"], sensitive=["d"], notation="json", keep_order=True
    )
    assert release.frame["age"].to_list() == ['{"min": 35, "max": 36.50}'] * 2 + ["null"] * 2
    assert [json.loads(cell) for cell in release.frame["sex"]] == [
        ["F", "M"], ["F", "M"], ["*", None], ["*", None],
    ]  # fmt: skip


def test_labels_by_hand() -> None:
    frame = pl.DataFrame({"age": [35, 36, None, None], "sex": ["F", "M", "M", None]})
    release = shoal.anonymize(frame, k=2, quasi=["age", "sex"], notation="label", keep_order=True)
    assert release.frame["age"].to_list() == ["35 to 36", "35 to 36", None, None]
    assert release.frame["sex"].to_list() == ["F or M", "F or M", "M or missing", "M or missing"]


@pytest.mark.parametrize("value", ["this or that", "any", "missing"])
def test_labels_that_read_in_two_ways_are_refused(value: str) -> None:
    frame = pl.DataFrame({"job": [value, value, "x", "x", "x"]})
    with pytest.raises(SchemaError, match="read in two ways"):
        shoal.anonymize(frame, k=5, quasi=["job"], notation="label")


@pytest.mark.parametrize(
    ("notation", "cell"),
    [
        ("json", '{"min": 20}'),
        ("json", '{"min": 20, "max": 21, "mean": 20}'),
        ("json", "[20, 21]"),
        ("json", "20 to 21"),
        ("json", ""),
        ("label", "20 to 21 to 22"),
        ("label", "22 to 20"),
        ("label", "[20..22]"),
        ("json", '{"min": 22, "max": 20}'),
    ],
)
def test_cells_of_no_notation_fail(notation: Any, cell: str) -> None:
    frame = pl.DataFrame({"age": [20, 21, 22]})
    released = pl.DataFrame({"age": [cell] * 3})
    verdict = shoal.verify(frame, released, k=3, quasi=["age"], notation=notation)
    assert not verdict.passed
    assert any(check.name == "cells readable" and not check.passed for check in verdict.checks)


@pytest.mark.parametrize(
    ("notation", "cell"), [("json", '{"min": 20, "max": 21}'), ("label", "20 to 21")]
)
def test_cells_that_do_not_cover_fail(notation: Any, cell: str) -> None:
    frame = pl.DataFrame({"age": [20, 21, 22]})
    released = pl.DataFrame({"age": [cell] * 3})
    verdict = shoal.verify(frame, released, k=3, quasi=["age"], notation=notation)
    assert not verdict.passed


def test_a_missing_flag_beside_a_bound_fails() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22]})
    released = pl.DataFrame({"age_min": [20] * 3, "age_max": [22] * 3, "age_missing": [True] * 3})
    assert not shoal.verify(frame, released, k=3, quasi=["age"]).passed
    fine = released.with_columns(age_missing=False)
    assert shoal.verify(frame, fine, k=3, quasi=["age"]).passed


@pytest.mark.parametrize("bounds", [(20, None), (None, 22)])
def test_one_bound_without_open_values_fails(bounds: tuple[int | None, int | None]) -> None:
    frame = pl.DataFrame({"age": [20, 21, 22]})
    schema = {"age_min": pl.Int64, "age_max": pl.Int64}
    released = pl.DataFrame([bounds] * 3, schema=schema, orient="row")
    verdict = shoal.verify(frame, released, k=3, quasi=["age"])
    assert any(check.name == "cells readable" and not check.passed for check in verdict.checks)


def test_a_missing_flag_tells_classes_apart() -> None:
    """Two empty records and one that is known to be missing are not three of a kind."""
    frame = pl.DataFrame({"age": [None, None, 22]}, schema={"age": pl.Int64})
    released = pl.DataFrame(
        {"age_min": [None] * 3, "age_max": [None] * 3, "age_missing": [True, True, False]},
        schema={"age_min": pl.Int64, "age_max": pl.Int64, "age_missing": pl.Boolean},
    )
    verdict = shoal.verify(frame, released, k=3, quasi=["age"], suppression=1.0)
    assert not verdict.passed
    assert verdict.smallest_class == 1


def test_no_flag_tells_of_a_withheld_record() -> None:
    ages = [None, *[30 + place % 2 for place in range(10)]]
    frame = pl.DataFrame({"age": ages})
    release = shoal.anonymize(
        frame, k=5, quasi=["age"], notation="min_max", suppression=0.1, suppressed="withhold"
    )
    assert release.facts.withheld == 1
    assert release.frame.columns == ["age_min", "age_max"]


def test_a_numeric_column_of_missing_cells_alone_has_empty_bounds() -> None:
    frame = pl.DataFrame({"age": [None, None]}, schema={"age": pl.String})
    release = shoal.anonymize(
        frame, k=2, quasi=["age"], kind={"age": "numeric"}, notation="min_max"
    )
    assert release.frame.columns == ["age_min", "age_max", "age_missing"]
    assert release.frame.rows() == [(None, None, True)] * 2


def test_a_cell_of_no_notation_names_its_row() -> None:
    frame = pl.DataFrame({"age": [20, 21]})
    released = pl.DataFrame({"age": ['{"min": 20, "max": 21}', "20"]})
    with pytest.raises(InputError, match="'age', row 2"):
        shoal.measure(frame, released, k=2, quasi=["age"], notation="json")


@pytest.mark.parametrize("notation", ["text", "min_max", "midpoint", "label", "json"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".jsonl"])
def test_files_of_every_notation_are_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notation: str, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = [*MIXED["quasi"], "disease"]
    frame = mixed_table(40, 7, missing=0.1).select(columns).drop("place")
    frame.write_csv("people.csv")
    out = f"out/release{suffix}"
    (tmp_path / "out").mkdir()
    made = ["anonymize", "people.csv", "-k", "3", "--quasi", "age,job,code,born", "--sensitive"]
    made += ["disease", "--notation", notation, "-o", out, "--facts", "out/facts.json"]
    assert run([*made, "--custody", "custody.json", "--steps", "50"]) == 0
    assert read_release(out).height == 40
    with_custody = ["verify", "people.csv", out, "--facts", "out/facts.json"]
    assert run([*with_custody, "--custody", "custody.json"]) == 0
    assert run(with_custody) == (1 if notation == "midpoint" else 0)


@pytest.mark.parametrize("notation", ["label", "json"])
def test_risk_does_not_take_them_for_exact_values(notation: Any) -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 30, 31, 32]})
    release = shoal.anonymize(frame, k=3, quasi=["age"], notation=notation)
    with pytest.raises(InputError, match="as labels or as JSON"):
        shoal.risk(release.frame, quasi=["age"], original=frame)
    with pytest.raises(InputError, match="as labels or as JSON"):
        shoal.measure(frame, release.frame, k=3, quasi=["age"])
