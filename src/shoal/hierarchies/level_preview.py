"""What each level of a hierarchy makes of a real column: how many groups, and how large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.hierarchies.tree import Hierarchy


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a hierarchy on a column.

    Parameters
    ----------
    level
        0 for the leaves, the hierarchy's height for the root.
    groups
        Number of groups that hold records.
    empty
        Number of groups that the tree lists but no record falls into.
    smallest, largest
        Records of the smallest and the largest group that holds any.
    examples
        Some groups with their records, from the largest to the smallest.
    """

    level: int
    groups: int
    empty: int
    smallest: int
    largest: int
    examples: tuple[tuple[str, int], ...]


def preview(tree: Hierarchy, counts: Mapping[str, int], examples: int = 3) -> list[Level]:
    """Return what each level makes of a column, leaves first.

    Parameters
    ----------
    tree
        The hierarchy; it must have all values of the column.
    counts
        How many records hold each value; missing cells left out, unless the tree lists them.
    examples
        How many groups to name for each level: the largest, the smallest, and those between.
    """
    levels = []
    for level in range(tree.height + 1):
        names = tree.names(level)
        held: dict[str, int] = dict.fromkeys(names, 0)
        for value, count in counts.items():
            held[names[tree.position[value]]] += count
        full = sorted(
            ((name, count) for name, count in held.items() if count),
            key=lambda group: (-group[1], group[0]),
        )
        sizes = [count for _, count in full] or [0]
        levels.append(
            Level(
                level,
                len(full),
                len(held) - len(full),
                sizes[-1],
                sizes[0],
                tuple(_spread(full, examples)),
            )
        )
    return levels


def _spread(groups: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    if len(groups) <= count or count < 2:
        return groups[:count]
    return [groups[place * (len(groups) - 1) // (count - 1)] for place in range(count)]
