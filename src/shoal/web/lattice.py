"""The lattice of a full-domain run: the chosen node, the nodes around it, and a drawing of them.

A node is one level for each quasi-identifier. A lattice of a few dozen nodes is shown whole; of a
larger one, the chosen node and those that differ from it by one level of one column.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from shoal.algorithms.levels import Levels, sound_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.algorithms import Problem, Solution

MOST_NODES = 40
"""A lattice of more nodes is not drawn whole."""
_MOST_ABREAST = 9
_MOST_ROWS = 4_000_000
"""Distinct rows times nodes that are counted, at most; a few seconds."""
Node = tuple[int, ...]


def surroundings(problem: Problem, solution: Solution) -> dict[str, Any] | None:
    """Return the nodes that a page shows of a full-domain solution; nothing for other forms.

    Each comes with the number of records that it would have to suppress, because their class has
    fewer than k records or breaks a model: figures for the custodian alone.
    """
    if not isinstance(solution, Levels):
        return None
    ladders = solution.ladders
    bottoms = tuple(ladder.bottom for ladder in ladders)
    nodes = [
        {
            "levels": _above(bottoms, node),
            "small": int(problem.counts[~sound_rows(problem, node, ladders)].sum()),
        }
        for node in _shown(solution.heights, solution.node, rows=problem.rows)
    ]
    return {
        "columns": [domain.attribute.name for domain in problem.domains],
        "lowest": bottoms,
        "highest": _above(bottoms, solution.heights),
        "chosen": _above(bottoms, solution.node),
        "k": problem.k,
        "models": len(problem.models),
        "allowed": problem.suppression_limit,
        "nodes": nodes,
    }


def _above(bottoms: Node, node: Node) -> Node:
    """Return the levels of the hierarchies that the levels of a search stand for."""
    return tuple(bottom + level for bottom, level in zip(bottoms, node, strict=True))


def _shown(heights: Node, chosen: Node, *, rows: int) -> Iterator[Node]:
    """Yield the nodes to show: all of a small lattice, else the chosen one and its neighbours."""
    every = [range(height + 1) for height in heights]
    size = prod(map(len, every))
    if size <= MOST_NODES and size * rows <= _MOST_ROWS:
        whole = sorted(product(*every), key=sum)
        if max(_abreast(whole)) <= _MOST_ABREAST:
            yield from whole
            return
    yield chosen
    for step in (-1, 1):
        for place, levels in enumerate(every):
            if chosen[place] + step in levels:
                yield (*chosen[:place], chosen[place] + step, *chosen[place + 1 :])


def _abreast(nodes: Sequence[Node]) -> list[int]:
    """Return how many nodes there are of each height that occurs."""
    return list(Counter(map(sum, nodes)).values())


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node as the picture and the table beside it show it.

    Parameters
    ----------
    label
        Its levels, or how it differs from the chosen node.
    levels
        Its levels, column by column.
    relation
        ``chosen``, ``less general``, ``more general``, or nothing.
    small
        Records in classes that have fewer than k records or break a model.
    sound
        Whether at most as many as may be suppressed are.
    x, y
        Its upper left corner.
    """

    label: str
    levels: Node
    relation: str
    small: int
    sound: bool
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class LatticeDrawing:
    """What the template of the lattice draws."""

    title: str
    columns: tuple[str, ...]
    chosen: Node
    lowest: Node
    highest: Node
    size: int
    whole: bool
    k: int
    models: int
    allowed: int
    nodes: tuple[DrawnNode, ...]
    edges: tuple[tuple[float, float, float, float, bool], ...]
    width: float
    height: float
    box: float


_BOX, _WIDE_BOX = 84.0, 210.0
_TALL, _GAP, _BETWEEN = 34.0, 10.0, 56.0
_HEAD = 26.0


def drawing(content: Mapping[str, Any]) -> LatticeDrawing:
    """Return the drawing of a lattice: more general nodes stand further right."""
    chosen, lowest, highest = (tuple(content[name]) for name in ("chosen", "lowest", "highest"))
    size = prod(high - low + 1 for low, high in zip(lowest, highest, strict=True))
    nodes = [tuple(one["levels"]) for one in content["nodes"]]
    small = {tuple(one["levels"]): int(one["small"]) for one in content["nodes"]}
    whole = len(nodes) == size
    box = _BOX if whole else _WIDE_BOX
    allowed = int(content["allowed"])
    heights = sorted({sum(node) for node in nodes})
    tallest = max(_abreast(nodes))
    places: dict[Node, tuple[float, float]] = {}
    for column, height in enumerate(heights):
        abreast = [node for node in nodes if sum(node) == height]
        top = _HEAD + (tallest - len(abreast)) * (_TALL + _GAP) / 2
        for row, node in enumerate(abreast):
            places[node] = (column * (box + _BETWEEN), top + row * (_TALL + _GAP))
    columns = tuple(content["columns"])
    drawn = tuple(
        DrawnNode(
            _label(node, chosen, columns, whole=whole),
            node,
            _relation(node, chosen),
            small[node],
            small[node] <= allowed,
            *places[node],
        )
        for node in nodes
    )
    edges = tuple(
        (
            places[low][0] + box,
            places[low][1] + _TALL / 2,
            places[high][0],
            places[high][1] + _TALL / 2,
            chosen in (low, high),
        )
        for low in nodes
        for high in nodes
        if _follows(low, high)
    )
    return LatticeDrawing(
        title=_title(columns, chosen, highest, size, drawn),
        columns=columns,
        chosen=chosen,
        lowest=lowest,
        highest=highest,
        size=size,
        whole=whole,
        k=content["k"],
        models=content["models"],
        allowed=allowed,
        nodes=drawn,
        edges=edges,
        width=len(heights) * (box + _BETWEEN) - _BETWEEN,
        height=_HEAD + tallest * (_TALL + _GAP),
        box=box,
    )


def _follows(low: Node, high: Node) -> bool:
    """Return whether the second node is the first with one level more."""
    steps = [after - before for before, after in zip(low, high, strict=True)]
    return sum(steps) == 1 and min(steps) == 0


def _relation(node: Node, chosen: Node) -> str:
    if node == chosen:
        return "chosen"
    if _follows(node, chosen):
        return "less general"
    return "more general" if _follows(chosen, node) else ""


def _label(node: Node, chosen: Node, columns: Sequence[str], *, whole: bool) -> str:
    if whole:
        return " ".join(map(str, node))
    for name, before, after in zip(columns, chosen, node, strict=True):
        if before != after:
            return f"{_shortened(name)}: {before} → {after}"
    return "chosen"


def _shortened(name: str, longest: int = 18) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _title(
    columns: Sequence[str], chosen: Node, highest: Node, size: int, nodes: Sequence[DrawnNode]
) -> str:
    levels = ", ".join(
        f"{name} on level {level} of {top}"
        for name, level, top in zip(columns, chosen, highest, strict=True)
    )
    sound = sum(node.sound for node in nodes)
    drawn = f"Of the {len(nodes)} nodes drawn, {sound} can be released."
    return f"Lattice of {size:,} nodes. Chosen: {levels}. {drawn}"
