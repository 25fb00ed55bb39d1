"""The table of formats names tests that exist, and every suffix that is read stands in it."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from docs.format_trials import kept_by

from shoal.cli.main import run
from shoal.io.formats import SUFFIXES
from tests.docs.markdown import ROOT

PAGE = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("<!-- begin table_of_formats -->")[2].partition("<!-- end")[0].split("\n")
TABLE = [line for line in TABLE if line.startswith("|")]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TABLE[2:]]


def test_the_table_names_tests_that_exist() -> None:
    known = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    named = {name for row in ROWS for name in re.findall(r"`(test_\w+)`", row[-1])}
    assert named
    assert named <= known


def test_every_suffix_stands_in_the_table() -> None:
    listed = {suffix for row in ROWS for suffix in re.findall(r"`(\.\w+)`", row[0])}
    assert set(SUFFIXES) | {".gz", ".zst", ".deid"} == listed


def test_what_is_said_of_types_can_be_wrong(tmp_path: Path) -> None:
    # That the table is up to date is tested with the other generated parts of pages.
    kept = {row[0]: row[3] for row in ROWS}
    assert kept["`.parquet`"] == "all"
    assert kept_by(str(tmp_path / "t.jsonl")) != "all"


WRITTEN = [".csv", ".tsv", ".csv.gz", ".jsonl", ".parquet", ".arrow", ".feather", ".xlsx"]


@pytest.mark.parametrize("suffix", WRITTEN)
def test_a_format_that_is_written_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [30, 31, 32, 60, 61, 62], "d": list("abcabc")}).write_csv("in.csv")
    options = ["-k", "3", "--quasi", "age", "--sensitive", "d"]
    assert run(["anonymize", "in.csv", *options, "-o", f"out{suffix}"]) == 0
    assert run(["verify", "in.csv", f"out{suffix}", *options]) == 0


@pytest.mark.parametrize("suffix", [*WRITTEN, ".sav", ".dta", ".sas7bdat", ".deid"])
def test_bad_input_ends_in_one_line_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    suffix: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"in{suffix}").write_bytes(b"\x00\x01broken\xff")
    verb = ["import", "arx", "in.deid", "-o", "out.toml"]
    if suffix != ".deid":
        verb = ["anonymize", f"in{suffix}", "-k", "3", "--quasi", "age", "-o", "out.csv"]
    assert run(verb) == 2
    assert [path.name for path in tmp_path.iterdir()] == [f"in{suffix}"]
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert "Traceback" not in printed
