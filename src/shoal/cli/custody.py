"""The custody file: the secrets of a release, for its custodian alone."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.words import read_json
from shoal.errors import FileError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.pipeline.release import Custody

_STANDARD_STREAM = "-"


def refuse_neighbour(custody: str, release: str) -> None:
    """Raise if the custody file would stand in the folder of the release.

    Raises
    ------
    FileError
        Whoever is given the folder would be given the key to the release too.
    """
    if custody == _STANDARD_STREAM:
        raise FileError(
            "The custody file cannot go to standard output.",
            remedy="Name a file that only you can read.",
        )
    if release == _STANDARD_STREAM:
        return
    folders = [os.path.realpath(Path(os.path.realpath(path)).parent) for path in (custody, release)]
    if folders[0] == folders[1]:
        raise FileError(
            f"{custody} would stand beside the release, and it tells whose record is whose.",
            remedy="Keep the custody file in another folder, which is not handed out.",
        )


def checksum(path: str) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum_of_standard_input() -> str:
    """Return the SHA-256 of standard input, which can still be read afterwards."""
    content = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(content))
    return hashlib.sha256(content).hexdigest()


def custody_text(custody: Custody, source: str, release: str) -> str:
    """Return the custody file of a release.

    Parameters
    ----------
    custody
        Row map and seed.
    source, release
        SHA-256 of both files.
    """
    content: dict[str, Any] = {
        "about": "Secrets of a release: keep this file apart from it and to yourself.",
        # As text: many readers of JSON round large numbers.
        "seed": str(custody.seed),
        "source_sha256": source,
        "release_sha256": release,
        "rows": (custody.rows + 1).tolist(),
    }
    if custody.matches is not None:
        content["matches"] = (custody.matches + 1).tolist()
    return json.dumps(content) + "\n"


def read_row_map(path: str) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return for each released row its row in the original, from 0, and the whole custody file.

    Raises
    ------
    FileError
        If the file cannot be read or holds no row map.
    """
    import numpy as np

    content = read_json(path, "custody")
    rows = content.get("rows")
    if not isinstance(rows, list) or not all(type(row) is int and 0 < row < 2**53 for row in rows):
        raise FileError(
            f"The custody {path} holds no row map.", remedy="Name the file that --custody wrote."
        )
    return np.asarray(rows, dtype=np.int64) - 1, content


def matches_of(content: dict[str, Any], path: str) -> NDArray[np.int64] | None:
    """Return for each released row the rows of the original it is matched with, if recorded.

    Raises
    ------
    FileError
        If what the custody file records is no list of equally long lists of numbers.
    """
    import numpy as np

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
            remedy="Name the file that --custody wrote.",
        )
    return read
