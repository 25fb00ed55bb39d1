"""Grouping tables: places, occupations, diagnoses, anything that is listed with its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.names import ROOT
from shoal.hierarchies.tree import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence


def group_levels(rows: Sequence[Sequence[str]], where: str = "The grouping table") -> Hierarchy:
    """Return the tree of a table whose columns are leaf, group, group of groups and so on.

    All its leaves become part of the tree, also those that no record holds. Rows may repeat; the
    root is added where the table ends without it.

    Raises
    ------
    HierarchyError
        If a leaf is in different groups, groups do not nest, or a name has two meanings.
    """
    if any(len(row) < 2 for row in rows):
        raise HierarchyError(
            f"{where}: it has one column, but no groups.",
            remedy="Give a table whose columns are value, group, larger group, …",
        )
    distinct = list(dict.fromkeys(map(tuple, rows)))
    rooted = bool(distinct) and all(row[-1] == ROOT for row in distinct)
    return Hierarchy.from_rows([row if rooted else (*row, ROOT) for row in distinct], where=where)
