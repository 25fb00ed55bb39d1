"""Reading of tables from files and from standard input."""

from __future__ import annotations

import hashlib
import io
import sys
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import FileError, option
from shoal.io.address import refuse_address, shown
from shoal.io.arrow_schema import refuse_arrow_columns
from shoal.io.compression import unpack
from shoal.io.csv_text import UNREADABLE, read_csv_text
from shoal.io.databases import is_database
from shoal.io.datasets import (
    checksum_of_files,
    matching_files,
    parquet_files,
    stacked,
    with_folder_columns,
)
from shoal.io.decimal_commas import with_plain_numbers
from shoal.io.delimited import check_column_names
from shoal.io.formats import (
    STANDARD_STREAM,
    FileKind,
    Format,
    file_kind,
    format_of_content,
    is_arrow_stream,
    is_text,
    reject_non_table,
)
from shoal.io.frames import refuse_polars_types
from shoal.io.missing_codes import recoded
from shoal.io.opening import PRESENT
from shoal.io.source import ReadOptions, Source
from shoal.io.unreadable_types import holds_views, refuse_arrow_type, without_views

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORKBOOKS = (".xlsx", ".xlsm")


def read_table(path: str | Path, **options: Any) -> pl.DataFrame:
    """Read a table from a file.

    The suffix determines the format: ``.csv``, ``.tsv``, ``.txt``, ``.jsonl`` (each also with
    ``.gz`` and ``.zst``), ``.parquet``, ``.arrow``, ``.ipc``, ``.feather``, ``.xlsx``, and the
    suffixes of SPSS, Stata and SAS. A folder of Parquet files is one table, and so are the files
    that a pattern such as ``2024-*.csv`` names. ``-`` reads standard input: CSV, or Parquet or
    Arrow if its first bytes show it.

    Parameters
    ----------
    path
        The file, folder or pattern, or ``-``.
    **options
        Fields of :class:`ReadOptions`.

    Returns
    -------
    polars.DataFrame
        Columns of a CSV file are text, as the file spells them, with empty fields missing; no
        type is guessed. Columns of other formats keep their types.

    Raises
    ------
    FileError
        If the file cannot be read, or is not a table with at least one record. The error names what
        is wrong, in which line or row, and what to do.

    Notes
    -----
    Time and memory are linear in the size of the file, about a second per million records of CSV.
    """
    return read_source(path, ReadOptions.of(options)).frame


def read_source(path: str | Path, options: ReadOptions | None = None) -> Source:
    """Read a table as :func:`read_table` does, and return what was noticed on the way."""
    options = options or ReadOptions()
    _refuse_idle(path, options)
    if is_database(path):
        # Readers of what most tables are not load when they are needed, here and below.
        from shoal.io.databases.address import DatabaseAddress
        from shoal.io.databases.read import read_database

        _refuse_unread(DatabaseAddress.of(path).shown, None, options)
        return _with_declared_values(read_database(path, options), options)
    return _with_declared_values(_read_files(path, options), options)


def read_release(path: str | Path, separator: str | None = None) -> pl.DataFrame:
    """Read a release: its column names are in its first line, its text is UTF-8.

    Parameters
    ----------
    path
        Where it is.
    separator
        The separator of releases in CSV; others have none.
    """
    text = is_text(path)
    header = PRESENT if text or Path(path).suffix.lower() in _WORKBOOKS else None
    return read_table(path, separator=separator if text else None, header=header)


def options_of_source(options: ReadOptions, source: str | Path, release: str | Path) -> ReadOptions:
    """Return how a source is read; the separator may be that of its release alone."""
    if options.separator is not None and is_text(release) and not is_text(source):
        return replace(options, separator=None)
    return options


def _with_declared_values(source: Source, options: ReadOptions) -> Source:
    """Return a table with its cells read as the options say, whatever it was read from."""
    # First of all: a code such as N does not make texts of a column of numbers.
    frame = recoded(source.frame, options.null_values, options.special_values)
    notes: list[str] = []
    if options.decimal == "," or options.thousands is not None:
        frame, notes = with_plain_numbers(frame, options.decimal, options.thousands)
    return replace(source, frame=frame, notes=(*notes, *source.notes))


def _read_files(path: str | Path, options: ReadOptions) -> Source:
    refuse_address(path)
    where = "Standard input" if str(path) == STANDARD_STREAM else str(path)
    with _explained(where):
        if str(path) == STANDARD_STREAM:
            if sys.stdin is None:
                raise FileError("There is no standard input.", remedy="Name a file.")
            data = sys.stdin.buffer.read()
            return _read(data, FileKind(format_of_content(data) or Format.CSV), where, options)
        files = matching_files(path)
        if files is not None:
            return _read_all(files, options)
        if Path(path).is_dir():
            return _read_folder(Path(path), options)
        return _read_file(Path(path), options)


def _refuse_idle(path: str | Path, options: ReadOptions) -> None:
    """Raise if options name a table in a source that has none, or contradict each other."""
    database = is_database(path)
    workbook = not database and Path(path).suffix.lower() in _WORKBOOKS
    for name, serves, of in (
        ("table", database, "a database"),
        ("query", database, "a database"),
        ("sheet", workbook, "a workbook"),
    ):
        if getattr(options, name) is not None and not serves:
            raise FileError(
                f"`{name}` is for {of}, which {shown(path)} is not.",
                remedy=f"Leave `{name}` out, or check the source.",
            )
    if options.thousands == options.decimal:
        raise FileError(
            f"`thousands` and `decimal` are the same: {option('decimal', options.decimal)}.",
            remedy="Choose different marks for thousands and decimals.",
        )


def _refuse_unread(where: str, form: Format | None, options: ReadOptions) -> None:
    """Raise if options for reading text are set for another source, such as a database."""
    for name, formats, of in (
        ("separator", (Format.CSV,), "CSV files"),
        ("header", (Format.CSV, Format.EXCEL), "CSV files and workbooks"),
        ("encoding", (Format.CSV, Format.STATISTICAL), "CSV, SPSS, Stata and SAS files"),
    ):
        if getattr(options, name) is not None and form not in formats:
            raise FileError(
                f"`{name}` is for {of}, which {where} is not.", remedy=f"Leave `{name}` out."
            )


def _read_file(path: Path, options: ReadOptions) -> Source:
    kind = file_kind(path)
    return _read(path.read_bytes(), kind, str(path), options)


def _read_all(files: Sequence[Path], options: ReadOptions) -> Source:
    parts = [_read_file(file, options) for file in files]
    frame = stacked([part.frame for part in parts], files)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    guessed = {part.encoding for part in parts}
    # One guess may become part of a job; where files differ, each is guessed about by itself again.
    encoding = guessed.pop() if len(guessed) == 1 else None
    return Source(frame, encoding, notes, checksum_of_files(files), parts[0].text)


def _read_folder(folder: Path, options: ReadOptions) -> Source:
    files = parquet_files(folder)
    parts = [with_folder_columns(_read_file(file, options).frame, file, folder) for file in files]
    frame = stacked(parts, files)
    return Source(frame, sha256=checksum_of_files(files))


def _read(data: bytes, kind: FileKind, where: str, options: ReadOptions) -> Source:
    _refuse_unread(where, kind.format, options)
    source = _read_bytes(data, kind, where, options)
    return replace(source, sha256=hashlib.sha256(data).hexdigest())


@contextmanager
def _explained(where: str) -> Iterator[None]:
    """Turn errors of the system into errors with a remedy."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileError(f"{where} does not exist.", remedy="Check the path.") from error
    except PermissionError as error:
        raise FileError(
            f"{where} cannot be read: permission denied.", remedy="Check its permissions."
        ) from error
    except OSError as error:
        raise FileError(
            f"{where} cannot be read: {error.strerror or error}.", remedy="Check the file."
        ) from error


def _read_bytes(data: bytes, kind: FileKind, where: str, options: ReadOptions) -> Source:
    if kind.format in (Format.CSV, Format.JSON_LINES):
        data = unpack(data, kind.compression, where)
    name = where.lower()
    if kind.compression is not None:
        name = name.removesuffix(kind.compression.suffix)
    if kind.format is Format.CSV:
        return read_csv_text(data, where, options, "\t" if name.endswith(".tsv") else ",")
    if kind.format is Format.JSON_LINES:
        from shoal.io.json_lines import read_json_lines

        frame, notes = read_json_lines(data, where)
        return Source(_checked(frame, where), notes=notes)
    if kind.format is Format.STATISTICAL:
        from shoal.io.statistical import read_statistical

        return read_statistical(data, Path(name).suffix, where, options)
    if kind.format is Format.EXCEL:
        if not data.startswith(b"PK"):
            reject_non_table(data[:64], where)
        from shoal.io.excel_read import read_workbook

        return read_workbook(data, where, options)
    return Source(_read_binary(data, kind.format, where))


def _read_binary(data: bytes, form: Format, where: str) -> pl.DataFrame:
    if not data:
        raise FileError(f"{where} is empty.", remedy="Give a table with at least one row.")
    found = format_of_content(data)
    if found is not form:
        reject_non_table(data[:64], where)
        raise FileError(
            f"{where} is not a file in the {form} format, though its name says so.",
            remedy=f"It looks like {found}: rename it."
            if found
            else ("Check the program that wrote it."),
        )
    source = io.BytesIO(data)
    by_pyarrow = _needs_pyarrow(data, form)
    try:
        if by_pyarrow:
            from pyarrow import ipc

            frame = pl.DataFrame(without_views(ipc.open_file(source).read_all()))
        elif form is Format.PARQUET:
            frame = pl.read_parquet(source)
        elif is_arrow_stream(data):
            frame = pl.read_ipc_stream(source)
        else:
            frame = pl.read_ipc(source)
    except UNREADABLE as error:
        raise FileError(
            f"{where} is a damaged or truncated {form} file, or has a column of a type that cannot "
            "be read.",
            remedy="Obtain or create the file again, with texts, numbers, dates and times alone.",
        ) from error
    return _checked(frame, where)


def _needs_pyarrow(data: bytes, form: Format) -> bool:
    """Return whether polars cannot read an Arrow file, but pyarrow can.

    Raises
    ------
    InputError
        If it has a column of a type that polars cannot hold.
    """
    if find_spec("pyarrow") is None:
        if form is Format.ARROW:
            refuse_arrow_columns(data, stream=is_arrow_stream(data))
        return False
    import pyarrow as pa

    try:
        if form is Format.PARQUET:
            from pyarrow import parquet

            schema = parquet.read_schema(io.BytesIO(data))
        elif is_arrow_stream(data):
            schema = pa.ipc.open_stream(data).schema
        else:
            schema = pa.ipc.open_file(data).schema
    except (pa.ArrowException, OSError, ValueError):
        return False  # damaged, which the reader says
    for field in schema:
        refuse_arrow_type(field.name, field.type)
    views = any(holds_views(field.type) for field in schema)
    return views and form is Format.ARROW and not is_arrow_stream(data)


def _checked(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    check_column_names(frame.columns, where)
    refuse_polars_types(frame)
    if frame.width == 0:
        raise FileError(f"{where} has no columns.", remedy="Give a table with columns.")
    if frame.height == 0:
        raise FileError(
            f"{where} has columns but no rows.", remedy="Give a table with at least one row."
        )
    return frame
