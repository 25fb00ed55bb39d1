"""Whether an output can be written, checked before any work is done."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import FileError
from shoal.io.address import refuse_address
from shoal.io.compression import Compression
from shoal.io.databases import is_database
from shoal.io.datasets import is_pattern, matching_files
from shoal.io.extras import extra_module
from shoal.io.formats import STANDARD_STREAM, FileKind, Format, file_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.io.databases.write import IfExists


def check_output(
    path: str | Path,
    force: bool = False,  # noqa: FBT001 - the flag of the command line, by its name
    *,
    table: bool = True,
    inputs: Sequence[str | Path] = (),
    others: Sequence[str | Path] = (),
    if_exists: IfExists = "fail",
) -> None:
    """Raise before any work is done if an output could not be written in the end.

    Parameters
    ----------
    path
        The output, or ``-`` for standard output.
    force
        Whether an existing file may be replaced.
    table
        Whether it is a table, so that its suffix must name a format.
    inputs
        Files that are read; no output may replace one of them, ``force`` or not.
    others
        The other outputs of the same run.
    if_exists
        What to do if the table exists in the database.

    Raises
    ------
    FileError
        If the suffix is unknown, the folder is missing or not writable, the file exists and
        ``force`` is not set, or it is one of ``inputs`` or ``others``.
    """
    if str(path) == STANDARD_STREAM:
        if any(str(other) == STANDARD_STREAM for other in others):
            raise FileError(
                "Two outputs go to standard output.", remedy="Give one of them a file name."
            )
        return
    if table and is_database(path):
        from shoal.io.databases.write import check_destination

        check_destination(path, if_exists, inputs)
        return
    refuse_address(path)
    if table and not Path(path).is_dir():
        _require_packages(file_kind(path, written=True), str(path))
    refuse_input(path, inputs)
    for other in others:
        if any(_same_file(path, file) for file in _files_of(other)):
            raise FileError(
                f"Two outputs are the same file: {path}.", remedy="Give each its own name."
            )
    check_place(place_of(path), str(path))
    if not force and os.path.lexists(path):
        raise FileError(
            f"{path} exists.", remedy="Choose another name, or replace it with `force`."
        )


def _require_packages(kind: FileKind, where: str) -> None:
    """Raise now, not after the work, if a format needs a package that is not installed."""
    if kind.format is Format.EXCEL:
        extra_module("xlsxwriter", "excel", where)
    if kind.compression is Compression.ZSTD:
        extra_module("zstandard", "zstd", where)


def refuse_input(path: str | Path, inputs: Sequence[str | Path]) -> None:
    """Raise if an output is what is read, or would be read the next time.

    Raises
    ------
    FileError
        If it is a file that is read, by its own name or by a pattern, or lies in a folder that is.
    """
    for read in inputs:
        if not is_database(read) and Path(read).is_dir():
            if place_of(path).is_relative_to(place_of(read)):
                raise FileError(
                    f"{path} lies in {read}, the folder that is read.",
                    remedy="Write to another folder, or the next run would read the release too.",
                )
        elif _matches(path, read):
            raise FileError(
                f"{path} matches {read}, the pattern of the files that are read.",
                remedy="Choose another name, or the next run would read the release too.",
            )
        elif any(_same_file(path, file) for file in _files_of(read)):
            raise FileError(
                f"{path} is an input and an output at once.",
                remedy="Write to another file: the original is needed to verify the release.",
            )


def _matches(path: str | Path, read: str | Path) -> bool:
    """Return whether a new file would be one of those that a pattern names."""
    if is_database(read) or str(read) == STANDARD_STREAM or Path(path).exists():
        return False
    return is_pattern(read) and place_of(path).match(str(Path(read).absolute()))


def _files_of(address: str | Path) -> list[Path]:
    """Return the files that an address leads to; none for a stream or a server."""
    if str(address) == STANDARD_STREAM:
        return []
    if is_database(address):
        from shoal.io.databases.address import DatabaseAddress

        file = DatabaseAddress.of(address).file
        return [] if file is None else [file]
    try:
        return matching_files(address) or [Path(address)]
    except FileError:  # a pattern that matches no file; the reader says so
        return []


def place_of(path: str | Path) -> Path:
    """Return the file a path leads to: links are followed, so that they stay links."""
    return Path(os.path.realpath(path))


def _same_file(one: str | Path, another: str | Path) -> bool:
    if place_of(one) == place_of(another):
        return True
    try:
        return Path(one).samefile(another)
    except OSError:
        return False


def check_place(place: Path, shown: str) -> None:
    """Raise if no regular file can be written at a place.

    Raises
    ------
    FileError
        If the folder is missing or not writable, or something other than a file is there.
    """
    folder = place.parent
    if not folder.is_dir():
        raise FileError(
            f"{shown} cannot be written: the folder {folder} does not exist.",
            remedy="Create the folder first.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(
            f"{shown} cannot be written: you have no permission to write to the folder {folder}.",
            remedy="Choose another folder, or change its permissions.",
        )
    try:
        mode = place.stat().st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        raise FileError(f"{shown} is a folder.", remedy="Name a file inside it.")
    if not stat.S_ISREG(mode):
        raise FileError(
            f"{shown} is not a regular file.", remedy="Name a file, or - for standard output."
        )
