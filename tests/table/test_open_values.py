"""Open values, ``90+`` and ``<1``: found in a column, or made by top and bottom coding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import SchemaError, ValueReadError
from shoal.table.kind_detection import detect
from shoal.table.schema import Kind

if TYPE_CHECKING:
    from pathlib import Path

AGES = ["<1", "1", "2", "30", "31", "32", "90+", "90+", "90+"]


@pytest.mark.parametrize(
    ("cells", "kind", "mixed"),
    [
        (AGES, Kind.NUMERIC, False),
        (["1", "2", ">= 3"], Kind.NUMERIC, False),
        (["1", "5", "3+"], Kind.NUMERIC, True),
        (["1", "2", "5+", "10+"], Kind.NUMERIC, True),
        (["<18", "18-64", "65+"], Kind.CATEGORICAL, False),
        (["<18", "65+"], Kind.CATEGORICAL, False),
    ],
)
def test_what_a_column_is_taken_for(cells: list[str], kind: Kind, mixed: bool) -> None:
    found = detect(pl.Series("age", cells))
    assert (found.kind, found.mixed) == (kind, mixed)


@pytest.mark.parametrize("notation", ["text", "min_max", "label", "json"])
def test_open_values_are_values_of_their_own(notation: Any) -> None:
    frame = pl.DataFrame({"age": AGES, "d": list("ababababa")})
    words: dict[str, Any] = {"k": 3, "quasi": ["age"], "sensitive": ["d"], "notation": notation}
    release = shoal.anonymize(frame, keep_order=True, algorithm="optimal", **words)
    assert shoal.verify(frame, release.frame, **words).passed
    shown = release.frame.drop("d").rows()
    expected = {
        "text": [("[<1..2]",), ("[30..32]",), ("90+",)],
        "min_max": [(None, 2), (30, 32), (90, None)],
        "label": [("<1 to 2",), ("30 to 32",), ("90+",)],
        "json": [
            ('{"min": "<1", "max": 2}',), ('{"min": 30, "max": 32}',),
            ('{"min": "90+", "max": "90+"}',),
        ],
    }[notation]  # fmt: skip
    assert [shown[0], shown[3], shown[7]] == expected
    told = shoal.measure(frame, release.frame, **words)["measures"]["gcp"]
    if notation != "min_max":  # where 90 and no upper bound may be 90, too
        assert told == pytest.approx(release.figures.measures["gcp"])


@pytest.mark.parametrize("cell", ["[85..95]", "[85..90]", "95+", "[85..95+]", "91", "*5"])
def test_a_closed_cell_does_not_cover_an_open_value(cell: str) -> None:
    frame = pl.DataFrame({"age": ["85", "90", "90+"]})
    released = pl.DataFrame({"age": [cell] * 3})
    assert not shoal.verify(frame, released, k=3, quasi=["age"]).passed
    fine = pl.DataFrame({"age": ["[85..90+]"] * 3})
    assert shoal.verify(frame, fine, k=3, quasi=["age"]).passed


def test_overlap_is_refused_with_rows_and_remedy() -> None:
    frame = pl.DataFrame({"age": ["30", "97", "90+", "31"]})
    with pytest.raises(ValueReadError, match="data row 2") as caught:
        shoal.anonymize(frame, k=2, quasi=["age"])
    assert "top" in caught.value.remedy
    release = shoal.anonymize(frame, k=2, quasi=["age"], top={"age": 90}, keep_order=True)
    assert release.frame["age"].to_list() == ["[30..31]", "90+", "90+", "[30..31]"]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("notation", ["text", "min_max", "json"])
def test_top_and_bottom_coding_by_hand(typed: bool, notation: Any) -> None:
    ages = [3, 18, 12, 40, 41, 42, 91, 97, 104]
    frame = pl.DataFrame({"age": ages if typed else [str(age) for age in ages]})
    words: dict[str, Any] = {
        "k": 3, "quasi": ["age"], "top": {"age": 90}, "bottom": {"age": 18}, "notation": notation,
    }  # fmt: skip
    release = shoal.anonymize(frame, keep_order=True, **words)
    shown = release.frame.rows()
    if notation == "text":
        assert [row[0] for row in shown] == ["<=18"] * 3 + ["[40..42]"] * 3 + ["90+"] * 3
    if notation == "min_max":
        assert shown == [(None, 18)] * 3 + [(40, 42)] * 3 + [(90, None)] * 3
    assert shoal.verify(frame, release.frame, **words).passed
    assert any("top-coded at 90: 3 records" in note for note in release.custody.notes)
    assert any("top and bottom coding" in note for note in release.facts.notes)


@pytest.mark.parametrize("cell", ["[90..97]", "[85..97]", "97", "90", "*x", "95+"])
def test_a_release_that_is_not_coded_fails(cell: str) -> None:
    frame = pl.DataFrame({"age": [90, 93, 97]})
    released = pl.DataFrame({"age": [cell] * 3})
    verdict = shoal.verify(frame, released, k=3, quasi=["age"], top={"age": 90})
    assert not verdict.passed
    fine = pl.DataFrame({"age": ["90+"] * 3})
    assert shoal.verify(frame, fine, k=3, quasi=["age"], top={"age": 90}).passed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"top": {"sex": 9}}, "not read as numbers"),
        ({"top": {"age": 10}, "bottom": {"age": 20}}, "not above"),
        ({"top": {"agee": 10}}, "no such column"),
        ({"top": {"age": 40}, "round_to": {"age": 5}}, "cannot be rounded"),
        ({"top": {"age": 40}, "aggregate": {"age": "mean"}}, "have no mean"),
        ({"top": {"age": 40}, "hierarchy": {"age": "ranges:5,10"}}, "age"),
    ],
)
def test_what_cannot_be_coded_is_refused(words: dict[str, Any], message: str) -> None:
    frame = pl.DataFrame({"age": [30, 31, 45, 46], "sex": list("FFMM")})
    with pytest.raises((SchemaError, ValueReadError), match=message):
        shoal.anonymize(frame, k=2, quasi=["age", "sex"], **words)


def test_random_tables_are_verified_from_files() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(0, 110, 200), "pay": rng.lognormal(9, 1, 200)})
    words: dict[str, Any] = {
        "k": 4, "quasi": ["age", "pay"], "top": {"age": 90, "pay": 20000.5}, "bottom": {"age": 5},
    }  # fmt: skip
    for notation in ("text", "min_max", "label", "json"):
        release = shoal.anonymize(frame, notation=notation, seed=3, **words)
        assert shoal.verify(frame, release.frame, notation=notation, **words).passed


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{age},{'FM'[age % 2]}\n" for age in range(60, 110))
    (tmp_path / "people.csv").write_text("age,sex\n" + rows)
    made = ["anonymize", "people.csv", "-k", "5", "--quasi", "age,sex", "--top", "age=90"]
    made += ["-o", "out.csv", "--facts", "facts.json", "--save-job", "job.toml"]
    assert run(made) == 0
    assert "90+" in (tmp_path / "out.csv").read_text()
    assert run(["verify", "people.csv", "out.csv", "--facts", "facts.json"]) == 0
    again = ["anonymize", "people.csv", "--job", "job.toml", "-o", "again.csv"]
    assert run(again) == 0
    assert run(["measure", "people.csv", "out.csv", "--facts", "facts.json"]) == 0


@pytest.mark.parametrize(
    ("ages", "coded"),
    [
        (pl.Series([None] * 4, dtype=pl.Int64), 0),
        (pl.Series(["20", "30", "95", "95"], dtype=pl.Enum(["20", "30", "95"])), 2),
    ],
)
def test_top_coding_of_missing_numbers_and_ordered_categories(ages: pl.Series, coded: int) -> None:
    frame = pl.DataFrame({"age": ages})
    words: dict[str, Any] = {"quasi": ["age"], "top": {"age": 90}, "kind": {"age": "numeric"}}
    release = shoal.anonymize(frame, k=2, **words)
    said = f"top-coded at 90: {coded} records"
    assert any(said in note for note in release.custody.notes)
