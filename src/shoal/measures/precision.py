"""Levels of generalization: precision (LOG), height, and the share of suppressed records (LOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.closures import Spans
from shoal.encoding.domain import TreeDomain
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain
    from shoal.measures.released import Released


def levels(released: Released) -> list[tuple[int, int]]:
    """Return for each attribute the highest level that a record shows, and the highest there is.

    A hierarchical attribute has the levels of its tree; a cell is on the lowest level that has
    its node. Any other attribute has two, exact values and all else, or one if it has a single
    value. In a full-domain release that is the node of the lattice, or one below it that looks
    the same. Suppressed records are left aside; where no record shows anything, every attribute
    is at its top.
    """
    shown = ~released.blank
    found = []
    for domain, column in zip(released.domains, released.recoding.columns, strict=True):
        level, top = levels_of_closures(domain, column.closures)
        found.append((int(level[column.index[shown]].max()) if shown.any() else top, top))
    return found


def levels_of_closures(domain: Domain, closures: Closures) -> tuple[NDArray[np.int64], int]:
    """Return the level of each closure, and the highest level."""
    if isinstance(domain, TreeDomain) and isinstance(closures, Spans):
        lowest = np.zeros(len(domain.node_names), dtype=np.int64)
        for level in range(len(domain.ancestors) - 1, -1, -1):
            lowest[domain.ancestors[level]] = level
        return lowest[domain.node(closures)], len(domain.ancestors) - 1
    exact = closures.first == closures.last if isinstance(closures, Spans) else closures.counts == 1
    return (~exact).astype(np.int64), int(domain.size > 1)


@measure(
    "precision",
    "How far up their hierarchies the attributes were taken, on average: 0 is exact, 1 the top; "
    "the highest cell of an attribute decides.",
)
def precision(released: Released) -> float:
    """Return the mean over attributes of level / height, as in the KGen paper (LOG)."""
    found = levels(released)
    return sum(level / max(top, 1) for level, top in found) / len(found)


@measure(
    "height",
    "How many steps of generalization were taken in all attributes together.",
)
def height(released: Released) -> float:
    """Return the sum of the levels of all attributes."""
    return float(sum(level for level, _ in levels(released)))


@measure("los", "The share of records that show nothing.")
def los(released: Released) -> float:
    """Return suppressed records over all records, as in the KGen paper (LOS)."""
    return released.suppressed / released.n
