"""Tables in several files: partitioned Parquet folders, and files that a pattern names."""

from __future__ import annotations

import glob
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import polars as pl

from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATTERN = ("*", "?", "[")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_NAMED = 3


def is_pattern(path: str | Path) -> bool:
    """Return whether a path names files by a pattern; a file of that very name is not a pattern."""
    return not Path(path).exists() and any(mark in str(path) for mark in _PATTERN)


def matching_files(path: str | Path) -> list[Path] | None:
    """Return the files that a pattern names, in order; ``None`` if the path is not a pattern.

    Raises
    ------
    FileError
        If it names none.
    """
    text = str(path)
    if not is_pattern(path):
        return None
    found = [Path(one) for one in sorted(glob.glob(text, recursive=True)) if Path(one).is_file()]  # noqa: PTH207 - a whole path
    if not found:
        raise FileError(f"{text} matches no file.", remedy="Check the pattern and the folder.")
    return found


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder and its subfolders, in order.

    Hidden files and those that begin with an underscore are not part of a dataset.

    Raises
    ------
    FileError
        If there is none, or there are other files.
    """
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    others = [path for path in files if path.suffix.lower() != ".parquet"]
    if others or not files:
        named = ", ".join(str(path.relative_to(folder)) for path in others[:_NAMED])
        raise FileError(
            f"{folder} is a folder"
            + (
                f" with other files than Parquet: {named}." if others else " without Parquet files."
            ),
            remedy="Name a file inside it, or a pattern such as 'folder/*.csv'.",
        )
    return files


def with_folder_columns(frame: pl.DataFrame, file: Path, folder: Path) -> pl.DataFrame:
    """Return the table of a file with a column for each folder above it named ``year=2024``.

    Such columns are texts: ``zip=01067`` must not lose its zero.
    """
    keys = [part.partition("=") for part in file.relative_to(folder).parts[:-1] if "=" in part]
    values = {key: None if value == _NO_VALUE else unquote(value) for key, _, value in keys}
    twice = sorted(values.keys() & set(frame.columns))
    if twice:
        raise FileError(
            f"{file}: column {twice[0]!r} is both in the file and in the name of its folder.",
            remedy="Remove one of the two.",
        )
    return frame.with_columns(pl.lit(v, pl.String).alias(k) for k, v in values.items())


def stacked(frames: Sequence[pl.DataFrame], files: Sequence[Path]) -> pl.DataFrame:
    """Return the rows of several tables with the same columns.

    Raises
    ------
    FileError
        If the columns or types of a file differ from those of the first; they are named.
    """
    first = frames[0].schema
    for frame, path in zip(frames, files, strict=True):
        differing = [
            name for name in {**first, **frame.schema} if first.get(name) != frame.schema.get(name)
        ]
        if differing:
            listed = ", ".join(map(repr, differing[:_NAMED]))
            raise FileError(
                f"{path} differs from {files[0]} in {listed}: a column that one of them lacks, or "
                "of another type.",
                remedy="Give files with the same columns and types.",
            )
    return pl.concat([frame.select(first.names()) for frame in frames], rechunk=True)


def checksum_of_files(files: Sequence[Path]) -> str:
    """Return a checksum of several files: the SHA-256 of their own, in order."""
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
