"""Hierarchy files: CSV without a header, one row a leaf, ``leaf,level1,…,*``."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from shoal.errors import FileError
from shoal.hierarchy.tree import Hierarchy


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read and check a hierarchy file; ``,`` and ``;`` are both understood as separators.

    Raises
    ------
    FileError
        If the file cannot be read as UTF-8 text.
    HierarchyError
        If the rows are not a hierarchy; the offending values are named.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(
            f"Cannot read the hierarchy {path}: {error.strerror or error}.",
            remedy="Check the path and its permissions.",
        ) from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"The hierarchy {path} is not UTF-8 text (byte {error.start}).",
            remedy="Save it as UTF-8.",
        ) from error
    first_line = text.partition("\n")[0]
    separator = ";" if first_line.count(";") > first_line.count(",") else ","
    lines = io.StringIO(text, newline="")
    rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    return Hierarchy.from_rows(rows, where=str(path))
