"""DuckDB within a limit of memory: dictionaries, histograms, and records in the order of units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.engines.codebook import Dictionary
from shoal.engines.cutting import Histogram, histogram_of_persons
from shoal.engines.solving import ROW
from shoal.errors import FileError
from shoal.io.extras import extra_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from shoal.engines.codebook import Codebook
    from shoal.engines.cut_tree import CutTree

CODE, VALUE, UNIT = "__shoal_code_", "__shoal_value_", "__shoal_unit"
_ROWS_OF_A_GROUP = 1 << 15


def quoted(name: str) -> str:
    """Return a column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str | Path) -> str:
    """Return a text as SQL writes it."""
    return "'" + str(text).replace("'", "''") + "'"


class Duck:
    """A DuckDB that takes no more memory than it is given, and spills to a private folder.

    Parameters
    ----------
    spill
        Folder for what does not fit.
    memory
        Bytes that it may take.
    threads
        Threads that it may use.
    """

    def __init__(self, spill: Path, *, memory: int, threads: int) -> None:
        duckdb = extra_module("duckdb", "disk", "`engine='disk'`")
        self.error = duckdb.Error
        self.connection = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": f"{max(memory >> 20, 128)}MB",
                "threads": threads,
                "temp_directory": str(spill),
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.connection.close()

    def row(self, sql: str) -> tuple[Any, ...]:
        """Run a statement and return the first row of its result.

        Raises
        ------
        FileError
            If it fails. Its message is not passed on: it may quote cells.
        """
        try:
            # To the last row: a result that is left open keeps the connection from other work.
            return tuple(self.connection.execute(sql).fetchall()[0])
        except self.error as error:
            raise _failed(error) from None

    def frame(self, sql: str) -> pl.DataFrame:
        """Return the rows of a query."""
        try:
            found = pl.from_arrow(self.connection.sql(sql).to_arrow_table())
        except self.error as error:
            raise _failed(error) from None
        assert isinstance(found, pl.DataFrame)
        return found

    def pieces(self, sql: str, rows: int = 1 << 18) -> Iterator[pl.DataFrame]:
        """Yield the rows of a query, so many at a time."""
        try:
            for batch in self.connection.sql(sql).to_arrow_reader(rows):
                found = pl.from_arrow(batch)
                assert isinstance(found, pl.DataFrame)
                yield found
        except self.error as error:
            raise _failed(error) from None


def _failed(error: Exception) -> FileError:
    kind = type(error).__name__
    if "OutOfMemory" in kind:
        return FileError(
            "DuckDB ran out of the memory it was given.", remedy="Give more with `memory`."
        )
    if "No space left" in str(error):
        return FileError("The disk is full.", remedy="Free some space and resume the run.")
    return FileError(f"DuckDB failed ({kind}).", remedy="Report this as a bug in Shoal.")


def files_of(folder: Path) -> str:
    """Return the Parquet files of a folder as an SQL table."""
    return f"read_parquet({literal(folder / '*.parquet')})"


def is_complete(names: Sequence[str], columns: Mapping[str, pl.DataType]) -> str:
    """Return the SQL condition that no cell of these columns is missing; an empty text is."""
    tests = [
        f"{quoted(name)} IS NOT NULL"
        + (f" AND {quoted(name)} <> ''" if columns[name] == pl.String else "")
        for name in names
    ]
    return " AND ".join(tests) or "TRUE"


def count_cells(
    duck: Duck, source: Path, names: Sequence[str], columns: Mapping[str, pl.DataType], where: str
) -> dict[str, Dictionary]:
    """Return the dictionaries of some columns."""
    found = {}
    for name in names:
        counted = duck.frame(
            f"SELECT {quoted(name)} AS cell, count(*) AS count FROM {files_of(source)} "  # noqa: S608
            f"WHERE {where} GROUP BY ALL"
        )
        cells = counted["cell"].cast(columns[name]).alias(name)
        found[name] = Dictionary.of(cells, counted["count"].to_numpy())
    return found


class CodesOnDisk:
    """Histograms of codes in Parquet files, counted by DuckDB: one scan for each level.

    Parameters
    ----------
    coded
        Folder of files with a column of codes for each quasi-identifier.
    attributes
        How many of them there are.
    """

    def __init__(self, duck: Duck, coded: Path, attributes: int) -> None:
        self.duck = duck
        self.table = files_of(coded)
        self.codes = [f"{CODE}{place}" for place in range(attributes)]

    def histograms(self, tree: CutTree, cells: Sequence[str]) -> list[Histogram]:
        """Return for each attribute how many records of each of these cells hold each code."""
        places = dict.fromkeys(tree.cells, -1) | {path: place for place, path in enumerate(cells)}
        sets = ", ".join(f"(cell, {code})" for code in self.codes)
        listed = ", ".join(self.codes)
        counted = self.duck.frame(
            f"WITH t AS (SELECT {tree.sql(self.codes, places)} AS cell, {listed} "  # noqa: S608
            f"FROM {self.table}) SELECT cell, {listed}, count(*) AS count FROM t WHERE cell >= 0 "
            f"GROUP BY GROUPING SETS ({sets})"
        )
        return [_histogram(counted.filter(pl.col(code).is_not_null()), code) for code in self.codes]

    def model_histograms(self, tree: CutTree, codebook: Codebook) -> list[Histogram]:
        """Return for each model how many records of each cell hold each value that it reads."""
        found = []
        cell = tree.sql(self.codes)
        for place, (model, coding) in enumerate(
            zip(codebook.models, codebook.model_codings, strict=True)
        ):
            if coding is None:
                name = quoted(str(model.column))
                persons = self.duck.frame(
                    f"SELECT cell, count(*) AS count FROM (SELECT DISTINCT {cell} AS cell, "  # noqa: S608
                    f"{name} AS person FROM {self.table}) GROUP BY cell ORDER BY cell"
                )
                counts = np.zeros(len(tree.cells), dtype=np.int64)
                counts[persons["cell"].to_numpy()] = persons["count"].to_numpy()
                found.append(histogram_of_persons(counts, codebook.job.k))
                continue
            value = f"{VALUE}{place}"
            counted = self.duck.frame(
                f"SELECT {cell} AS cell, {value}, count(*) AS count FROM {self.table} GROUP BY ALL"  # noqa: S608
            )
            found.append(_histogram(counted, value))
        return found


def _histogram(counted: pl.DataFrame, code: str) -> Histogram:
    return Histogram(
        counted["cell"].cast(pl.Int64).to_numpy(),
        counted[code].cast(pl.Int64).to_numpy(),
        counted["count"].cast(pl.Int64).to_numpy(),
    )


def write_units(duck: Duck, coded: Path, tree: CutTree, codebook: Codebook, place: Path) -> None:
    """Write the records in the order of their units, as one Parquet file."""
    codes = [f"{CODE}{one}" for one in range(len(codebook.domains))]
    units = {path: int(unit) for path, unit in zip(tree.cells, tree.unit_of_cell, strict=True)}
    kept = ", ".join(quoted(name) for name in (*codebook.kept_columns, ROW))
    partial = place.with_suffix(".partial")
    duck.row(
        f"COPY (SELECT {kept}, {tree.sql(codes, units)} AS {UNIT} FROM {files_of(coded)} "  # noqa: S608
        f"ORDER BY {UNIT}, {ROW}) TO {literal(partial)} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROWS_OF_A_GROUP})"
    )
    partial.rename(place)
