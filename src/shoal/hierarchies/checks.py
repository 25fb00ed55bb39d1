"""What is wrong with the rows of a hierarchy, all of it, with the offending values named."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.names import ROOT, name_some

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault.

    Parameters
    ----------
    kind
        One word: ``empty``, ``uneven``, ``duplicate``, ``unnamed``, ``root``, ``non-nested``,
        ``ambiguous`` or ``missing``.
    what, remedy
        What is wrong, and what to do about it.
    values
        All offending values or groups, where they have names.
    """

    kind: str
    what: str
    remedy: str
    values: tuple[str, ...] = ()


def refuse(faults: Iterable[Fault], where: str) -> None:
    """Raise :class:`HierarchyError` that names all faults, if there are any."""
    found = list(faults)
    if found:
        raise HierarchyError(
            f"{where}: " + " Also: ".join(fault.what for fault in found),
            remedy=" ".join(dict.fromkeys(fault.remedy for fault in found)),
        )


def find_faults(rows: Sequence[Sequence[str]]) -> list[Fault]:
    """Return everything that keeps rows ``leaf, level 1, …, *`` from being a hierarchy."""
    if not rows:
        return [
            Fault(
                "empty",
                "the hierarchy is empty.",
                "Write a line leaf,level1,…,* for each value.",
            )
        ]
    faults = [*_uneven(rows), *_duplicates(rows), *_unnamed(rows), *_rootless(rows)]
    if any(fault.kind == "uneven" for fault in faults):
        return faults  # without common levels there is no telling what lies in what
    first = list({row[0]: row for row in reversed(rows)}.values())
    levels = list(zip(*first, strict=True))
    torn = list(_torn(levels))
    return [*faults, *torn, *([] if torn else _ambiguous(levels))]


def find_missing(leaves: Iterable[str], values: Iterable[str], column: str) -> list[Fault]:
    """Return the fault that a hierarchy lacks values of a column, if it does."""
    absent = tuple(sorted(set(values) - set(leaves)))
    if not absent:
        return []
    return [
        Fault(
            "missing",
            f"The hierarchy of column {column!r} lacks {len(absent)} of its values: "
            f"{name_some(absent)}.",
            "Add a row for each of them, ending in *.",
            absent,
        )
    ]


def _uneven(rows: Sequence[Sequence[str]]) -> Iterator[Fault]:
    width = len(rows[0])
    uneven = [number for number, row in enumerate(rows, start=1) if len(row) != width]
    if uneven:
        yield Fault(
            "uneven",
            f"row 1 has {width} levels, but {len(uneven)} rows have another number, "
            f"the first is row {uneven[0]}.",
            "Repeat a name on several levels where a branch is shorter.",
        )


def _duplicates(rows: Sequence[Sequence[str]]) -> Iterator[Fault]:
    twice = tuple(leaf for leaf, times in Counter(row[0] for row in rows).items() if times > 1)
    if twice:
        yield Fault(
            "duplicate",
            f"listed more than once: {name_some(twice)}.",
            "Keep one row for each value.",
            twice,
        )


def _unnamed(rows: Sequence[Sequence[str]]) -> Iterator[Fault]:
    # A missing value may be a leaf, but no group: an empty cell of a release is a missing value.
    unnamed = [number for number, row in enumerate(rows, start=1) if row[0] and "" in row]
    if unnamed:
        yield Fault(
            "unnamed",
            f"{len(unnamed)} rows have a group without a name, the first is row {unnamed[0]}.",
            "Name every group: an empty cell of a release is a missing value.",
        )


def _rootless(rows: Sequence[Sequence[str]]) -> Iterator[Fault]:
    if any(len(row) < 2 or row[-1] != ROOT for row in rows):
        yield Fault(
            "root",
            f"the last level must be {ROOT} in every row, or one other name for all.",
            f"Write leaf,level1,…,{ROOT} on each line.",
        )


def _torn(levels: Sequence[Sequence[str]]) -> Iterator[Fault]:
    for level in range(1, len(levels) - 1):
        parent: dict[str, str] = {}
        torn = tuple(
            dict.fromkeys(
                low
                for low, high in zip(levels[level], levels[level + 1], strict=True)
                if parent.setdefault(low, high) != high
            )
        )
        if torn:
            yield Fault(
                "non-nested",
                f"groups of level {level} lie in more than one group of level {level + 1}: "
                f"{name_some(torn)}.",
                "A group must lie in one group of the next level.",
                torn,
            )


def _ambiguous(levels: Sequence[Sequence[str]]) -> Iterator[Fault]:
    meaning: dict[str, tuple[int, ...]] = {}
    clashes: dict[str, None] = {}
    for names in levels:
        members: dict[str, list[int]] = {}
        for leaf, name in enumerate(names):
            members.setdefault(name, []).append(leaf)
        for name, below in members.items():
            if meaning.setdefault(name, tuple(below)) != tuple(below):
                clashes[name] = None
    if clashes:
        yield Fault(
            "ambiguous",
            f"the same name stands for different groups of values at different levels: "
            f"{name_some(clashes)}.",
            "Rename the groups so that every name has one meaning.",
            tuple(clashes),
        )
