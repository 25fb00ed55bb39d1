"""Files of a release hold the table and nothing else, which a reader of tables would not see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

import shoal
from shoal.cli.main import run
from shoal.io.beside_table import contents_beside_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PEOPLE = pl.DataFrame({"id": ["P1", "P2", "P3", "P4"], "age": [20, 21, 60, 61]})
RELEASED = pl.DataFrame({"age": ["[20..21]"] * 2 + ["[60..61]"] * 2})


def schema(of_table: dict[str, str] | None, of_column: dict[str, str] | None) -> pa.Table:
    field = pa.field("age", pa.string(), metadata=of_column)
    table: pa.Table = pa.table([RELEASED["age"].to_list()], schema=pa.schema([field], of_table))
    return table


def workbook(change: Callable[[Any, Any], object]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        book = xlsxwriter.Workbook(str(path))
        sheet = book.add_worksheet("release")
        sheet.write_column(0, 0, ["age", *RELEASED["age"].to_list()])
        change(book, sheet)
        book.close()

    return write


def add_hidden_sheet(book: Any, _sheet: Any) -> None:
    further = book.add_worksheet("people")
    further.write_column(0, 0, PEOPLE["id"].to_list())
    further.hide()


def add_empty_sheet(book: Any, _sheet: Any) -> None:
    book.add_worksheet("notes").hide()


def write_arrow(table: pa.Table) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)

    return write


ENUM = RELEASED.cast({"age": pl.Enum(["[20..21]", "[60..61]", "P1, aged 97"])})
FILES: dict[str, tuple[str, Callable[[Path], object], list[str]]] = {
    "metadata of a table": (
        "parquet",
        lambda path: pq.write_table(schema({"people": PEOPLE.write_csv()}, None), path),
        ["metadata of the table"],
    ),
    "metadata of a column": (
        "parquet",
        lambda path: pq.write_table(schema(None, {"people": PEOPLE.write_csv()}), path),
        ["metadata of column 'age'"],
    ),
    "categories": (
        "parquet",
        ENUM.write_parquet,
        ["categories of column 'age' that no record has"],
    ),
    "metadata in Arrow": (
        "arrow",
        write_arrow(schema({"people": PEOPLE.write_csv()}, None)),
        ["metadata of the table"],
    ),
    "a hidden sheet": ("xlsx", workbook(add_hidden_sheet), ["1 further sheet"]),
    "a comment": (
        "xlsx",
        workbook(lambda _, sheet: sheet.write_comment(1, 0, "P1")),
        ["comments"],
    ),
    "an empty sheet": ("xlsx", workbook(add_empty_sheet), []),
    "pandas": ("parquet", lambda path: RELEASED.to_pandas().to_parquet(path), []),
    "polars": ("parquet", RELEASED.write_parquet, []),
}


@pytest.mark.parametrize("made", FILES)
def test_what_a_file_holds_beside_its_table_is_refused(
    made: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix, write, found = FILES[made]
    path = tmp_path / f"release.{suffix}"
    write(path)
    assert contents_beside_table(path) == found
    PEOPLE.write_csv(tmp_path / "people.csv")
    words = ["-k", "2", "--quasi", "age", "--identifier", "id"]
    assert run(["verify", str(tmp_path / "people.csv"), str(path), *words]) == bool(found)
    told = capsys.readouterr().out
    assert "on the quasi-identifiers age" in told
    assert "P1" not in told


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "xlsx"])
def test_releases_hold_nothing_beside_their_tables(suffix: str, tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, k=2, quasi=["age"], identifier=["id"])
    release.save(tmp_path / f"release.{suffix}")
    assert contents_beside_table(tmp_path / f"release.{suffix}") == (
        None if suffix == "csv" else []
    )
