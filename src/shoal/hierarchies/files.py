"""Hierarchy files: CSV without a header, one row per leaf, ``leaf,level1,…,*``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import FileError, HierarchyError, nearest
from shoal.hierarchies.groups import group_levels
from shoal.hierarchies.names import ROOT
from shoal.hierarchies.recipe import GROUPS, TREE, Way, file_of
from shoal.hierarchies.tree import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where several fit, that of ARX: it alone names roots otherwise than ``*``.
_SEPARATORS = (";", ",", "\t")
_MARK = "\ufeff"


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read and check a hierarchy file; commas, semicolons (as ARX writes) and tabs are understood.

    ``groups:FILE`` is a grouping table: its first line is a header, its columns are value, group,
    larger group and so on, and the root need not be there. ``tree:ROWS`` is the hierarchy itself,
    as :func:`tree_text` writes it.

    Raises
    ------
    FileError
        If the file cannot be read as UTF-8 text.
    HierarchyError
        If the rows are not a hierarchy; the offending values are named.
    """
    if isinstance(path, str) and path.startswith(TREE):
        return Hierarchy.from_rows(_listed_rows(path.removeprefix(TREE)), where="of the job")
    if isinstance(path, str) and path.startswith(GROUPS):
        table = file_of(path)
        return group_levels(read_rows(table)[1:], where=table)
    return Hierarchy.from_rows(read_rows(path, rooted=True), where=str(path))


def tree_text(tree: Hierarchy) -> str:
    """Return a hierarchy as the text that a job holds; :func:`read_hierarchy` reads it.

    >>> tree_text(Hierarchy.from_rows([["F", "*"], ["M", "*"]]))
    'tree:[["F","*"],["M","*"]]'
    """
    return TREE + json.dumps(tree.rows(), ensure_ascii=False, separators=(",", ":"))


def _listed_rows(text: str) -> list[list[str]]:
    """Return the rows of a hierarchy that are listed in JSON."""
    try:
        rows = json.loads(text)
        if not all(isinstance(cell, str) for row in rows for cell in row):
            raise TypeError
    except (ValueError, TypeError, RecursionError) as error:
        raise HierarchyError(
            "A hierarchy that begins with tree: does not list its rows in JSON.",
            remedy="Copy it from a saved job, or name a file.",
        ) from error
    return [list(row) for row in rows]


def with_star_root(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows of a hierarchy with ``*`` for a root that is called otherwise.

    Rows that end in different groups have no root; they are given back as they are.

    >>> with_star_root([["1", "any"], ["2", "any"]])
    [['1', '*'], ['2', '*']]
    >>> with_star_root([["1", "low"], ["2", "high"]])
    [['1', 'low'], ['2', 'high']]
    """
    one_root = len({row[-1] for row in rows}) == 1 and len({len(row) for row in rows}) == 1
    if one_root and len(rows) > 1 and len(rows[0]) > 1:
        return [[*row[:-1], ROOT] for row in rows]
    return rows


def read_rows(path: str | Path, *, rooted: bool = False) -> list[list[str]]:
    """Return the rows of a hierarchy file, unchecked.

    Parameters
    ----------
    path
        The file.
    rooted
        Whether a root that the file calls otherwise becomes ``*``.

    Raises
    ------
    FileError
        If the file cannot be read as UTF-8 text.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8").removeprefix(_MARK)
    except OSError as error:
        raise FileError(
            f"Cannot read the hierarchy {path}: {error.strerror or error}.",
            remedy=_near_word(str(path)) or "Check the path and its permissions.",
        ) from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"The hierarchy {path} is not UTF-8 text (byte {error.start}).",
            remedy="Save it as UTF-8.",
        ) from error
    try:
        rows = split_rows(text)
        return with_star_root(rows) if rooted else rows
    except csv.Error as error:
        raise FileError(
            f"The hierarchy {path} is not CSV: {error}.", remedy="Check its quotes."
        ) from error


def _near_word(path: str) -> str | None:
    """Return what to do if a file that is not there was meant as a recipe for a hierarchy."""
    word = path.partition(":")[0]
    near = nearest(word, list(Way), cutoff=0.75)
    return f"Name a file that is there, or did you mean {near}?" if near else None


def format_hierarchy(tree: Hierarchy, separator: str = ",") -> str:
    """Return the text of a hierarchy's file, which :func:`read_hierarchy` reads as the same tree.

    Numbers are in ascending order, everything else group by group.
    """
    text = "".join(
        separator.join(_quoted(cell, separator) for cell in row) + "\n"
        for row in _in_order(tree.rows())
    )
    # The mark of UTF-8 is taken off when the file is read; one that belongs to a value stays.
    return _MARK + text if text.startswith(_MARK) else text


def _quoted(cell: str, separator: str) -> str:
    # The csv module leaves a lone carriage return unquoted, and then cannot read it.
    if any(mark in cell for mark in (separator, '"', "\r", "\n")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def split_rows(text: str, separator: str | None = None) -> list[list[str]]:
    """Return the rows of the text of a hierarchy; its separator is found unless it is given."""
    if separator is not None:
        return _split(text, separator)
    return max((_split(text, one) for one in _SEPARATORS), key=_likeness)


def _split(text: str, separator: str) -> list[list[str]]:
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]


def _likeness(rows: Sequence[Sequence[str]]) -> tuple[float, bool, int]:
    """Return how much rows look like a hierarchy.

    How many end in ``*``; whether all are equally long and end alike, as those of ARX do whose
    root has another name; if not, how many cells there are. Labels may hold separators themselves.
    """
    if not rows:
        return 0.0, False, 0
    ends = sum(len(row) > 1 and row[-1] == ROOT for row in rows)
    regular = len({(len(row), row[-1]) for row in rows}) == 1 < len(rows[0])
    return ends / len(rows), regular, 0 if regular else max(map(len, rows))


def _in_order(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    try:
        return sorted(rows, key=lambda row: float(row[0]))
    except ValueError:
        return rows
