"""Custody: the secrets of a release, and the file in which its custodian keeps them."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import FileError
from shoal.io import STANDARD_STREAM
from shoal.io.databases import is_database
from shoal.pipeline.json_files import read_object

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.pipeline.figures import Figures

_ABOUT = "Secrets of a release: keep this file apart from it and to yourself."


@dataclass(frozen=True, slots=True, eq=False)
class Custody:
    """What must stay with the custodian: whose record is whose, the seed, and exact figures.

    Parameters
    ----------
    rows
        For each released row the row of the source, counted from 0.
    seed
        With the job, it reproduces the release byte for byte.
    matches
        Of a freeform release: for each released row the k rows of the source that it could be.
    notes
        What the custodian should know: what looked odd in the source, and how the run went.
    figures
        What the release lost compared with its original, to the last digit.
    source_sha256
        Checksum of the file that the source was read from. Published, it would confirm guesses
        about a withheld record.
    """

    rows: NDArray[np.int64] = field(repr=False)
    seed: int = field(repr=False)
    matches: NDArray[np.int64] | None = field(repr=False, default=None)
    notes: tuple[str, ...] = ()
    figures: Figures | None = field(repr=False, default=None)
    source_sha256: str | None = field(repr=False, default=None)

    def in_order(self, order: NDArray[np.int64] | None) -> Custody:
        """Return the custody of the release with its rows in another order, if there is one."""
        if order is None:
            return self
        matches = None if self.matches is None else self.matches[order]
        return replace(self, rows=self.rows[order], matches=matches)

    def to_json(self, release_sha256: str) -> str:
        """Return the text of the custody file of a release with this checksum."""
        content: dict[str, Any] = {
            "about": _ABOUT,
            # As text: many readers of JSON round large numbers.
            "seed": str(self.seed),
            "source_sha256": self.source_sha256,
            "release_sha256": release_sha256,
            "notes": list(self.notes),
        }
        if self.figures is not None:
            content["figures"] = self.figures.to_dict()
        content["rows"] = (self.rows + 1).tolist()
        if self.matches is not None:
            content["matches"] = (self.matches + 1).tolist()
        return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def require_separate_folder(custody: str | Path, release: str | Path) -> None:
    """Raise if the custody file would be in the folder of the release, or below it.

    Links are followed: a release may be a link into the folder that is handed out, or out of it.

    Raises
    ------
    FileError
        Whoever gets the folder would get the key to the release too.
    """
    if str(custody) == STANDARD_STREAM:
        raise FileError(
            "The custody file cannot go to standard output.",
            remedy="Name a file that only you can read.",
        )
    if is_database(release):
        from shoal.io.databases.address import DatabaseAddress

        file = DatabaseAddress.of(release).file
        release = STANDARD_STREAM if file is None else file
    if str(release) == STANDARD_STREAM:
        return
    # The folder that a path names, and the one that holds the file it may be a link to.
    secret, handed_out = (
        {Path(os.path.realpath(Path(path).parent)), Path(os.path.realpath(path)).parent}
        for path in (custody, release)
    )
    remedy = "Keep the custody file in another folder, which is not handed out."
    if secret & handed_out:
        raise FileError(
            f"{custody} would be beside the release, but it reveals whose record is whose.",
            remedy=remedy,
        )
    for folder in secret:
        if any(_is_same(above, given) for above in folder.parents for given in handed_out):
            raise FileError(
                f"{custody} would be in the folder of the release, but it reveals whose record is "
                "whose.",
                remedy=remedy,
            )


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths are one folder, also where letter case or mounts differ."""
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False


def checksum(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_row_map(path: str | Path) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return for each released row its row in the original, from 0, and the whole custody file.

    Raises
    ------
    FileError
        If the file cannot be read or holds no row map.
    """
    content = read_object(path, "custody")
    rows = content.get("rows")
    if isinstance(content.get("row_map"), str):
        rows = _stored_rows(Path(path).parent / Path(content["row_map"]).name)
    if not isinstance(rows, list) or not all(type(row) is int and 0 < row < 2**53 for row in rows):
        raise FileError(
            f"The custody {path} holds no row map.", remedy="Name the custody file of a release."
        )
    return np.asarray(rows, dtype=np.int64) - 1, content


def _stored_rows(file: Path) -> list[int]:
    """Return the row map that a large release has in a Parquet file beside its custody file."""
    import polars as pl

    try:
        rows: list[int] = pl.read_parquet(file)["row"].to_list()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(
            f"The row map {file} cannot be read.", remedy="Keep it beside its custody file."
        ) from error
    return rows


def matches_of(content: dict[str, Any], path: str | Path) -> NDArray[np.int64] | None:
    """Return for each released row the rows of the original it is matched with, if recorded.

    Raises
    ------
    FileError
        If what the custody file records is not a list of equally long lists of numbers.
    """
    matches = content.get("matches")
    if matches is None:
        return None
    try:
        read = np.asarray(matches, dtype=np.int64) - 1
    except (ValueError, TypeError, OverflowError):
        read = np.empty(0, dtype=np.int64)
    if read.ndim != 2:
        raise FileError(
            f"The custody {path} holds no matches of records.",
            remedy="Name the custody file of a release.",
        )
    return read


def figures_of(content: dict[str, Any]) -> dict[str, Any] | None:
    """Return the exact figures that a custody file records, if it does."""
    figures = content.get("figures")
    return figures if isinstance(figures, dict) else None


def mismatched_files(
    content: dict[str, Any], *, source: str, release: str, companion: str = "custody file was"
) -> list[str]:
    """Return a note for each of the two files that a custody or facts file was not written for."""
    return [
        f"{path} is not the {noun} that the {companion} written for."
        for noun, path in (("source", source), ("release", release))
        if content.get(f"{noun}_sha256") is not None
        and Path(path).is_file()  # neither a stream nor a table of a database
        and content[f"{noun}_sha256"] != checksum(path)
    ]
