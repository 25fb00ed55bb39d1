"""Reading of tables from files and from standard input."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import FileError
from shoal.io.delimited import check_column_names, check_delimited, separator_named
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

if TYPE_CHECKING:
    from collections.abc import Sequence

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UNREADABLE = (pl.exceptions.PolarsError, OSError, ValueError, pl.exceptions.PanicException)


def read_table(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    null_values: Sequence[str] = (),
) -> pl.DataFrame:
    """Read a table from a file.

    The suffix tells the format: ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``),
    ``.parquet``, ``.arrow``, ``.ipc``, ``.feather``. ``-`` reads standard input: CSV, or Parquet
    or Arrow when its first bytes say so.

    Parameters
    ----------
    path
        The file, or ``-``.
    separator
        Separator of a CSV file; ``None`` finds it among ``, ; tab |``.
    encoding
        Encoding of a CSV file.
    null_values
        Texts that stand for a missing cell, besides the empty field.

    Returns
    -------
    polars.DataFrame
        Columns of a CSV file are text, as the file spells them, with empty fields missing; no
        type is guessed. Parquet and Arrow columns keep their types.

    Raises
    ------
    FileError
        If the file cannot be read, or is not a table with at least one record. The error says
        what is wrong, in which line or row, and what to do.

    Notes
    -----
    Time and memory are linear in the size of the file, about a second a million records.
    """
    where = "Standard input" if str(path) == STANDARD_STREAM else str(path)
    try:
        if str(path) == STANDARD_STREAM:
            if sys.stdin is None:
                raise FileError("There is no standard input.", remedy="Name a file.")
            data = sys.stdin.buffer.read()
            kind = _kind_of_stream(data)
            frame = _read_bytes(data, kind, where, separator, encoding)
        else:
            kind = file_kind(path)
            data = Path(path).read_bytes()
            frame = _read_bytes(data, kind, where, separator, encoding)
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
    return _without(frame, null_values if kind.format is not Format.CSV else ["", *null_values])


def _kind_of_stream(data: bytes) -> FileKind:
    return FileKind(format_of_content(data) or Format.CSV, is_gzip(data))


def _read_bytes(
    data: bytes, kind: FileKind, where: str, separator: str | None, encoding: str
) -> pl.DataFrame:
    if kind.format is not Format.CSV:
        return _read_binary(data, kind.format, where)
    if kind.compressed or is_gzip(data):
        data = _unpack(data, where)
    text = _as_utf8(data, where, encoding)
    preferred = "\t" if where.lower().removesuffix(".gz").endswith(".tsv") else ","
    layout = check_delimited(
        text, where, separator_named(separator) if separator else None, preferred
    )
    schema = dict.fromkeys(layout.names, pl.String)
    if layout.rows is not None:
        return pl.DataFrame(layout.rows, schema=schema, orient="row")
    body = text[layout.body : layout.end]
    # The reader takes a mark at the start for that of the file; here it belongs to a cell.
    marked = body.startswith(_UTF8_MARK)
    if marked:
        body = b'""' + layout.separator.encode() * (len(layout.names) - 1) + b"\n" + body
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            schema=schema,
            separator=layout.separator,
            quote_char='"',
        )
    except _UNREADABLE as error:
        raise FileError(f"{where} cannot be read as CSV.", remedy="Check its quotes.") from error
    frame = frame[1:] if marked else frame
    if frame.height != layout.records:
        raise FileError(
            f"{where}: {layout.records} records were counted, but {frame.height} were read.",
            remedy="Check the quotes of the file, or give it as Parquet.",
        )
    return frame


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


def _as_utf8(data: bytes, where: str, encoding: str) -> bytes:
    """Return the text in UTF-8 without its byte order mark, lines ending in newlines."""
    try:
        plain = "".encode(encoding) == b"" and _is_utf8(encoding)
    except LookupError as error:
        raise FileError(
            f"The encoding {encoding!r} is unknown.",
            remedy="Usual ones are utf-8, latin-1, cp1252 and utf-16.",
        ) from error
    if plain and data.startswith(_UTF16_MARKS):
        plain, encoding = False, "utf-16"
    if plain:
        data = data.removeprefix(_UTF8_MARK)
    _refuse_binary(data, where, text_expected=plain)
    try:
        if plain:
            data.decode("utf-8")
        else:
            data = data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong_encoding(data, where, encoding, error) from error
    except UnicodeError as error:
        raise FileError(
            f"{where} is not {encoding} text.", remedy="Give its encoding with `encoding`."
        ) from error
    if b"\0" in data:
        raise _not_text(where)
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "ascii")


def _refuse_binary(data: bytes, where: str, *, text_expected: bool) -> None:
    refuse_stranger(data[:64], where)
    form = format_of_content(data)
    if form is not None and text_expected:
        suffix = ".parquet" if form is Format.PARQUET else ".arrow"
        raise FileError(
            f"{where} is not CSV: it is a file in the {form} format.",
            remedy=f"Rename it to end in {suffix}.",
        )
    if text_expected and b"\0" in data:
        raise _not_text(where)


def _not_text(where: str) -> FileError:
    return FileError(
        f"{where} is not a table: it holds NUL bytes, so it is binary or UTF-16 text.",
        remedy="Give CSV, Parquet or Arrow; for UTF-16 text add `encoding='utf-16'`.",
    )


def _wrong_encoding(data: bytes, where: str, encoding: str, error: UnicodeDecodeError) -> FileError:
    line = data.count(b"\n", 0, error.start) + 1
    byte = data[error.start]
    return FileError(
        f"{where} is not {encoding} text: byte 0x{byte:02x} in line {line} (byte "
        f"{error.start + 1} of the file) does not fit.",
        remedy="Give its encoding, most likely `encoding='cp1252'` or `encoding='latin-1'`."
        if encoding.lower().replace("-", "") == "utf8"
        else "Give the encoding it was written in; without `encoding` it is read as utf-8.",
    )


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
    except _UNREADABLE as error:
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


def _without(frame: pl.DataFrame, null_values: Sequence[str]) -> pl.DataFrame:
    """Return the frame with the texts that stand for a missing cell replaced by null."""
    missing = pl.Series(null_values, dtype=pl.String)
    replaced = []
    for series in frame:
        if series.dtype == pl.String:
            marked = series.is_in(missing.implode())
            if marked.any():
                replaced.append(series.set(marked, None))
    return frame.with_columns(replaced)
