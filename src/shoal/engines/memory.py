"""Memory: what the disk engine may take, and what a run in memory will need before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import FileError, ParameterError
from shoal.io.datasets import matching_files, parquet_files
from shoal.io.formats import Format, file_kind
from shoal.io.opening import find_opening, parsed_records, separator_named
from shoal.limits.memory import rooms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.limits.memory import Room
    from shoal.options import Job

_LEAST = 512 << 20
_MOST_BY_DEFAULT = 4 << 30
# Peaks of resident memory, measured from 500,000 x 4 to 2,000,000 x 8: libraries, then bytes for
# each record, each cell of a quasi-identifier and each other cell, and each letter of long texts.
_FIXED = 130 << 20
_PER_RECORD, _PER_QUASI, _PER_OTHER = 80, 54, 45
_SHORT, _PER_LETTER = 13, 2
_SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TableShape:
    """How large a stored table is: records (of a CSV file: estimated), columns and bytes."""

    records: int
    columns: int
    size: int


def memory_for_disk(gigabytes: float | None) -> int:
    """Return the bytes that the disk engine may take: as set, or half of what is free."""
    if gigabytes is not None:
        return int(gigabytes * 2**30)
    free = min((room.free for room in rooms()), default=2 * _MOST_BY_DEFAULT)
    return max(_LEAST, min(_MOST_BY_DEFAULT, free // 2))


def shape_of(path: str, job: Job) -> TableShape | None:
    """Return the shape of a table in CSV or Parquet files; ``None`` for whatever else it is.

    Parameters
    ----------
    path
        A file, a pattern, or a folder of Parquet files.
    job
        How they are read.
    """
    try:
        folder = Path(path)
        files = parquet_files(folder) if folder.is_dir() else matching_files(path)
    except (FileError, OSError, ValueError):
        return None  # reading it will report what is wrong
    shapes = [_shape_of_file(file, job) for file in files or [folder]]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    return TableShape(
        sum(shape.records for shape in known),
        max(shape.columns for shape in known),
        sum(shape.size for shape in known),
    )


def _shape_of_file(file: Path, job: Job) -> TableShape | None:
    try:
        kind = file_kind(file)
        size = file.stat().st_size if file.is_file() else 0
    except (FileError, OSError, ValueError):
        return None
    if not size or kind.compression is not None:
        return None
    if kind.format is Format.PARQUET:
        return _shape_of_parquet(file, size)
    return _shape_of_csv(file, size, job) if kind.format is Format.CSV else None


def _shape_of_parquet(file: Path, size: int) -> TableShape | None:
    try:
        read = pl.scan_parquet(file)
        records = read.select(pl.len()).collect().item()
        return TableShape(records, len(read.collect_schema()), size)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None  # reading it will report what is wrong


def _shape_of_csv(file: Path, size: int, job: Job) -> TableShape | None:
    with file.open("rb") as opened:
        sample = opened.read(_SAMPLE_BYTES)
    try:
        separator = separator_named(job.separator) if job.separator else None
        opening = find_opening(sample, str(file), separator, header=job.header)
        first = next(parsed_records(sample[opening.start :], opening.separator), [])
    except (FileError, ValueError):
        return None
    return TableShape(size * max(sample.count(b"\n"), 1) // len(sample), len(first), size)


def predict_memory(shape: TableShape, quasi: int) -> int:
    """Return the bytes that a run in memory takes at its peak, within 30 %.

    Parameters
    ----------
    quasi
        How many of the columns are quasi-identifiers.
    """
    others = max(shape.columns - quasi, 0)
    each = _PER_RECORD + _PER_QUASI * quasi + _PER_OTHER * others
    letters = max(0, shape.size - _SHORT * shape.records * shape.columns)
    return _FIXED + each * shape.records + _PER_LETTER * letters


def _fits_whatever_its_shape(path: str, free: int) -> bool:
    """Return whether no table in a CSV file of this size could need more than what is free.

    A cell takes a byte at least, its separator.
    """
    file = Path(path)
    try:
        kind = file_kind(file)
        size = file.stat().st_size if file.is_file() else 0
    except (FileError, OSError, ValueError):
        return False
    if kind.format is not Format.CSV or kind.compression is not None:
        return False
    return _FIXED + (_PER_RECORD + max(_PER_QUASI, _PER_OTHER) + _PER_LETTER) * size <= free


def require_room(path: str, job: Job, there: Sequence[Room] | None = None) -> None:
    """Raise before a table is read that would not fit into memory.

    Parameters
    ----------
    there
        The memory there is, by default what the system reports.

    Raises
    ------
    ParameterError
        If what is free is less than what a run will need.
    """
    free = min((room.free for room in (rooms() if there is None else there)), default=None)
    if free is None or _fits_whatever_its_shape(path, free):
        return
    shape = shape_of(path, job)
    if shape is None:
        return
    needed = predict_memory(shape, len(job.quasi))
    if needed > free:
        raise ParameterError(
            f"This table of about {shape.records:,} records needs about {needed / 2**30:.1f} GB "
            f"of memory, but only {free / 2**30:.1f} GB are free.",
            remedy="Work on disk with `engine='disk'`, which needs far less, or drop columns "
            "that nobody needs.",
        )
