"""Reading of tables from files and from standard input."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import FileError
from shoal.io.address import refuse_address
from shoal.io.csv_text import UNREADABLE, read_csv_text
from shoal.io.delimited import check_column_names
from shoal.io.excel_read import read_workbook
from shoal.io.formats import (
    STANDARD_STREAM,
    FileKind,
    Format,
    file_kind,
    format_of_content,
    is_arrow_stream,
    is_gzip,
    refuse_stranger,
)
from shoal.io.missing_codes import without_codes
from shoal.io.source import ReadOptions, Source


def read_table(path: str | Path, **options: Any) -> pl.DataFrame:
    """Read a table from a file.

    The suffix tells the format: ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``),
    ``.parquet``, ``.arrow``, ``.ipc``, ``.feather``, ``.xlsx``. ``-`` reads standard input: CSV, or
    Parquet or Arrow when its first bytes say so.

    Parameters
    ----------
    path
        The file, or ``-``.
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
        If the file cannot be read, or is not a table with at least one record. The error says
        what is wrong, in which line or row, and what to do.

    Notes
    -----
    Time and memory are linear in the size of the file, about a second a million records of CSV.
    """
    return read_source(path, ReadOptions.of(options)).frame


def read_source(path: str | Path, options: ReadOptions | None = None) -> Source:
    """Read a table as :func:`read_table` does, and tell what was noticed on the way."""
    options = options or ReadOptions()
    refuse_address(path)
    where = "Standard input" if str(path) == STANDARD_STREAM else str(path)
    try:
        if str(path) == STANDARD_STREAM:
            if sys.stdin is None:
                raise FileError("There is no standard input.", remedy="Name a file.")
            data = sys.stdin.buffer.read()
            kind = FileKind(format_of_content(data) or Format.CSV, is_gzip(data))
        else:
            if Path(path).is_dir():
                raise IsADirectoryError
            kind = file_kind(path)
            data = Path(path).read_bytes()
        source = _read_bytes(data, kind, where, options)
    except FileNotFoundError as error:
        raise FileError(f"{where} does not exist.", remedy="Check the path.") from error
    except IsADirectoryError as error:
        raise FileError(
            f"{where} is a folder, not a file.", remedy="Name a file inside it."
        ) from error
    except PermissionError as error:
        raise FileError(
            f"{where} may not be read by this user.", remedy="Check its permissions."
        ) from error
    except OSError as error:
        raise FileError(
            f"{where} cannot be read: {error.strerror or error}.", remedy="Check the file."
        ) from error
    # Binary formats tell an empty text from a missing cell, and a release is to keep it so.
    frame = without_codes(source.frame, options.null_values, empty=kind.format is Format.CSV)
    return replace(source, frame=frame, sha256=hashlib.sha256(data).hexdigest())


def _read_bytes(data: bytes, kind: FileKind, where: str, options: ReadOptions) -> Source:
    if kind.format is Format.EXCEL:
        if not data.startswith(b"PK"):
            refuse_stranger(data[:64], where)
        return read_workbook(data, where, options)
    if kind.format is not Format.CSV:
        return Source(_read_binary(data, kind.format, where))
    if kind.compressed or is_gzip(data):
        data = _unpack(data, where)
    preferred = "\t" if where.lower().removesuffix(".gz").endswith(".tsv") else ","
    return read_csv_text(data, where, options, preferred)


def _unpack(data: bytes, where: str) -> bytes:
    if not is_gzip(data):
        raise FileError(
            f"{where} is named .gz, but is not a gzip file.", remedy="Remove .gz from its name."
        )
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(
            f"{where} is a damaged or cut-off gzip file.", remedy="Get or make the file again."
        ) from error


def _read_binary(data: bytes, form: Format, where: str) -> pl.DataFrame:
    if not data:
        raise FileError(f"{where} is empty.", remedy="Give a table with at least one row.")
    found = format_of_content(data)
    if found is not form:
        refuse_stranger(data[:64], where)
        raise FileError(
            f"{where} is not a file in the {form} format, though its name says so.",
            remedy=f"It looks like {found}: rename it." if found else "Check what wrote it.",
        )
    source = io.BytesIO(data)
    try:
        if form is Format.PARQUET:
            frame = pl.read_parquet(source)
        elif is_arrow_stream(data):
            frame = pl.read_ipc_stream(source)
        else:
            frame = pl.read_ipc(source)
    except UNREADABLE as error:
        raise FileError(
            f"{where} is a damaged or cut-off {form} file.", remedy="Get or make the file again."
        ) from error
    check_column_names(frame.columns, where)
    if frame.width == 0:
        raise FileError(f"{where} has no columns.", remedy="Give a table with columns.")
    if frame.height == 0:
        raise FileError(
            f"{where} has columns but no rows.", remedy="Give a table with at least one row."
        )
    return frame
