"""What formats keep, by trial: tables are written, read again and compared.

The table of formats follows from this; a test fails when it is out of date.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import FileError
from shoal.io import Staging, check_output, read_table
from shoal.io.formats import SUFFIXES

_ZONED = datetime(2020, 1, 31, 13, 30, 15, tzinfo=UTC)
_PLAIN = _ZONED.replace(tzinfo=None)
COLUMNS: dict[str, pl.Series] = {
    "whole numbers": pl.Series([1, -2, None]),
    "reals": pl.Series([0.5, -2.25, None]),
    "texts": pl.Series(["x y", "007", None]),
    "truth values": pl.Series([True, False, None]),
    "dates": pl.Series([date(2020, 1, 31), date(1950, 7, 1), None]),
    "times": pl.Series([time(13, 30), time(0, 0, 1), None]),
    "datetimes": pl.Series([_PLAIN, _PLAIN.replace(year=1950), None]),
    "datetimes with zone": pl.Series([_ZONED, _ZONED.replace(year=1950), None]),
    "decimals": pl.Series([Decimal("1.50"), Decimal("-2.25"), None], dtype=pl.Decimal(10, 2)),
}  # fmt: skip
BROKEN = b"\x00\x01broken\xff"
# Servers are not there where pages are made; the tests of databases hold these against one.
SERVERS = {
    "PostgreSQL": "all",
    "MySQL, MariaDB": "all but truth values, datetimes with zone",
}


def kept_by(place: str) -> str:
    """Return the types that a file or a table of a database keeps, in words."""
    kept = [name for name, column in COLUMNS.items() if _comes_back(name, column, place)]
    lost = [name for name in COLUMNS if name not in kept]
    if not lost:
        return "all"
    return f"all but {', '.join(lost)}" if len(lost) <= 3 else ", ".join(kept)


def _comes_back(name: str, column: pl.Series, place: str) -> bool:
    frame = pl.DataFrame({"number": [1, 2, 3], name.replace(" ", "_"): column})
    with Staging() as staging:
        staging.table(frame, place, if_exists="replace")
        staging.commit()
    read = read_table(place)[name.replace(" ", "_")]
    alike = read.dtype.base_type() == column.dtype.base_type()
    zone = getattr(read.dtype, "time_zone", None) is not None
    alike &= zone == (getattr(column.dtype, "time_zone", None) is not None)
    return alike and read.to_list() == column.to_list()


def kept_by_statistics(suffix: str) -> str:
    """Return the types that come out of a file of a statistics program, written by its library."""
    import pandas as pd
    import pyreadstat

    # The library has no types for these.
    write: Any = pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        for name, column in COLUMNS.items():
            cells = column.head(2)
            write(pd.DataFrame({"number": [1, 2], "c": cells.to_list()}), path)
            read = read_table(path)["c"]
            alike = read.dtype.base_type() == cells.dtype.base_type()
            if alike and read.to_list() == cells.to_list():
                kept.append(name)
    return ", ".join(kept)


def refusal_of(suffix: str) -> str:
    """Return what is said about a file that holds something else, without its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(BROKEN)
        try:
            read_table(path)
        except FileError as error:
            return error.what.replace(str(path), f"`file{suffix}`").partition("\n")[0]
    raise AssertionError(f"{suffix} reads what it cannot be")


def is_written(suffix: str) -> bool:
    """Return whether files with this suffix are written."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            check_output(Path(folder) / f"file{suffix}", force=False)
        except FileError:
            return False
    return True


def rows_of_formats() -> list[tuple[str, ...]]:
    """Return for each format: its names, read, written, types kept, bad input, tests."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {
            suffix: kept_by(str(Path(folder) / f"file{suffix}"))
            for suffix in (".csv", ".jsonl", ".parquet", ".arrow", ".xlsx")
        }
        kept |= {
            name: kept_by(f"{name}:///{Path(folder) / name}.db#kept")
            for name in ("sqlite", "duckdb")
        }
    assert kept[".arrow"] == kept[".parquet"]
    rows: list[tuple[str, ...]] = [
        _files((".csv", ".tsv", ".txt"), kept[".csv"], "`test_read`, `test_opening`", packed=True),
        _files((".jsonl", ".ndjson"), kept[".jsonl"], "`test_datasets`", packed=True),
        _files((".parquet",), kept[".parquet"], "`test_read`, `test_staging`"),
        _files((".arrow", ".ipc", ".feather"), kept[".arrow"], "`test_read`, `test_staging`"),
        ("folder of Parquet files, pattern", "yes", "no", "those of its files; folders: texts",
         "other files, and files with other columns, are named", "`test_datasets`"),
        _files((".xlsx",), kept[".xlsx"], "`test_excel`"),
        _files((".xlsm",), kept[".xlsx"], "`test_excel`"),
        _files((".sav", ".zsav", ".por"), kept_by_statistics(".sav"), "`test_datasets`"),
        _files((".dta", ".sas7bdat", ".xpt"), kept_by_statistics(".dta"), "`test_datasets`"),
        _database("PostgreSQL", SERVERS["PostgreSQL"]),
        _database("MySQL, MariaDB", SERVERS["MySQL, MariaDB"],
                  "`test_databases`, if `SHOAL_TEST_MYSQL` names a server"),
        _database("SQLite", kept["sqlite"]),
        _database("DuckDB", kept["duckdb"]),
        ("ARX `.deid`", "as a job", "no", "", "what is wrong in it is named", "`test_arx_project`"),
        ("pandas, polars, pyarrow", "yes", "yes", "all, unchanged",
         "columns of durations, lists, structs and bytes are named",
         "`test_frames`, `test_types`, `test_type_matrix`"),
    ]  # fmt: skip
    named = {suffix for row in rows for suffix in SUFFIXES if f"`{suffix}`" in row[0]}
    assert named == set(SUFFIXES)
    return rows


def _files(
    suffixes: tuple[str, ...], kept: str, tests: str, *, packed: bool = False
) -> tuple[str, ...]:
    listed = ", ".join(f"`{suffix}`" for suffix in suffixes)
    written = {is_written(suffix) for suffix in suffixes}
    assert len(written) == 1
    return (
        f"{listed}, also `.gz`, `.zst`" if packed else listed,
        "yes",
        "yes" if written.pop() else "no",
        kept,
        refusal_of(suffixes[0]),
        tests,
    )


def _database(name: str, kept: str, tests: str = "`test_databases`") -> tuple[str, ...]:
    refused = "no connection, table or right: named; nothing changed"
    return (name, "yes", "yes", kept, refused, tests)
