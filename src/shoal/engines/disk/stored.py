"""A table that is read piece by piece: Parquet and CSV files, in a fixed order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.engines.memory import shape_of
from shoal.errors import FileError, ParameterError
from shoal.io.address import require_files
from shoal.io.datasets import matching_files, parquet_files, with_folder_columns
from shoal.io.delimited import check_column_names
from shoal.io.extras import extra_module
from shoal.io.formats import Format, file_kind
from shoal.io.missing_codes import recoded
from shoal.io.opening import find_opening, parsed_records, separator_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.options import Job

_SAMPLE_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 24
_UNEVEN = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True, slots=True)
class StoredTable:
    """Files that make up one table.

    Parameters
    ----------
    files
        The files, in the order of their records.
    folder
        The folder that holds them, if folders named ``year=2024`` are columns.
    job
        How they are read.
    """

    files: tuple[Path, ...]
    folder: Path | None
    job: Job

    @classmethod
    def at(cls, path: str | Path, job: Job) -> StoredTable:
        """Return the table at a path: a file, a pattern, or a folder of Parquet files.

        Raises
        ------
        FileError
            If there is none, or it is in a format that is not read piece by piece.
        ParameterError
            If the job reads it in a way that needs the whole file.
        """
        for name, needs in (
            ("decimal", job.decimal == ","),
            ("thousands", job.thousands is not None),
            ("sheet", job.sheet is not None),
            ("table", job.table is not None),
            ("query", job.query is not None),
            ("encoding", (job.encoding or "utf-8").lower().replace("_", "-") not in UTF8),
        ):
            if needs:
                raise ParameterError(
                    f"`{name}` needs the whole table in memory.",
                    remedy="Save the table as Parquet or as CSV in UTF-8 first.",
                )
        require_files(path)
        where = Path(path)
        files = matching_files(path)
        if files is None and where.is_dir():
            return cls(tuple(parquet_files(where)), where, job)
        if files is None and not where.is_file():
            raise FileError(f"{path} does not exist.", remedy="Check the path.")
        found = cls(tuple(files or [where]), None, job)
        for file in found.files:
            if file_kind(file).format not in (Format.CSV, Format.PARQUET):
                raise FileError(
                    f"{file} cannot be read in pieces.",
                    remedy="Save it as Parquet or CSV first, or choose `engine='local'`.",
                )
        return found

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.stat().st_size for file in self.files)

    def fingerprint(self) -> list[list[Any]]:
        """Return names, sizes and times of the files: what a resumed run must find unchanged."""
        states = [(file, file.stat()) for file in self.files]
        return [[str(file.absolute()), state.st_size, state.st_mtime_ns] for file, state in states]

    def expected_records(self) -> int:
        """Return about how many records the files hold; 0 where unknown."""
        shapes = [shape_of(str(file), self.job) for file in self.files]
        return sum(shape.records for shape in shapes if shape is not None)

    def pieces(self) -> Iterator[pl.DataFrame]:
        """Yield the records in order, some tens of thousands at a time, all with equal columns.

        Raises
        ------
        FileError
            If a file cannot be read, or its columns differ from those of the first.
        """
        first: dict[str, pl.DataType] | None = None
        for file in self.files:
            csv = file_kind(file).format is Format.CSV
            for piece in self._csv(file) if csv else self._parquet(file):
                read = piece
                if self.folder is not None:
                    read = with_folder_columns(read, file, self.folder)
                read = recoded(read, self.job.null_values, self.job.special_values, empty=csv)
                if first is None:
                    first = dict(read.schema)
                _require_same(first, read, file, self.files[0])
                yield read.select(list(first))

    def _parquet(self, file: Path) -> Iterator[pl.DataFrame]:
        pyarrow = extra_module("pyarrow", "disk", str(file))
        parquet = extra_module("pyarrow.parquet", "disk", str(file))
        try:
            with parquet.ParquetFile(file) as opened:
                empty = True
                for batch in opened.iter_batches(batch_size=1 << 17):
                    empty = False
                    yield _frame(pyarrow.Table.from_batches([batch]))
                if empty:
                    yield _frame(opened.schema_arrow.empty_table())
        except (pyarrow.ArrowException, OSError) as error:
            raise FileError(
                f"{file} cannot be read as Parquet.", remedy="Check the program that wrote it."
            ) from error

    def _csv(self, file: Path) -> Iterator[pl.DataFrame]:
        pyarrow = extra_module("pyarrow", "disk", str(file))
        csv = extra_module("pyarrow.csv", "disk", str(file))
        names, skipped, separator = self.layout(file)
        reading = csv.ReadOptions(
            column_names=names, skip_rows=skipped, block_size=_BLOCK_BYTES, use_threads=True
        )
        parsing = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(names, pyarrow.string()), strings_can_be_null=False
        )
        try:
            with pyarrow.input_stream(str(file), compression="detect") as stream:
                opened = csv.open_csv(
                    stream,
                    read_options=reading,
                    parse_options=parsing,
                    convert_options=texts,
                )
                for batch in opened:
                    yield _frame(pyarrow.Table.from_batches([batch]))
        except (pyarrow.ArrowException, OSError) as error:
            raise _unreadable_csv(file, str(error)) from None

    def layout(self, file: Path) -> tuple[list[str], int, str]:
        """Return the column names, the lines above the records, and the separator."""
        pyarrow = extra_module("pyarrow", "disk", str(file))
        with pyarrow.input_stream(str(file), compression="detect") as stream:
            sample = stream.read(_SAMPLE_BYTES)
        sample = sample.removeprefix(b"\xef\xbb\xbf")
        if not sample.strip():
            raise FileError(f"{file} is empty.", remedy="Give a table with a header and records.")
        separator = self.job.separator
        named = separator_named(separator) if separator else None
        preferred = "\t" if ".tsv" in file.suffixes else ","
        opening = find_opening(sample, str(file), named, preferred, self.job.header)
        names, skipped = list(opening.names), opening.line - 1
        if not names:
            names = next(parsed_records(sample[opening.start :], opening.separator))
            skipped += 1
        check_column_names(names, str(file))
        return names, skipped, opening.separator


UTF8 = ("utf-8", "utf8", "utf-8-sig")


def _frame(table: Any) -> pl.DataFrame:
    read = pl.from_arrow(table)
    assert isinstance(read, pl.DataFrame)
    # The categories of a piece are those of the piece alone.
    return read.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


def _require_same(
    first: dict[str, pl.DataType], piece: pl.DataFrame, file: Path, first_file: Path
) -> None:
    differing = [
        name for name in {**first, **piece.schema} if first.get(name) != piece.schema.get(name)
    ]
    if differing:
        raise FileError(
            f"{file} differs from {first_file} in {_listed(differing)}: a column that one of them "
            f"lacks, or of another type.",
            remedy="Give files with the same columns and types.",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3]))


def _unreadable_csv(file: Path, message: str) -> FileError:
    """Return what is wrong with a CSV file; the message of its reader quotes cells."""
    uneven = _UNEVEN.search(message)
    if uneven:
        line = f"line {uneven[1]}" if uneven[1] else "a record"
        return FileError(
            f"{file}: {line} has {uneven[3]} fields, but the header has {uneven[2]}.",
            remedy="Put fields that contain the separator in quotes, or correct the record.",
        )
    if "UTF" in message:
        return FileError(f"{file} is not in UTF-8.", remedy="Convert it to UTF-8 or to Parquet.")
    return FileError(f"{file} cannot be read as CSV.", remedy="Check its quotes and fields.")
