"""A generalization hierarchy: every leaf with its ancestors up to the root ``*``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import HierarchyError
from shoal.hierarchies.checks import find_faults, find_missing, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of one attribute, all leaves at the same depth.

    Leaves are in depth-first order, so that the leaves below any node are consecutive: a node is an
    interval of leaf positions. Level 0 is the leaf itself, the last level is the root.

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
        """Build the tree from rows ``leaf, level 1, …, *``, one row per leaf.

        Raises
        ------
        HierarchyError
            If rows differ in length, a leaf is listed twice, the last level is not one node,
            equal nodes part at a higher level, or one name stands for two different leaf sets.
            All faults are reported together, and the offending values are named.
        """
        refuse(find_faults(rows), where)
        ordered = sorted(rows, key=lambda row: tuple(reversed(row)))
        levels = [tuple(row[level] for row in ordered) for level in range(len(ordered[0]))]
        nodes: dict[str, int] = {}
        first: list[int] = []
        last: list[int] = []
        ancestors = np.empty((len(levels), len(ordered)), dtype=np.int32)
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
                ancestors[level, start:end] = node
                start = end
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

    def names(self, level: int) -> tuple[str, ...]:
        """Return for each leaf the name of the node above it; level 0 is the leaf itself."""
        return tuple(self.node_names[node] for node in self.ancestors[level].tolist())

    def rows(self) -> list[tuple[str, ...]]:
        """Return rows ``leaf, level 1, …, *`` from which the same tree can be made."""
        return list(zip(*(self.names(level) for level in range(self.height + 1)), strict=True))

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
        for fault in find_missing(self.position, values, column):
            raise HierarchyError(fault.what, remedy=fault.remedy)
