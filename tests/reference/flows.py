"""How much a bipartite graph can carry, one augmenting path at a time."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def largest_flow(
    covered: Sequence[set[int]], supply: Sequence[int], demand: Sequence[int], times: int = 1
) -> int:
    """Return how much of the demand can be met, each record ``times`` but no pair twice.

    Parameters
    ----------
    covered
        For each released group the original groups that it covers.
    supply, demand
        Records of each original and each released group.
    """
    residual: dict[object, dict[object, int]] = {"source": {}, "sink": {}}

    def arc(tail: object, head: object, capacity: int) -> None:
        residual.setdefault(tail, {})[head] = capacity
        residual.setdefault(head, {}).setdefault(tail, 0)

    for group, originals in enumerate(covered):
        arc("source", ("group", group), demand[group] * times)
        for original in originals:
            most = min(demand[group] * times, supply[original] * times)
            pairs = demand[group] * supply[original]
            arc(("group", group), ("original", original), min(most, pairs))
    for original, held in enumerate(supply):
        arc(("original", original), "sink", held * times)
    total = 0
    while (path := _path(residual)) is not None:
        amount = min(residual[a][b] for a, b in path)
        for a, b in path:
            residual[a][b] -= amount
            residual[b][a] += amount
        total += amount
    return total


def _path(residual: dict[object, dict[object, int]]) -> list[tuple[object, object]] | None:
    came_from: dict[object, object] = {"source": None}
    waiting: deque[object] = deque(["source"])
    while waiting:
        node = waiting.popleft()
        for head, capacity in residual[node].items():
            if capacity > 0 and head not in came_from:
                came_from[head] = node
                waiting.append(head)
    if "sink" not in came_from:
        return None
    path: list[tuple[object, object]] = []
    end: object = "sink"
    while came_from[end] is not None:
        path.append((came_from[end], end))
        end = came_from[end]
    return path
