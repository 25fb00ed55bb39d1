"""``shoal risk``: what is shown, what is written, and how it ends on bad input."""

from __future__ import annotations

import html
import json
import stat
from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.risks.figure import explained
from shoal.risks.tables import DISCLOSURES
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from pathlib import Path


def test_quasi_identifiers_are_suggested(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["risk", "people.csv"]) == 0
    shown = capsys.readouterr().out
    assert "6 of 6 records (100 %) are unique" in shown
    assert "are suggestions: age, sex, zip" in " ".join(shown.split())


def test_before_and_after_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--facts", "f.json"]
    assert run(made) == 0
    capsys.readouterr()
    assert run(["risk", "people.csv", "out.csv", "--facts", "f.json", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    figures = [told[side]["figures"]["prosecutor_highest"]["value"] for side in ("before", "after")]
    assert figures == [1.0, pytest.approx(1 / 3)]
    assert told["after"]["figures"]["linkage_highest"]["value"] <= 1 / 3
    assert all(figure["meaning"] for figure in told["before"]["figures"].values())


def test_every_figure_comes_with_its_meaning_and_definition(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--facts", "f.json"]
    assert run(made) == 0
    capsys.readouterr()
    assert run(["risk", "people.csv", "out.csv", "--facts", "f.json"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    found = shoal.risk(
        pl.read_csv("out.csv"),
        original=pl.read_csv("people.csv"),
        quasi=["age", "sex", "zip"],
        sensitive=["disease"],
    )
    notebook = " ".join(html.unescape(found._repr_html_()).split())
    told = [(figure.meaning, figure.definition) for figure in found.figures]
    told += [one[1:] for one in explained(DISCLOSURES)]
    for text in (text for pair in told for text in pair):
        assert text in notebook
        # Words stand in columns of a table on the terminal.
        assert all(word in shown for word in text.split())
    for text in (shown, notebook):
        assert "entropy l" in text
        assert "HIPAA Safe Harbor" in text


@pytest.mark.parametrize(("searched", "some"), [("1", False), ("2", True)])
def test_no_empty_table_of_combinations(
    searched: str,
    some: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"age": [30, 30, 40, 40], "sex": ["m", "f", "m", "f"]})
    frame.write_csv("pairs.csv")
    assert run(["risk", "pairs.csv", "--quasi", "age,sex", "--combinations", searched]) == 0
    notebook = shoal.risk(frame, quasi=["age", "sex"], combinations=int(searched))._repr_html_()
    for shown in (capsys.readouterr().out, notebook):
        assert ("combinations that single out most" in shown) is some


def test_records_are_written_for_the_custodian_alone(folder: Path) -> None:
    assert run(["risk", "people.csv", "--quasi", "sex", "--records", "records.csv"]) == 0
    written = pl.read_csv("records.csv")
    assert written["class_size"].to_list() == [3] * 6
    assert stat.S_IMODE((folder / "records.csv").stat().st_mode) == 0o600
    assert run(["risk", "people.csv", "--records", "records.csv"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["people.csv", "--quasi", "height"],
        ["people.csv", "--sensitive", "height", "--quasi", "age"],
        ["people.csv", "--threshold", "7"],
        ["people.csv", "--sampling-fraction", "0"],
        ["people.csv", "--combinations", "0"],
        ["people.csv", "--population", "nowhere.csv"],
        ["people.csv", "people.csv", "--quasi", "name", "--person", "height"],
        ["nowhere.csv"],
    ],
)
def test_bad_input(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["risk", *arguments]) == 2
    assert "error" in capsys.readouterr().err


def test_no_secret_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["risk", "people.csv", *ROLES[:4]])
    run(["risk", "people.csv", *ROLES[:4], "--json"])
    told = capsys.readouterr()
    for secret in ("Archer", "gout", "1010"):
        assert secret not in told.out + told.err
