"""Hierarchies whose groups are listed one by one: sets of values, and cut points between texts.

Automatic hierarchies of a release are written down in this way, so that they can be read without
the records that are not in it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.hierarchies.assemble import assemble
from shoal.hierarchies.names import set_name
from shoal.hierarchies.scale import endpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies.tree import Hierarchy


def set_levels(leaves: Sequence[str], levels: Sequence[Sequence[Sequence[str]]]) -> Hierarchy:
    """Return the tree of listed groups; a value that is in none of a level stands for itself.

    Parameters
    ----------
    leaves
        Distinct values.
    levels
        For each level, finest first, the members of each group. Groups must nest.
    """
    named = []
    for groups in levels:
        name_of = {member: set_name(group) for group in groups for member in group}
        named.append([name_of.get(leaf, leaf) for leaf in leaves])
    return assemble(leaves, named)


def text_levels(leaves: Sequence[str], levels: Sequence[Sequence[str]]) -> Hierarchy:
    """Return groups of texts between cut points: ``<Bonn``, ``[Bonn..Kiel)``, ``>=Kiel``.

    Parameters
    ----------
    leaves
        Distinct values.
    levels
        For each level, finest first, the texts at which a group begins. Those of a level must be
        among those of the level before, so that groups nest.
    """
    named = []
    for cuts in levels:
        points = sorted(set(cuts))
        between = [f"[{endpoint(low)}..{endpoint(high)})" for low, high in pairwise(points)]
        names = [f"<{points[0]}", *between, f">={points[-1]}"] if points else ["*"]
        named.append([names[bisect_right(points, leaf)] for leaf in leaves])
    return assemble(leaves, named)
