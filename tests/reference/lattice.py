"""Full-domain generalization by brute force: every node, every class, counted with dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from shoal.table import Schema

# For each value what it shows on each level, and what that loses.
Tree = dict[Any, list[tuple[str, float]]]
Node = tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """A node and what it does: sizes of classes kept, records suppressed, and its losses."""

    node: Node
    kept: list[int]
    suppressed: int
    gcp: float
    dm: float
    precision: float
    height: int


def tree_of(rows: Sequence[Sequence[str]]) -> Tree:
    """Return a tree from rows leaf, level 1, …, top."""
    return {
        row[0]: [
            (name, (sum(other[level] == name for other in rows) - 1) / max(len(rows) - 1, 1))
            for level, name in enumerate(row)
        ]
        for row in rows
    }


def trees_of_schema(frame: pl.DataFrame, schema: Schema) -> list[Tree]:
    """Return the levels of every quasi-identifier: its hierarchy's, or exact and everything."""
    trees = []
    for attribute in schema.quasi:
        values = frame[attribute.name].unique().to_list()
        if attribute.hierarchy is None:
            both = len(values) > 1
            trees.append({one: [(repr(one), 0.0), ("*", 1.0)][: 1 + both] for one in values})
            continue
        names = attribute.hierarchy.node_names
        levels = attribute.hierarchy.ancestors
        rows = [[names[node] for node in levels[:, leaf]] for leaf in range(levels.shape[1])]
        tree = tree_of(rows)
        if None in values:
            # The top then says nothing, also above a single leaf.
            tree = {leaf: [*path[:-1], ("*", 1.0)] for leaf, path in tree.items()}
            tree[None] = [("", 0.0)] * (len(levels) - 1) + [("*", 1.0)]
        trees.append(tree)
    return trees


def outcome(
    table: Sequence[Sequence[str]],
    trees: Sequence[Tree],
    node: Node,
    holds: Callable[[list[int]], bool],
    weights: Sequence[float] | None = None,
) -> Outcome:
    """Return what a node does to a table; ``holds`` says which classes (of row numbers) stay."""
    n, m = len(table), len(trees)
    share = list(weights) if weights is not None else [1 / m] * m
    classes: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(table):
        shown = tuple(
            tree[cell][level][0] for tree, cell, level in zip(trees, row, node, strict=True)
        )
        classes.setdefault(shown, []).append(number)
    kept, gone, loss = [], 0, 0.0
    for rows in classes.values():
        if not holds(rows):
            gone += len(rows)
            continue
        kept.append(len(rows))
        for tree, cell, level, weight in zip(trees, table[rows[0]], node, share, strict=True):
            loss += len(rows) * weight * tree[cell][level][1]
    heights = [len(next(iter(tree.values()))) - 1 for tree in trees]
    return Outcome(
        node,
        kept,
        gone,
        (loss + gone) / n,
        sum(size * size for size in kept) + gone * n,
        sum(level / max(height, 1) for level, height in zip(node, heights, strict=True)) / m,
        sum(node),
    )


def nodes_of(trees: Sequence[Tree]) -> Iterator[Node]:
    """Yield every node of the lattice."""
    yield from product(*(range(len(next(iter(tree.values())))) for tree in trees))


def sound_nodes(
    table: Sequence[Sequence[str]],
    trees: Sequence[Tree],
    holds: Callable[[list[int]], bool],
    limit: int,
    weights: Sequence[float] | None = None,
) -> list[Outcome]:
    """Return the outcome of every node that suppresses no more than ``limit`` records."""
    found = [outcome(table, trees, node, holds, weights) for node in nodes_of(trees)]
    return [one for one in found if one.suppressed <= limit]
