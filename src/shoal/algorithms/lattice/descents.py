"""A search of a lattice too large to be searched whole, for as long as there is.

A walk that cools down (annealing) takes the first part of the budget, descents from a pool of good
nodes the rest. Each descent begins at a node made from good ones, by crossing two or by drawing a
few levels of one again. It climbs until it is sound, and then steps up and down, attribute by
attribute, until no single step loses less. Good ends go to the pool; those near its top are tried
once whether two steps at once lose less.
"""

from __future__ import annotations

from itertools import count
from math import exp, inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.lattice.genetics import between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.lattice.seen import Known, Ledger

    Node = NDArray[np.int64]

# Ends that are kept, and how many of the best are tried with pairs of steps.
POOL = 10
PAIRED = 3
# How often a descent begins between two ends, and how many levels of one end are drawn again
# otherwise. On a generated lattice of 85 million nodes and 4,000 records, with 8,000 nodes and two
# seeds, that ends at .7395 and .7395, or .7598 and .7610 with 2 % suppressed; without crossing at
# .7395 and .7406, or .7598 and .7778.
CROSSED = 0.4
FEWEST_DRAWN = 2
MOST_DRAWN = 5
# Pairs of steps that are judged together.
BATCH = 32
# Of the budget, for the walk; its temperatures, as shares of what the top of the lattice loses; how
# often it takes two steps at once; and what an unsound node seems to lose beyond its levels, for
# each share of records too many. On ten generated lattices of 6,000 records, .6 CPU seconds each,
# descents alone found the best of six searches nine times with both of two seeds, the walk alone
# six times, both together nine times and the tenth with one seed.
WALK = 0.5
HOTTEST, COLDEST = 0.01, 0.0002
DOUBLE = 0.4
PENALTY, UNSOUND = 2.0, 0.002
# Steps between looks at the clock.
BETWEEN_LOOKS = 16


class Descents:
    """The ends of descents so far; :meth:`search` goes on until the ledger is over.

    Parameters
    ----------
    ledger
        Knows the nodes that were judged, and the budget.
    """

    def __init__(self, ledger: Ledger, rng: np.random.Generator) -> None:
        self._ledger, self._rng = ledger, rng
        self._ends: list[tuple[float, Node]] = []
        self._paired: set[bytes] = set()
        top = abs(ledger.look([ledger.high])[0].loss)
        self._unit = top if 0 < top < inf else 1.0

    def search(self, *starts: Node) -> None:
        """Walk from the first start, descend from all, and then from what the pool offers."""
        self._walk(starts[0])
        for start in (self._ledger.best, *starts):
            self._descend_from(start)
        while not self._ledger.is_over():
            self._descend_from(self._draw())
            self._try_pairs()

    def _walk(self, node: Node) -> None:
        """Step at random, seldom for the worse, and ever more seldom."""
        ledger, rng = self._ledger, self._rng
        begun, height = ledger.left, self._height(ledger.look([node])[0])
        temperature = self._unit * HOTTEST
        for turn in count(1):
            if turn % BETWEEN_LOOKS == 0:
                done = (1 - ledger.left / begun) / WALK
                if done >= 1:
                    return
                temperature = self._unit * HOTTEST * (COLDEST / HOTTEST) ** done
            if ledger.is_over():
                return
            stepped = node.copy()
            for _ in range(2 if rng.random() < DOUBLE else 1):
                place = int(rng.integers(len(node)))
                step = 1 if rng.random() < 0.5 else -1
                level = min(max(stepped[place] + step, ledger.low[place]), ledger.high[place])
                stepped[place] = level
            found = self._height(ledger.look([stepped])[0])
            if found <= height or rng.random() < exp((height - found) / temperature):
                node, height = stepped, found

    def _height(self, known: Known) -> float:
        """Return what a node loses; an unsound one more the more records it would suppress."""
        if known.sound:
            return known.loss
        problem = self._ledger.task.problem
        beyond = (known.suppressed - problem.suppression_limit) / problem.n
        return known.floor + self._unit * (PENALTY * beyond + UNSOUND)

    def _draw(self) -> Node:
        """Return a node between two ends, or not far from one."""
        low, high, rng = self._ledger.low, self._ledger.high, self._rng
        if len(self._ends) < PAIRED:
            return between(low, high, rng)
        if rng.random() < CROSSED:
            first, second = rng.choice(len(self._ends), 2, replace=False)
            mixed = rng.random(len(low)) < 0.5
            node = np.where(mixed, self._ends[first][1], self._ends[second][1])
            drawn = 1
        else:
            place = min(int(rng.exponential(PAIRED)), len(self._ends) - 1)
            node = self._ends[place][1].copy()
            drawn = int(rng.integers(FEWEST_DRAWN, MOST_DRAWN + 1))
        places = rng.choice(len(node), min(drawn, len(node)), replace=False)
        node[places] = rng.integers(low[places], high[places] + 1)
        return np.asarray(node)

    def _descend_from(self, node: Node) -> None:
        known = self._ledger.look([node])[0]
        self._keep(*self._step_down(*self._climb(node, known)))

    def _keep(self, node: Node, known: Known) -> None:
        """Put an end into the pool unless it is there already."""
        if known.loss == inf or any((node == end).all() for _, end in self._ends):
            return
        self._ends.append((known.loss, node))
        self._ends.sort(key=lambda end: end[0])
        del self._ends[POOL:]

    def _climb(self, node: Node, known: Known) -> tuple[Node, Known]:
        """Take the steps up that spare most records for what they lose, until the node is sound."""
        ledger = self._ledger
        while not known.sound and not ledger.is_over():
            can_rise = np.flatnonzero(node < ledger.high)
            if not len(can_rise):
                break
            raised = np.tile(node, (len(can_rise), 1))
            raised[np.arange(len(can_rise)), can_rise] += 1
            tried = ledger.affordable(list(raised))
            found = ledger.look(tried)
            best = min(range(len(found)), key=lambda at: found[at].loss)
            if not found[best].sound:
                best = max(range(len(found)), key=lambda at: _spared(known, found[at]))
            node, known = tried[best], found[best]
        return node, known

    def _step_down(self, node: Node, known: Known) -> tuple[Node, Known]:
        """Step to the better neighbour along each attribute, until none is better."""
        ledger = self._ledger
        idle = 0
        turns: list[int] = []
        while idle < len(node) and not ledger.is_over():
            turns = turns or self._rng.permutation(len(node)).tolist()
            place = turns.pop()
            tried = ledger.affordable(self._neighbours(node, place))
            found = ledger.look(tried)
            best = min(range(len(found)), key=lambda at: found[at].loss, default=-1)
            idle += 1
            if best >= 0 and found[best].loss < known.loss:
                node, known, idle = tried[best], found[best], 0
        return node, known

    def _neighbours(self, node: Node, place: int) -> list[Node]:
        """Return the nodes one step below and above along an attribute."""
        near = []
        for level in (node[place] - 1, node[place] + 1):
            if self._ledger.low[place] <= level <= self._ledger.high[place]:
                stepped = node.copy()
                stepped[place] = level
                near.append(stepped)
        return near

    def _try_pairs(self) -> None:
        """Try pairs of steps from one of the best ends that was not tried yet."""
        for loss, node in self._ends[:PAIRED]:
            if node.tobytes() not in self._paired:
                self._paired.add(node.tobytes())
                self._pair(node, loss)
                return

    def _pair(self, node: Node, loss: float) -> None:
        ledger = self._ledger
        attributes = len(node)
        single = [(at, near) for at in range(attributes) for near in self._neighbours(node, at)]
        pairs = [
            (first, second)
            for place, first in enumerate(single)
            for second in single[place + 1 :]
            if first[0] != second[0]
        ]
        order = self._rng.permutation(len(pairs)).tolist()
        for begin in range(0, len(order), BATCH):
            if ledger.is_over():
                return
            tried = ledger.affordable(
                [_both(node, *pairs[at]) for at in order[begin : begin + BATCH]]
            )
            found = ledger.look(tried)
            best = min(range(len(found)), key=lambda at: found[at].loss)
            if found[best].loss < loss:
                self._keep(*self._step_down(tried[best], found[best]))
                return


def _both(node: Node, first: tuple[int, Node], second: tuple[int, Node]) -> Node:
    """Return the node with the steps of two neighbours along different attributes."""
    made = node.copy()
    for place, stepped in (first, second):
        made[place] = stepped[place]
    return made


def _spared(known: Known, above: Known) -> float:
    """Return how many fewer records are suppressed a step up, for each unit of loss."""
    return (known.suppressed - above.suppressed) / max(above.floor - known.floor, 1e-12)
