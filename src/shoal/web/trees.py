"""Hierarchies as pages show and change them: branches with counts, and values that move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InputError
from shoal.hierarchies import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWN = 40
"""Children of a node that a page shows at once; more are sent on request."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree with the records below it.

    Parameters
    ----------
    name
        Its name.
    records
        Records whose value lies below it.
    level
        Its level; a leaf has 0.
    first, last
        Its first leaf, and the one after its last.
    """

    name: str
    records: int
    level: int
    first: int
    last: int

    @property
    def is_leaf(self) -> bool:
        """Whether there is nothing below it to show."""
        return self.level == 0


@dataclass(frozen=True, slots=True)
class Branches:
    """Some children of a node, and where the next ones begin, if there are more."""

    shown: tuple[Branch, ...]
    following: int
    hidden: int


class CountedTree:
    """A hierarchy with the records below each of its nodes.

    Parameters
    ----------
    tree
        The hierarchy.
    counts
        Records of each leaf.
    """

    def __init__(self, tree: Hierarchy, counts: Mapping[str, int]) -> None:
        self.tree = tree
        self._below = np.cumsum([0, *(counts.get(leaf, 0) for leaf in tree.leaves)])

    @property
    def root(self) -> Branch:
        """The node above all others."""
        return self._branch(self.tree.height, 0, len(self.tree.leaves))

    def children(self, level: int, first: int, last: int, start: int = 0) -> Branches:
        """Return some children of a node, the fullest first, beginning with number ``start``.

        Raises
        ------
        InputError
            If there is no such node.
        """
        leaves = len(self.tree.leaves)
        if not (0 < level <= self.tree.height and 0 <= first < last <= leaves and start >= 0):
            raise InputError("There is no such branch.", remedy="Reload the page.")
        below = level - 1
        starts = self._starts(below, first, last)
        while below > 0 and len(starts) == 1:
            below -= 1  # a level that repeats its only group is one node
            starts = self._starts(below, first, last)
        ends = [*starts[1:], last]
        found = [self._branch(below, *ends_of) for ends_of in zip(starts, ends, strict=True)]
        found.sort(key=lambda child: (-child.records, child.name))
        end = start + SHOWN
        return Branches(tuple(found[start:end]), end, max(0, len(found) - end))

    def _branch(self, level: int, first: int, last: int) -> Branch:
        name = self.tree.node_names[self.tree.ancestors[level, first]]
        alone = last - first == 1 and self.tree.leaves[first] == name
        records = int(self._below[last] - self._below[first])
        return Branch(name, records, 0 if alone else level, first, last)

    def _starts(self, level: int, first: int, last: int) -> list[int]:
        nodes = np.asarray(self.tree.ancestors[level])[first:last]
        return [first, *(np.flatnonzero(np.diff(nodes)) + first + 1).tolist()]


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
