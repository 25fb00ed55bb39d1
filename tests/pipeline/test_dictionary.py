"""The data dictionary, and the loaders that the page on notation gives."""

from __future__ import annotations

import csv
import io
import shutil
import sqlite3
import subprocess
from datetime import datetime
from math import inf as INFINITY  # noqa: N812 - a constant
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

# Cells of a numeric column and the bounds that they stand for.
BOUNDS: dict[str | None, tuple[float | None, float | None]] = {
    "35": (35, 35),
    "[35..37]": (35, 37),
    "[-1.5..2]": (-1.5, 2),
    "55+": (55, INFINITY),
    "[34..55+]": (34, INFINITY),
    "[34..>=55]": (34, INFINITY),
    "<1": (-INFINITY, 1),
    "[<=18..25]": (-INFINITY, 25),
    "[<=18..90+]": (-INFINITY, INFINITY),
    "*": (None, None),
    None: (None, None),
}
DATES = ["[2024-01-31..2024-03-01]", "2024-02-29", "*", None]
LOW: list[Any] = [datetime(2024, 1, 31), datetime(2024, 2, 29), None, None]
HIGH: list[Any] = [datetime(2024, 3, 1), *LOW[1:]]


def loaders() -> dict[str, Any]:
    """Return the functions of the page."""
    found: dict[str, Any] = {}
    for block in blocks(ROOT / "docs/notation.md"):
        if block.language == "python":
            run_python(block, "docs/notation.md", found)
    return found


def test_pandas_gets_intervals() -> None:
    read = loaders()["as_intervals"](pd.Series(list(BOUNDS), dtype="object"))
    assert isinstance(read.dtype, pd.IntervalDtype)
    for interval, (low, high) in zip(read, BOUNDS.values(), strict=True):
        if low is None or high is None:
            assert pd.isna(interval)
        else:
            assert interval == pd.Interval(low, high, closed="both")


def test_pandas_gets_intervals_of_dates_and_of_numbers_that_it_read_as_such() -> None:
    load = loaders()["as_intervals"]
    read = load(pd.Series(DATES), "%Y-%m-%d")
    assert isinstance(read.dtype, pd.IntervalDtype)
    assert read[0] == pd.Interval(pd.Timestamp(LOW[0]), pd.Timestamp(HIGH[0]), closed="both")
    assert read[1] == pd.Interval(pd.Timestamp(LOW[1]), pd.Timestamp(LOW[1]), closed="both")
    assert read[2:].isna().all()
    zoned = "[2024-03-30 22:00:00+01:00..2024-03-31 22:00:00+02:00]"
    (moments,) = load(pd.Series([zoned]), "%Y-%m-%d %H:%M:%S%z")
    assert moments.length == pd.Timedelta(hours=23)
    assert list(load(pd.Series([35, 36]))) == [
        pd.Interval(35, 35, closed="both"), pd.Interval(36, 36, closed="both")
    ]  # fmt: skip
    with pytest.raises(ValueError, match="2024-02-29"):
        load(pd.Series(DATES[1:]))


def test_polars_gets_structs() -> None:
    load = loaders()["as_bounds"]
    frame = pl.DataFrame({"age": list(BOUNDS), "bad": ["x"] * len(BOUNDS)})
    assert frame.select(load("age"))["age"].to_list() == [
        {"low": low, "high": high} for low, high in BOUNDS.values()
    ]
    read = pl.DataFrame({"born": DATES}).select(load("born", "%Y-%m-%d"))["born"].to_list()
    assert read == [{"low": low, "high": high} for low, high in zip(LOW, HIGH, strict=True)]
    with pytest.raises(pl.exceptions.InvalidOperationError):
        frame.select(load("bad"))


def test_loaders_agree_with_the_bounds_of_a_top_coded_release() -> None:
    people = pl.DataFrame({"age": [*range(20, 40), *range(60, 100, 2)], "ill": ["a", "b"] * 20})
    told: dict[str, Any] = {"k": 4, "quasi": ["age"], "sensitive": ["ill"], "seed": 1}
    told |= {"top": {"age": 80}, "bottom": {"age": 25}, "algorithm": "mondrian"}
    text, bounds = (
        shoal.anonymize(people, **told, notation=notation).table for notation in ("text", "min_max")
    )
    expected = set(
        bounds.select(
            pl.col("age_min").cast(pl.Float64).fill_null(-INFINITY),
            pl.col("age_max").cast(pl.Float64).fill_null(INFINITY),
        ).rows()
    )
    assert any(low == -INFINITY for low, _ in expected)
    assert any(high == INFINITY for _, high in expected)
    found = loaders()
    structs = text.select(found["as_bounds"]("age"))["age"].to_list()
    assert {(one["low"], one["high"]) for one in structs} == expected
    intervals = found["as_intervals"](pd.Series(text["age"].to_list()))
    assert {(one.left, one.right) for one in intervals} == expected


def queries() -> list[str]:
    """Return the SQL of the page."""
    page = blocks(ROOT / "docs/notation.md")
    return [block.code for block in page if block.language == "sql"]


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_sql_counts_and_takes_json_apart(engine: str) -> None:
    counting, taking_apart = queries()
    bounds = [(30, 35), (38, 42), (50, 60), (38, None), (45, None), (None, 35), (None, None)]
    cells = [
        ('{"min": 30, "max": 35}', '["F", "M"]'),
        ('{"min": "<=18", "max": 35}', '["M"]'),
        ('{"min": 34, "max": "55+"}', '["F"]'),
        ('{"min": "55+", "max": "55+"}', '["F"]'),
        ('"*"', '"*"'),
        ("null", "null"),
    ]
    connection: Any
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()
    else:
        connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE release (age_min DOUBLE, age_max DOUBLE)")
    connection.executemany("INSERT INTO release VALUES (?, ?)", bounds)
    assert connection.execute(counting).fetchall() == [(1, 5)]
    connection.execute("DROP TABLE release")
    connection.execute("CREATE TABLE release (age VARCHAR, sex VARCHAR)")
    connection.executemany("INSERT INTO release VALUES (?, ?)", cells)
    assert connection.execute(taking_apart).fetchall() == [
        (30.0, 35.0, True), (None, 35.0, False), (34.0, None, True), (55.0, None, True),
        (None, None, True), (None, None, False),
    ]  # fmt: skip
    connection.close()


R_LINES = """
read <- as_bounds(c(%s))
stopifnot(identical(read$low, c(%s)))
stopifnot(identical(read$high, c(%s)))
born <- as_bounds(c("[2024-01-31..2024-03-01]", "2024-02-29", "*", NA), "%%Y-%%m-%%d")
stopifnot(identical(format(born$low), c("2024-01-31", "2024-02-29", NA, NA)))
stopifnot(identical(format(born$high), c("2024-03-01", "2024-02-29", NA, NA)))
stopifnot(inherits(try(as_bounds("2024-02-29"), silent = TRUE), "try-error"))
"""


def in_r(value: float | str | None) -> str:
    """Return a value as R writes it."""
    if value is None:
        return "NA"
    return f'"{value}"' if isinstance(value, str) else str(float(value)).replace("inf", "Inf")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_gets_two_columns(tmp_path: Path) -> None:
    (block,) = (b for b in blocks(ROOT / "docs/notation.md") if b.language == "r")
    script = tmp_path / "load.R"
    lows, highs = zip(*BOUNDS.values(), strict=True)
    told = tuple(", ".join(map(in_r, column)) for column in (BOUNDS, lows, highs))
    script.write_text(f"{block.code}\n{R_LINES % told}", encoding="utf-8")
    command = ["Rscript", "--vanilla", "--encoding=UTF-8", str(script)]
    subprocess.run(command, check=True, timeout=600)


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


@pytest.mark.parametrize(
    ("notation", "column", "told"),
    [
        ("text", "age", ("80 or more are shown as 80+", "25 or less are shown as <=25")),
        ("label", "age", ("80 or more are shown as 80+", "25 or less are shown as <=25")),
        ("json", "age", ("80 or more are shown as 80+", "25 or less are shown as <=25")),
        ("min_max", "age_max", ("age_max is empty where the value may be 80 or more",)),
        ("min_max", "age_min", ("age_min is empty where the value may be 25 or less",)),
        ("text", "weeks", ("such as 90+ or <1", "missing too where weeks_special")),
        ("text", "weeks_special", ("takes the place of a value of weeks",)),
        ("min_max", "weeks_max", ("one bound without the other is open",)),
    ],
)
def test_codes_and_open_and_special_values_are_told(
    notation: str, column: str, told: tuple[str, ...], tmp_path: Path
) -> None:
    ages = [*range(20, 40), *range(60, 100, 2)]
    weeks = ["<1"] * 12 + ["2", "3", "N", "4"] * 7
    people = tmp_path / "people.csv"
    pl.DataFrame({"age": ages, "weeks": weeks, "ill": ["a", "b"] * 20}).write_csv(people)
    roles = ["--quasi", "age,weeks", "--sensitive", "ill", "--special-values", "weeks=N"]
    coded = ["--top", "age=80", "--bottom", "age=25", "--notation", notation]
    columns = tmp_path / "columns.csv"
    written = ["-o", str(tmp_path / "out.csv"), "--dictionary", str(columns)]
    made = ["anonymize", str(people), "-k", "4", "--algorithm", "mondrian"]
    assert run([*made, *roles, *coded, *written]) == 0
    entries = {one["column"]: one for one in csv.DictReader(io.StringIO(columns.read_text()))}
    for words in told:
        assert words in entries[column]["cells"]


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
