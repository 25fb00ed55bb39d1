"""Distances between the private values of a class and those of the table.

Each function takes, for every class, the excess of each value's share over its share in the
table, and returns the work of levelling it: shares times the distance they are carried.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import SchemaError, option
from shoal.table.cells import texts
from shoal.table.value_order import order_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.witness import Tables


def equal(excess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share to be carried: any two values are 1 apart."""
    return np.asarray(np.maximum(excess, 0.0).sum(axis=1), np.float64)


def ordered(excess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Carry along the order: each step between neighbours is 1 / (values - 1)."""
    steps = excess.shape[1] - 1
    carried = np.abs(np.cumsum(excess, axis=1)[:, :-1]).sum(axis=1)
    return np.asarray(carried / max(steps, 1), np.float64)


def hierarchical(
    excess: NDArray[np.float64], levels: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Carry within a tree: what balances under a node at level i of h costs i / h.

    ``levels`` lead upwards: first from values to the lowest nodes, then from the nodes of each
    level to those of the next, up to the root.
    """
    height = len(levels) - 1
    work = np.zeros(len(excess))
    below = _gather(excess, levels[0])
    for level, above in enumerate(levels[1:], start=1):
        surplus = _gather(np.maximum(below, 0.0), above)
        lack = _gather(np.maximum(-below, 0.0), above)
        work += level / height * np.minimum(surplus, lack).sum(axis=1)
        below = surplus - lack
    return work


def _gather(shares: NDArray[np.float64], above: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum the columns that have the same node above them; every node has one below."""
    order = np.argsort(above, kind="stable")
    starts = np.searchsorted(above[order], np.arange(above.max() + 1))
    return np.add.reduceat(shares[:, order], starts, axis=1)


def value_ranks(
    tables: Tables, column: str, kept_codes: NDArray[np.int64], codes: int
) -> NDArray[np.int64]:
    """Return the rank of each code of a column; a value that the original lacks comes last."""
    kept = tables.original[column].filter(pl.Series(tables.kept))
    ranks = order_values(kept, tables.schema.sensitive_orders.get(column, ())).ranks
    of_code = np.full(codes, ranks.max() + 1, np.int64)
    of_code[kept_codes] = ranks
    return of_code


def tree_levels(
    tables: Tables, column: str, codes_of_rows: NDArray[np.int64], codes: int
) -> list[NDArray[np.int64]]:
    """Return the way up a column's tree, as :func:`hierarchical` takes it.

    A value that the tree does not list, as a missing one, hangs at the root by itself.
    """
    tree = tables.schema.sensitive_hierarchies.get(column)
    if tree is None:
        raise SchemaError(
            f"Column {column!r} has no hierarchy, so its hierarchical distance is not defined.",
            remedy=f"Give it with {option('hierarchy', {column: 'FILE'})}.",
        )
    leaf = np.full(codes, -1, np.int64)
    distinct, rows = np.unique(codes_of_rows, return_index=True)
    shown = texts(tables.original[column].gather(rows)).to_list()
    for code, text in zip(distinct.tolist(), shown, strict=True):
        if code < codes:
            leaf[code] = tree.position.get(text or "", -1)
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
