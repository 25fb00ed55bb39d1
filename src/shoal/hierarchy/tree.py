"""A generalization hierarchy: every leaf with its ancestors up to the root ``*``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ROOT = "*"
_NAMED_IN_ERRORS = 5


def name_some(values: Iterable[str]) -> str:
    """Return the first few values, quoted, and how many more there are."""
    listed = list(values)
    shown = ", ".join(repr(value) for value in listed[:_NAMED_IN_ERRORS])
    rest = len(listed) - _NAMED_IN_ERRORS
    return f"{shown} and {rest} more" if rest > 0 else shown


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of one attribute, all leaves at the same depth.

    Leaves stand in depth-first order, so that the leaves below any node are consecutive: a node
    is an interval of leaf positions. Level 0 is the leaf itself, the last level is the root.

    Parameters
    ----------
    leaves
        Values in depth-first order.
    ancestors
        ``ancestors[level, leaf]``: position of the node above that leaf in ``node_names``. A node
        whose leaf set is the same at several levels is one node.
    node_names, node_first, node_last
        Name and leaf interval (both ends included) of each node.
    """

    leaves: tuple[str, ...]
    ancestors: NDArray[np.int32]
    node_names: tuple[str, ...]
    node_first: NDArray[np.int32]
    node_last: NDArray[np.int32]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[str]], where: str = "hierarchy") -> Hierarchy:
        """Build the tree from rows ``leaf, level 1, …, *``, one row a leaf.

        Raises
        ------
        HierarchyError
            If rows differ in length, a leaf is listed twice, the last level is not one node,
            equal nodes part at a higher level, or one name stands for two different leaf sets.
            The offending values are named.
        """
        _check_shape(rows, where)
        ordered = sorted(rows, key=lambda row: tuple(reversed(row)))
        levels = [tuple(row[level] for row in ordered) for level in range(len(ordered[0]))]
        _check_nesting(levels, where)

        nodes: dict[str, int] = {}
        first: list[int] = []
        last: list[int] = []
        ancestors = np.empty((len(levels), len(ordered)), dtype=np.int32)
        clashes: list[str] = []
        for level, names in enumerate(levels):
            start = 0
            for end in range(1, len(names) + 1):
                if end < len(names) and names[end] == names[start]:
                    continue
                name = names[start]
                node = nodes.setdefault(name, len(first))
                if node == len(first):
                    first.append(start)
                    last.append(end - 1)
                elif (first[node], last[node]) != (start, end - 1):
                    clashes.append(name)
                ancestors[level, start:end] = node
                start = end
        if clashes:
            raise HierarchyError(
                f"{where}: the same name stands for different groups of values at different "
                f"levels: {name_some(dict.fromkeys(clashes))}.",
                remedy="Rename the groups so that every name has one meaning.",
            )
        return cls(
            leaves=levels[0],
            ancestors=ancestors,
            node_names=tuple(nodes),
            node_first=np.array(first, dtype=np.int32),
            node_last=np.array(last, dtype=np.int32),
        )

    @property
    def height(self) -> int:
        """Number of generalization steps from a leaf to the root."""
        return len(self.ancestors) - 1

    @cached_property
    def position(self) -> dict[str, int]:
        """Leaf position of each value."""
        return {leaf: place for place, leaf in enumerate(self.leaves)}

    @cached_property
    def node_of_name(self) -> dict[str, int]:
        """Node position of each name."""
        return {name: node for node, name in enumerate(self.node_names)}

    def require(self, values: Iterable[str], column: str) -> None:
        """Raise :class:`HierarchyError` that names the values this tree lacks."""
        absent = sorted(set(values) - self.position.keys())
        if absent:
            raise HierarchyError(
                f"The hierarchy of column {column!r} lacks {len(absent)} of its values: "
                f"{name_some(absent)}.",
                remedy="Add a row for each of them, ending in *.",
            )


def _check_shape(rows: Sequence[Sequence[str]], where: str) -> None:
    if not rows:
        raise HierarchyError(
            f"{where}: the hierarchy is empty.",
            remedy="Write a line leaf,level1,…,* for each value.",
        )
    width = len(rows[0])
    uneven = [number for number, row in enumerate(rows, start=1) if len(row) != width]
    if uneven:
        raise HierarchyError(
            f"{where}: row 1 has {width} levels, but {len(uneven)} rows have another number, "
            f"the first is row {uneven[0]}.",
            remedy="Repeat a name on several levels where a branch is shorter.",
        )
    seen: set[str] = set()
    twice = [row[0] for row in rows if row[0] in seen or seen.add(row[0])]  # type: ignore[func-returns-value]
    if twice:
        raise HierarchyError(
            f"{where}: listed more than once: {name_some(dict.fromkeys(twice))}.",
            remedy="Keep one row for each value.",
        )
    unnamed = [number for number, row in enumerate(rows, start=1) if row[0] and "" in row]
    if unnamed:
        raise HierarchyError(
            f"{where}: {len(unnamed)} rows have a group without a name, the first is row "
            f"{unnamed[0]}.",
            remedy="Name every group: an empty cell of a release is a missing value.",
        )
    if width < 2 or any(row[-1] != ROOT for row in rows):
        raise HierarchyError(
            f"{where}: the last level must be {ROOT} in every row.",
            remedy=f"Write leaf,level1,…,{ROOT} on each line.",
        )


def _check_nesting(levels: Sequence[tuple[str, ...]], where: str) -> None:
    for level in range(1, len(levels) - 1):
        parent: dict[str, str] = {}
        torn = [
            low
            for low, high in zip(levels[level], levels[level + 1], strict=True)
            if parent.setdefault(low, high) != high
        ]
        if torn:
            raise HierarchyError(
                f"{where}: groups of level {level} lie in more than one group of level "
                f"{level + 1}: {name_some(dict.fromkeys(torn))}.",
                remedy="A group must lie in one group of the next level.",
            )
