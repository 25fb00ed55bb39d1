"""File formats, told by the suffix of a name or by the first bytes of a content."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shoal.errors import FileError

STANDARD_STREAM = "-"


class Format(StrEnum):
    """How a table is laid out in a file."""

    CSV = "CSV"
    PARQUET = "Parquet"
    ARROW = "Arrow"
    EXCEL = "Excel"


@dataclass(frozen=True, slots=True)
class FileKind:
    """The format of a file, and whether it is compressed with gzip."""

    format: Format
    compressed: bool = False


_SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".txt": Format.CSV,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".ipc": Format.ARROW,
    ".feather": Format.ARROW,
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
}
_KNOWN = ".csv, .tsv, .txt (each also with .gz), .parquet, .arrow, .ipc, .feather, .xlsx"

_SHEETS = (".xls", ".xlsb", ".ods", ".numbers")

_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"

_STRANGERS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook", "Name a workbook .xlsx, or unpack it."),
    (b"\xd0\xcf\x11\xe0", "an old or encrypted Excel workbook", "Save it as .xlsx, unlocked."),
    (b"%PDF", "a PDF document", "Export the table behind it as CSV."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV or Parquet."),
    (b"BZh", "a bzip2 archive", "Unpack it, or pack it with gzip instead."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it, or pack it with gzip instead."),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "Unpack it, or pack it with gzip instead."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it first."),
    (b"\x89PNG", "a PNG image", "Give the table itself."),
    (b"\xff\xd8\xff", "a JPEG image", "Give the table itself."),
    (b"FEA1", "a Feather file of version 1", "Save it again as Parquet or as Feather version 2."),
    (b"$FL2", "an SPSS file", "Export it as CSV or Parquet."),
    (b"\x89HDF", "an HDF5 file", "Export the table as CSV or Parquet."),
)
_MARKUP = ((b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"), (b"<?xml", "XML"))


def file_kind(path: str | Path) -> FileKind:
    """Return the format that the suffix of a name stands for.

    Raises
    ------
    FileError
        If the suffix is unknown; the known ones are listed.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    suffix = "".join(suffixes[:-1][-1:]) if compressed else "".join(suffixes[-1:])
    form = _SUFFIXES.get(suffix)
    if form is None or (compressed and form is not Format.CSV):
        ending = "".join(suffixes[-2:]) if compressed else suffix
        raise FileError(
            f"{path}: " + (f"the suffix {ending} is unknown." if ending else "it has no suffix."),
            remedy=("Save it as .xlsx. " if suffix in _SHEETS else "") + f"Known are {_KNOWN}.",
        )
    return FileKind(form, compressed)


def format_of_content(start: bytes) -> Format | None:
    """Return the binary table format that the first bytes stand for, ``None`` if it is neither."""
    if start.startswith(_PARQUET):
        return Format.PARQUET
    if start.startswith((_ARROW_FILE, _ARROW_STREAM)):
        return Format.ARROW
    return None


def is_gzip(start: bytes) -> bool:
    """Return whether the first bytes are those of a gzip file."""
    return start.startswith(_GZIP)


def is_arrow_stream(start: bytes) -> bool:
    """Return whether the first bytes are those of the Arrow stream format (not the file format)."""
    return start.startswith(_ARROW_STREAM)


def refuse_stranger(start: bytes, where: str) -> None:
    """Raise :class:`FileError` that says what a content is, if it is known and no table."""
    for magic, what, remedy in _STRANGERS:
        if start.startswith(magic):
            raise FileError(f"{where} is not a table: it is {what}.", remedy=remedy)
    opening = start[:64].lstrip().lower()
    for magic, what in _MARKUP:
        if opening.startswith(magic):
            raise FileError(
                f"{where} is not a table: it is {what}.", remedy="Export the table as CSV."
            )
