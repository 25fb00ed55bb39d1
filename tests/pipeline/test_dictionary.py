"""The data dictionary, and the loaders that the page on notation gives."""

from __future__ import annotations

import csv
import io
import shutil
import sqlite3
import subprocess
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import FileError
from shoal.pipeline.dictionary import dictionary_of, dictionary_text
from tests.cli.command import PEOPLE, ROLES
from tests.docs.markdown import ROOT, blocks, run_python

if TYPE_CHECKING:
    from pathlib import Path

CELLS = ["35", "[35..37]", "[-1.5..2]", "*", None]


def loaders() -> dict[str, Any]:
    """Return the functions of the page."""
    found: dict[str, Any] = {}
    for block in blocks(ROOT / "docs/notation.md"):
        if block.language == "python":
            run_python(block, "docs/notation.md", found)
    return found


def test_pandas_gets_intervals() -> None:
    read = loaders()["as_intervals"](pd.Series(CELLS, dtype="object"))
    assert isinstance(read.dtype, pd.IntervalDtype)
    assert read[0] == pd.Interval(35, 35, closed="both")
    assert read[1] == pd.Interval(35, 37, closed="both")
    assert read[2] == pd.Interval(-1.5, 2, closed="both")
    assert read[3:].isna().all()


def test_polars_gets_structs() -> None:
    frame = pl.DataFrame({"age": CELLS}).select(loaders()["as_bounds"]("age"))
    assert frame["age"].to_list() == [
        {"low": 35.0, "high": 35.0},
        {"low": 35.0, "high": 37.0},
        {"low": -1.5, "high": 2.0},
        {"low": None, "high": None},
        {"low": None, "high": None},
    ]


def queries() -> list[str]:
    """Return the SQL of the page."""
    page = blocks(ROOT / "docs/notation.md")
    return [block.code for block in page if block.language == "sql"]


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_sql_counts_and_takes_json_apart(engine: str) -> None:
    counting, taking_apart = queries()
    bounds = [(30, 35), (38, 42), (50, 60), (None, None)]
    cells = [('{"min": 30, "max": 35}', '["F", "M"]'), ('"*"', '["M"]'), ("null", '["F"]')]
    connection: Any
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
    else:
        connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE release (age_min DOUBLE, age_max DOUBLE)")
    connection.executemany("INSERT INTO release VALUES (?, ?)", bounds)
    assert connection.execute(counting).fetchall() == [(1, 2)]
    connection.execute("DROP TABLE release")
    connection.execute("CREATE TABLE release (age VARCHAR, sex VARCHAR)")
    connection.executemany("INSERT INTO release VALUES (?, ?)", cells)
    assert connection.execute(taking_apart).fetchall() == [
        (30.0, 35.0, True), (None, None, False), (None, None, True),
    ]  # fmt: skip
    connection.close()


R_LINES = """
release <- data.frame(age = c("35", "[35..37]", "*", NA), stringsAsFactors = FALSE)
%s
stopifnot(identical(release$age_low, c(35, 35, NA, NA)))
stopifnot(identical(release$age_high, c(35, 37, NA, NA)))
"""


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_gets_two_columns(tmp_path: Path) -> None:
    (block,) = (b for b in blocks(ROOT / "docs/notation.md") if b.language == "r")
    script = tmp_path / "load.R"
    script.write_text(R_LINES % block.code)
    subprocess.run(["Rscript", str(script)], check=True, timeout=600)


@pytest.mark.parametrize("notation", ["text", "min_max", "midpoint", "label", "json"])
def test_every_column_has_an_entry(notation: Any) -> None:
    frame = pl.read_csv(io.StringIO(PEOPLE))
    release = shoal.anonymize(
        frame,
        k=3,
        quasi=["age", "sex", "zip"],
        hierarchy={"zip": "stars"},
        sensitive=["disease"],
        identifier=["name"],
        notation=notation,
    )
    entries = dictionary_of(release)
    assert [entry.column for entry in entries] == release.table.columns
    told = {entry.column: entry for entry in entries}
    assert told["disease"].kind == "unchanged"
    assert "hierarchy" in told["zip"].cells
    expected = {
        "text": ("age", "[low..high]"),
        "min_max": ("age_min", "lowest"),
        "midpoint": ("age", "halfway"),
        "label": ("age", "LOW to HIGH"),
        "json": ("age", '{"min": …'),
    }[notation]
    assert expected[1] in told[expected[0]].cells
    text = dictionary_text(entries, "columns.csv")
    assert [row["column"] for row in csv.DictReader(io.StringIO(text))] == release.table.columns
    table = dictionary_text(entries, "columns.md").splitlines()
    assert len(table) == len(entries) + 2
    with pytest.raises(FileError, match=r"as \.csv or \.md"):
        dictionary_text(entries, "columns.txt")


def test_the_command_line_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    made = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--dictionary"]
    assert run([*made, "columns.txt"]) == 2
    assert not (tmp_path / "out.csv").exists()
    assert run([*made, "columns.md"]) == 0
    assert "| age | quasi |" in (tmp_path / "columns.md").read_text()


def test_a_release_saves_it_with_its_other_files(tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "ill": list("aabbab")})
    release = shoal.anonymize(people, k=3, quasi=["age"], sensitive=["ill"], algorithm="mondrian")
    with pytest.raises(FileError, match="dictionary"):
        release.save(tmp_path / "release.csv", dictionary=tmp_path / "dictionary.pdf")
    assert not list(tmp_path.iterdir())
    release.save(tmp_path / "release.csv", dictionary=tmp_path / "dictionary.csv")
    text = (tmp_path / "dictionary.csv").read_text(encoding="utf-8")
    entries = list(csv.DictReader(io.StringIO(text)))
    assert [entry["column"] for entry in entries] == ["age", "ill"]
