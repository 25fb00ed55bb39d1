"""Unordered categories, grouped by co-occurrence: by what else their records hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.hierarchies.assemble import assemble
from shoal.hierarchies.names import set_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.tree import Hierarchy

MOST_CATEGORIES = 500
_MOST_GROUPS = 32
_DECIMALS = 11


def cluster_levels(leaves: Sequence[str], cooccurrences: Sequence[NDArray[np.int64]]) -> Hierarchy:
    """Return groups of categories whose records are alike in other columns.

    Two groups at a time are merged, those whose union loses the least mutual information between
    this column and the others (the agglomerative information bottleneck of Slonim and Tishby,
    1999); among equals the smaller, then the first in the order of texts. Levels are taken where
    32, 16, 8, 4 and 2 groups are left. Time is cubic in the number of categories with a small
    factor: a second for :data:`MOST_CATEGORIES`.

    Parameters
    ----------
    leaves
        Distinct categories.
    cooccurrences
        For each other column how many records of each category (rows) hold each of its values or
        bins (columns).
    """
    order = sorted(range(len(leaves)), key=lambda place: leaves[place])
    names = [leaves[place] for place in order]
    together = np.hstack([table[order] for table in cooccurrences]).astype(np.float64)
    records = cooccurrences[0][order].sum(axis=1).astype(np.float64)
    goals = [size for size in (_MOST_GROUPS, 16, 8, 4, 2) if size < len(leaves)]
    levels = []
    group_of = np.arange(len(names))
    for left, (kept, gone) in zip(
        range(len(names) - 1, 1, -1), _unions(together, records, len(cooccurrences)), strict=False
    ):
        group_of[group_of == gone] = kept
        if left in goals:
            members: dict[int, list[str]] = {}
            for place, group in enumerate(group_of.tolist()):
                members.setdefault(group, []).append(names[place])
            name_of: dict[str, str] = {}
            for group_members in members.values():
                name_of |= dict.fromkeys(group_members, set_name(group_members))
            levels.append([name_of[leaf] for leaf in leaves])
    return assemble(leaves, levels)


def _unions(
    together: NDArray[np.float64], records: NDArray[np.float64], columns: int
) -> list[tuple[int, int]]:
    """Return which group is merged with which, in order; the first of the two stays."""
    count, total = len(records), records.sum()
    known = _information(together, records, columns)
    alive = np.ones(count, dtype=np.bool_)

    def losses(one: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each union with one group loses, in nats a record."""
        united = _information(
            together[one] + together[others], records[one] + records[others], columns
        )
        lost = (known[one] + known[others] - united) / total
        # Rounded: equal losses must stay equal, whatever the order in which a processor adds.
        return np.asarray(np.round(lost, _DECIMALS) + 0.0)

    cost = np.full((count, count), np.inf)
    for one in range(count - 1):
        cost[one, one + 1 :] = losses(one, np.arange(one + 1, count))
    unions = []
    for _ in range(count - 1):
        first, second = np.nonzero(cost == cost.min())
        choice = int(np.argmin(records[first] + records[second]))
        kept, gone = int(first[choice]), int(second[choice])
        unions.append((kept, gone))
        alive[gone] = False
        together[kept] += together[gone]
        records[kept] += records[gone]
        known[kept] = _information(together[[kept]], records[[kept]], columns)[0]
        cost[gone, :] = cost[:, gone] = np.inf
        others = np.flatnonzero(alive)
        others = others[others != kept]
        fresh = losses(kept, others)
        cost[kept, others[others > kept]] = fresh[others > kept]
        cost[others[others < kept], kept] = fresh[others < kept]
    return unions


def _information(
    together: NDArray[np.float64], records: NDArray[np.float64], columns: int
) -> NDArray[np.float64]:
    """Return what groups reveal about the other columns, but for a constant, in nats x records."""
    return np.asarray(_x_log_x(together).sum(axis=1) - columns * _x_log_x(records))


def _x_log_x(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts * np.log(np.maximum(counts, 1.0)))
