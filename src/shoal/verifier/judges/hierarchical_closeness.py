"""Hierarchical t-closeness: shares are carried within the tree of values."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import SchemaError
from shoal.table.cells import texts
from shoal.verifier.judges.closeness import gather, within
from shoal.verifier.judges.judge import judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.verifier.judges.judge import Figures, JudgedColumn


@judge(
    "hierarchical-t-closeness",
    figure="the hierarchical distance from the table",
    lower_is_better=True,
)
def hierarchical_closeness(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
    """Compare the work of carrying shares in the tree with t.

    What balances under a node at level i of h costs i / h.
    """
    levels = _levels(column)

    def distance(excess: NDArray[np.float64]) -> NDArray[np.float64]:
        height = len(levels) - 1
        work = np.zeros(len(excess))
        below = gather(excess, levels[0])
        for level, above in enumerate(levels[1:], start=1):
            surplus = gather(np.maximum(below, 0.0), above)
            lack = gather(np.maximum(-below, 0.0), above)
            work += level / height * np.minimum(surplus, lack).sum(axis=1)
            below = surplus - lack
        return work

    return within(numbers[0], column.shares, distance)


def _levels(column: JudgedColumn) -> list[NDArray[np.int64]]:
    """Return the way up: from values to the lowest nodes, from these to the next, up to the root.

    A value that the tree does not list, as a missing one, hangs at the root by itself.
    """
    tree = column.schema.sensitive_hierarchies.get(column.name)
    if tree is None:
        raise SchemaError(
            f"Column {column.name!r} has no hierarchy, so its hierarchical distance is not "
            "defined.",
            remedy=f"Give it with `hierarchy={{{column.name!r}: 'FILE'}}`.",
        )
    leaf = np.full(column.size, -1, np.int64)
    distinct, rows = np.unique(column.codes, return_index=True)
    shown = texts(column.original.gather(rows)).to_list()
    leaf[distinct] = [tree.position.get(text or "", -1) for text in shown]
    alone = leaf < 0
    node_of_code: list[NDArray[np.int64]] = []
    for ancestors in tree.ancestors:
        nodes = ancestors[leaf].astype(np.int64)
        if len(node_of_code) < tree.height:
            nodes[alone] = len(tree.node_names) + np.flatnonzero(alone)
        node_of_code.append(np.unique(nodes, return_inverse=True)[1])
    levels = [node_of_code[0]]
    for lower, upper in pairwise(node_of_code):
        above = np.empty(lower.max() + 1, np.int64)
        above[lower] = upper
        levels.append(above)
    return levels
