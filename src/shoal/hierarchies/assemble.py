"""From the groups that a builder proposes to a tree in which every name has one meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import HierarchyError, option
from shoal.hierarchies.names import ROOT
from shoal.hierarchies.tree import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence


def assemble(
    leaves: Sequence[str], levels: Sequence[Sequence[str]], *, keep_all: bool = False
) -> Hierarchy:
    """Return the tree over these leaves.

    A group whose name is taken, by a leaf or by another group of a lower level, is put into braces:
    ``800*`` becomes ``{800*}`` where ``800*`` is itself a value.

    Parameters
    ----------
    leaves
        Distinct values.
    levels
        For each level between leaves and root, finest first, the group of each leaf by its name.
        Groups must nest.
    keep_all
        Whether levels stay that group nothing beyond the level below, or everything.

    Raises
    ------
    HierarchyError
        If there is no leaf, or ``*`` is one.
    """
    if not leaves:
        raise HierarchyError(
            "The column has no values to build a hierarchy from: all its cells are missing.",
            remedy="Leave its hierarchy out.",
        )
    if ROOT in leaves:
        raise HierarchyError(
            f"The column holds the value {ROOT!r}, which stands for everything in a hierarchy.",
            remedy=f"Declare it missing with {option('null_values', [ROOT])}, or replace it.",
        )
    every = tuple(range(len(leaves)))
    meaning = {ROOT: every} | {leaf: (place,) for place, leaf in enumerate(leaves)}
    columns: list[Sequence[str]] = [leaves]
    below = every
    for names in levels:
        members: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            members.setdefault(name, []).append(place)
        lowest = tuple(members[name][0] for name in names)
        if not keep_all and (lowest == below or len(members) == 1):
            continue
        below = lowest
        distinct_name: dict[str, str] = {}
        for name, group in members.items():
            free = name
            while meaning.setdefault(free, tuple(group)) != tuple(group):
                free = f"{{{free}}}"
            distinct_name[name] = free
        columns.append([distinct_name[name] for name in names])
    columns.append([ROOT] * len(leaves))
    return Hierarchy.from_rows(list(zip(*columns, strict=True)), where="The hierarchy made")
