"""How strongly columns are associated, before and after: Cramér's V of all pairs.

Numbers fall into intervals with about as many records each, rare categories into one group. A
generalized cell belongs to each group to the share of its values, as in the distributions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import FoldedRows, encode_values
from shoal.risks.covers import MISSING, Column, Records, Scale, ordered_spans, read_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.encoding.parse import Cell

_GROUPS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A column in groups: for each record its cell, and for each cell its share in each group."""

    codes: NDArray[np.unsignedinteger]
    shares: NDArray[np.float64]

    @classmethod
    def unchanged(cls, values: pl.Series) -> Grouped:
        """Group a column that is released unchanged: its most frequent values and the rest."""
        codes, labels = encode_values(values)
        counts = np.bincount(codes, minlength=len(labels))
        rank = np.empty(len(labels), dtype=np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(labels))
        group = np.minimum(rank, _GROUPS - 1)
        return cls(codes, np.eye(min(len(labels), _GROUPS))[group])


def group_column(
    column: Column, released: pl.DataFrame, original: pl.DataFrame | None, *, ordered: bool
) -> tuple[Grouped, Grouped | None]:
    """Return a quasi-identifier of a release, and of its original if given, in common groups."""
    tables = [Records(released)] + ([] if original is None else [Records(original, exact=True)])
    read = [table.cells(column) for table in tables]
    counts = [np.bincount(codes, minlength=len(cells)) for cells, codes in read]
    used = [
        [cell for cell, count in zip(cells, counted, strict=True) if count]
        for (cells, _), counted in zip(read, counts, strict=True)
    ]
    scale = read_scale(used, column) if ordered else None
    if scale is not None:
        shares = _in_intervals(read, counts, scale)
    elif column.hierarchy is not None:
        shares = _in_tree(read, counts, column)
    else:
        shares = _in_sets(read, counts)
    sides = [Grouped(codes, part) for (_, codes), part in zip(read, shares, strict=True)]
    return sides[0], sides[1] if original is not None else None


_Read = tuple[list["Cell"], "NDArray[np.uint32]"]


def _in_intervals(
    read: Sequence[_Read], counts: Sequence[NDArray[np.int64]], scale: Scale
) -> list[NDArray[np.float64]]:
    spans = [ordered_spans([_within(cell, scale) for cell in cells], scale) for cells, _ in read]
    reference, weights = spans[-1], counts[-1]  # the original, where it is given
    shown = ~reference.anything & (reference.low <= reference.high) & (weights > 0)
    middles = (reference.low[shown] + reference.high[shown]) / 2
    order = np.argsort(middles)
    reached = np.cumsum(weights[shown][order]) / max(weights[shown].sum(), 1)
    cuts = (
        [
            float(
                middles[order][min(int(np.searchsorted(reached, part / _GROUPS)), len(order) - 1)]
            )
            for part in range(1, _GROUPS)
        ]
        if len(order)
        else []
    )
    edges = np.array([-np.inf, *sorted(set(cuts)), np.inf])
    found = []
    for one in spans:
        low, high = one.low[:, None], one.high[:, None]
        width = np.maximum(high - low, 0.0)
        inside = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0.0, None)
        # A single value belongs to the interval above the edge it stands on.
        point = ((low > edges[:-1]) & (low <= edges[1:])).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = np.where(width > 0, inside / width, point)
        gone = one.missing & (one.low > one.high)
        spread[gone] = 0.0
        own = np.concatenate((spread, gone[:, None].astype(np.float64)), axis=1)
        found.append(own)
    return _without_empty(found, [one.anything for one in spans], counts)


def _within(cell: Cell, scale: Scale) -> Cell:
    known = cell is None or all(not text or text in scale.value_of for text in cell)
    return cell if known else [MISSING]


def _in_sets(
    read: Sequence[_Read], counts: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.float64]]:
    total: Counter[object] = Counter()
    for cell, count in zip(read[-1][0], counts[-1].tolist(), strict=True):
        for member in _members(cell):
            total[member] += count
    ranked = [member for member, _ in total.most_common(_GROUPS - 1)]
    group = {member: place for place, member in enumerate(ranked)}
    found = []
    for cells, _ in read:
        shares = np.zeros((len(cells), _GROUPS))
        for place, cell in enumerate(cells):
            members = _members(cell)
            for member in members:
                shares[place, group.get(member, _GROUPS - 1)] += 1 / len(members)
        found.append(shares)
    stars = [np.array([cell is None for cell in cells]) for cells, _ in read]
    return _without_empty(found, stars, counts)


def _members(cell: Cell) -> Sequence[object]:
    if cell is None:
        return ()
    return cell if isinstance(cell, list) else (cell,)


def _in_tree(
    read: Sequence[_Read], counts: Sequence[NDArray[np.int64]], column: Column
) -> list[NDArray[np.float64]]:
    tree = column.hierarchy
    assert tree is not None
    names = tree.names(tree.height)
    for level in range(tree.height, -1, -1):  # the coarsest level that says enough
        names = tree.names(level)
        if len(set(names)) >= min(_GROUPS, len(tree.leaves)):
            break
    weights = np.zeros(len(tree.leaves))
    for cell, count in zip(read[-1][0], counts[-1].tolist(), strict=True):
        if cell is not None and cell[0] in tree.position:
            weights[tree.position[cell[0]]] += count
    heavy: dict[str, float] = dict.fromkeys(names, 0.0)
    for name, weight in zip(names, weights.tolist(), strict=True):
        heavy[name] += weight
    ranked = sorted(heavy, key=lambda name: -heavy[name])[: _GROUPS - 1]
    group = {name: place for place, name in enumerate(ranked)}
    of_leaf = np.array([group.get(name, _GROUPS - 1) for name in names])
    found = []
    for cells, _ in read:
        shares = np.zeros((len(cells), _GROUPS))
        for place, cell in enumerate(cells):
            node = None if cell is None else tree.node_of_name.get(cell[0])
            if node is None:
                shares[place, -1] = cell is not None
                continue
            below = of_leaf[tree.node_first[node] : tree.node_last[node] + 1]
            shares[place] = np.bincount(below, minlength=_GROUPS) / len(below)
        found.append(shares)
    stars = [np.array([cell is None for cell in cells]) for cells, _ in read]
    return _without_empty(found, stars, counts)


def _without_empty(
    shares: list[NDArray[np.float64]],
    stars: list[NDArray[np.bool_]],
    counts: Sequence[NDArray[np.int64]],
) -> list[NDArray[np.float64]]:
    """Return shares without groups that nobody is in; ``*`` is spread as the others are."""
    total = sum(part.T @ counted for part, counted in zip(shares, counts, strict=True))
    kept = np.asarray(total) > 0
    found = []
    for part, star, counted in zip(shares, stars, counts, strict=True):
        own = part[:, kept]
        usual = own[~star].T @ counted[~star]
        own[star] = usual / usual.sum() if usual.sum() else 0.0
        found.append(own)
    return found


def association(first: Grouped, second: Grouped) -> float:
    """Return Cramér's V of two columns of a table, corrected for chance (Bergsma 2013).

    >>> sex = Grouped(np.array([0, 1] * 50, dtype=np.uint8), np.eye(2))
    >>> association(sex, sex), association(sex, Grouped(np.zeros(100, np.uint8), np.eye(1)))
    (1.0, 0.0)
    """
    pairs = FoldedRows.of([first.codes, second.codes])
    left = first.shares[first.codes[pairs.first]]
    right = second.shares[second.codes[pairs.first]]
    joint = (left * pairs.counts[:, None]).T @ right
    joint = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0]
    rows, columns = joint.shape
    n = float(joint.sum())
    if min(rows, columns) < 2 or n <= 1:
        return 0.0
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / n
    square = float(((joint - expected) ** 2 / expected).sum()) / n
    square = max(0.0, square - (rows - 1) * (columns - 1) / (n - 1))
    limit = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    return float(min(1.0, np.sqrt(square / limit))) if limit > 0 else 0.0


def associations(columns: Sequence[Grouped]) -> list[list[float]]:
    """Return the association of every pair of columns; each is 1 with itself."""
    found = [[1.0] * len(columns) for _ in columns]
    for place, first in enumerate(columns):
        for other in range(place):
            found[place][other] = found[other][place] = association(first, columns[other])
    return found
