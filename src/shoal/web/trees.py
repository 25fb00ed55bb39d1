"""Hierarchies as pages show and change them: branches with counts, and values that move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InputError
from shoal.hierarchies import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN = 40
"""Children of a node that a page shows; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree with the records below it.

    Parameters
    ----------
    name
        Its name.
    records
        Records whose value lies below it.
    children
        Its largest children.
    hidden
        How many more children it has.
    """

    name: str
    records: int
    children: tuple[Branch, ...]
    hidden: int


def branches_of(tree: Hierarchy, counts: Mapping[str, int]) -> tuple[Branch, ...]:
    """Return the tree from the root down, the fullest branches first."""
    return (_branch(tree, counts, tree.height, range(len(tree.leaves))),)


def with_leaf_moved(tree: Hierarchy, value: str, group: str) -> Hierarchy:
    """Return the tree with a value in another group of the first level.

    Raises
    ------
    InputError
        If there is no such value or group.
    HierarchyError
        If nothing would be left of the group that the value leaves.
    """
    rows = tree.rows()
    home = next((row for row in rows if tree.height > 1 and row[1] == group), None)
    if value not in tree.position or home is None:
        raise InputError(
            "There is no such value or group.", remedy="Choose both from what the tree shows."
        )
    moved = [(value, *home[1:]) if row[0] == value else row for row in rows]
    return Hierarchy.from_rows(moved)


def _branch(tree: Hierarchy, counts: Mapping[str, int], level: int, leaves: range) -> Branch:
    name = tree.node_names[tree.ancestors[level, leaves.start]]
    records = sum(counts.get(tree.leaves[leaf], 0) for leaf in leaves)
    if level == 0:
        return Branch(name, records, (), 0)
    below = level - 1
    while below > 0 and _parts(tree, below, leaves) == [leaves]:
        below -= 1  # a level that repeats its only group is one node
    parts = _parts(tree, below, leaves)
    if len(parts) == 1 and below == 0 and tree.leaves[leaves.start] == name:
        return Branch(name, records, (), 0)
    children = sorted(
        (_branch(tree, counts, below, part) for part in parts),
        key=lambda child: (-child.records, child.name),
    )
    return Branch(name, records, tuple(children[:SHOWN]), max(0, len(children) - SHOWN))


def _parts(tree: Hierarchy, level: int, leaves: range) -> list[range]:
    nodes = tree.ancestors[level]
    parts: list[range] = []
    start = leaves.start
    for leaf in range(leaves.start + 1, leaves.stop + 1):
        if leaf == leaves.stop or nodes[leaf] != nodes[start]:
            parts.append(range(start, leaf))
            start = leaf
    return parts
