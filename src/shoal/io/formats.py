"""File formats, detected by the suffix of a name or the first bytes of a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shoal.errors import FileError
from shoal.io.compression import Compression, compression_of_suffix

STANDARD_STREAM = "-"


class Format(StrEnum):
    """How a table is laid out in a file."""

    CSV = "CSV"
    JSON_LINES = "JSON lines"
    PARQUET = "Parquet"
    ARROW = "Arrow"
    EXCEL = "Excel"
    STATISTICAL = "SPSS, Stata or SAS"


@dataclass(frozen=True, slots=True)
class FileKind:
    """The format of a file, and how it is packed."""

    format: Format
    compression: Compression | None = None


SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".txt": Format.CSV,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".ipc": Format.ARROW,
    ".feather": Format.ARROW,
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
    ".sav": Format.STATISTICAL,
    ".zsav": Format.STATISTICAL,
    ".por": Format.STATISTICAL,
    ".dta": Format.STATISTICAL,
    ".sas7bdat": Format.STATISTICAL,
    ".xpt": Format.STATISTICAL,
}
_KNOWN = ".csv, .tsv, .txt, .jsonl (each also with .gz and .zst), .parquet, .arrow, .feather, .xlsx"
_READ_ONLY = ".sav, .por, .dta, .sas7bdat, .xpt"

_SHEETS = (".xls", ".xlsb", ".ods", ".numbers")

_PARQUET = b"PAR1"
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"

_STRANGERS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook", "Name a workbook .xlsx, or unpack it."),
    (b"\xd0\xcf\x11\xe0", "an old or encrypted Excel workbook", "Save it as .xlsx, unlocked."),
    (b"%PDF", "a PDF document", "Export the table behind it as CSV."),
    (b"SQLite format 3", "an SQLite database", "Name it as sqlite:///FILE."),
    (b"BZh", "a bzip2 archive", "Unpack it, or pack it with gzip or zstd."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it, or pack it with gzip or zstd."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it first."),
    (b"\x89PNG", "a PNG image", "Give the table itself."),
    (b"\xff\xd8\xff", "a JPEG image", "Give the table itself."),
    (b"FEA1", "a Feather file of version 1", "Save it again as Parquet or as Feather version 2."),
    (b"$FL2", "an SPSS file", "Name it .sav."),
    (b"\x89HDF", "an HDF5 file", "Export the table as CSV or Parquet."),
)
_MARKUP = ((b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"), (b"<?xml", "XML"))


def file_kind(path: str | Path, *, written: bool = False) -> FileKind:
    """Return the format that the suffix of a name stands for.

    Parameters
    ----------
    path
        The file.
    written
        Whether it is to be written; some formats are only read.

    Raises
    ------
    FileError
        If the suffix is unknown; the known ones are listed.
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    compression = compression_of_suffix(suffixes[-1]) if suffixes else None
    suffix = "".join(suffixes[:-1][-1:]) if compression else "".join(suffixes[-1:])
    form = SUFFIXES.get(suffix)
    if form is None or (compression and form not in (Format.CSV, Format.JSON_LINES)):
        ending = "".join(suffixes[-2:]) if compression else suffix
        raise FileError(
            f"{path}: " + (f"the suffix {ending} is unknown." if ending else "it has no suffix."),
            remedy=("Save it as .xlsx. " if suffix in _SHEETS else "")
            + f"Known suffixes are {_KNOWN}"
            + ("." if written else f", {_READ_ONLY}."),
        )
    if written and (form is Format.STATISTICAL or suffix == ".xlsm"):
        raise FileError(
            f"{path}: {suffix} files can be read, but not written.", remedy=f"Write {_KNOWN}."
        )
    return FileKind(form, compression)


def is_text(path: str | Path) -> bool:
    """Return whether a name is that of CSV text, packed or not; a stream is."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and compression_of_suffix(suffixes[-1]):
        suffixes.pop()
    return str(path) == STANDARD_STREAM or SUFFIXES.get("".join(suffixes[-1:])) is Format.CSV


def format_of_content(start: bytes) -> Format | None:
    """Return the binary table format that the first bytes stand for, ``None`` if it is neither."""
    if start.startswith(_PARQUET):
        return Format.PARQUET
    if start.startswith((_ARROW_FILE, _ARROW_STREAM)):
        return Format.ARROW
    return None


def is_arrow_stream(start: bytes) -> bool:
    """Return whether the first bytes are those of the Arrow stream format (not the file format)."""
    return start.startswith(_ARROW_STREAM)


def reject_non_table(start: bytes, where: str) -> None:
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
