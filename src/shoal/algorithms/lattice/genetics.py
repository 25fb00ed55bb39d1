"""The genetic operators of `kgen`: selection, crossover, two mutations, and lattice reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.lattice.task import LatticeTask
    from shoal.algorithms.run import Run

    Node = NDArray[np.int64]

# From this penalty on a node is never drawn.
LARGEST_PENALTY = 10


def reduction(task: LatticeTask, run: Run) -> Node:
    """Return for each attribute the level below which no node is sound.

    Each attribute is looked at alone. Leaving attributes out only merges classes, so what fails
    alone fails with others, also where records may be suppressed: the limit is the same for one
    attribute as for all. (The paper removes what each attribute alone would suppress, which is
    wrong: its Table 8.)
    """
    heights = task.heights
    low = np.zeros_like(heights)
    for attribute, height in enumerate(heights.tolist()):
        alone = np.repeat(heights[None, :], height + 1, axis=0)
        alone[:, attribute] = np.arange(height + 1)
        low[attribute] = int(np.argmax(task.judge(alone, run).base))
    return low


def selection_probabilities(
    losses: NDArray[np.float64], penalties: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Return the paper's chances of being drawn: loss times (1 - penalty / 10), normalized.

    The greater loss is the likelier, as it is printed.

    >>> selection_probabilities(np.array([0.85, 0.44, 0.55]), np.array([0, 3, 1])).round(2)
    array([0.51, 0.19, 0.3 ])
    """
    weights = losses * (1 - np.minimum(penalties, LARGEST_PENALTY) / LARGEST_PENALTY)
    total = weights.sum()
    if total <= 0:
        return np.full(len(losses), 1 / len(losses))
    return np.asarray(weights / total)


def between(low: Node, high: Node, rng: np.random.Generator) -> Node:
    """Return a node drawn from those between two, both included."""
    return rng.integers(low, high + 1)


def cross(
    first: Node,
    second: Node,
    sound: tuple[bool, bool],
    is_sound: Callable[[Node], bool],
    rng: np.random.Generator,
) -> list[Node]:
    """Return the offspring of two nodes; three cases by which of them are sound.

    Both: their minimum if it is sound, else a node between it and each of them. None: their
    maximum. One: a node between the minimum and that one.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    if all(sound):
        if is_sound(low):
            return [low]
        return [between(low, first, rng), between(low, second, rng)]
    if not any(sound):
        return [high]
    return [between(low, first if sound[0] else second, rng)]


def mutate(node: Node, low: Node, high: Node, rng: np.random.Generator) -> Node:
    """Return the node with one level drawn again: up or down its path."""
    place = int(rng.integers(len(node)))
    changed = node.copy()
    changed[place] = rng.integers(low[place], high[place] + 1)
    return changed


def mutate_horizontally(
    node: Node, low: Node, high: Node, share: float, rng: np.random.Generator
) -> Node:
    """Return the node with a share of its levels moved, alternately up and down.

    At least two, so that the new node lies on another path.
    """
    number = min(len(node), max(2, int(share * len(node))))
    changed = node.copy()
    for turn, place in enumerate(rng.permutation(len(node))[:number].tolist()):
        ends = (node[place], high[place]) if turn % 2 == 0 else (low[place], node[place])
        changed[place] = rng.integers(ends[0], ends[1] + 1)
    return changed
