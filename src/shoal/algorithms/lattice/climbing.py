"""Hill climbing in a lattice: levels lowered one attribute at a time, and again from nearby."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.lattice.genetics import reduction
from shoal.algorithms.lattice.seen import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.lattice.seen import Known
    from shoal.algorithms.lattice.task import LatticeTask
    from shoal.algorithms.run import Run

    Node = NDArray[np.int64]

# How many attributes are raised at most before the others are lowered again.
MOST_RAISED = 4


def lower(
    ledger: Ledger,
    node: Node,
    known: Known,
    rng: np.random.Generator,
    last: Sequence[int] = (),
) -> tuple[Node, Known]:
    """Return a node with every attribute in turn at its best level, until none moves.

    Parameters
    ----------
    last
        Attributes whose turn comes after that of all others.
    """
    before = inf
    while known.loss < before and not ledger.is_over():
        before = known.loss
        turns = rng.permutation(len(ledger.low)).tolist()
        for place in sorted(turns, key=lambda one: one in last):
            if ledger.is_over():
                break
            levels = np.arange(ledger.low[place], ledger.high[place] + 1)
            line = np.tile(node, (len(levels), 1))
            line[:, place] = levels
            tried = ledger.affordable(list(line))
            found = ledger.look(tried)
            best = min(range(len(found)), key=lambda at: found[at].loss)
            if found[best].loss < known.loss:
                node, known = tried[best], found[best]
    return node, known


def climb(task: LatticeTask, start: Node, run: Run) -> Node:
    """Return the best node met on paths from a sound one, until the budget is spent.

    Each path raises a few attributes of the best node so far, which keeps it sound, lowers the
    others first and those attributes last, and is followed if it ends no worse.
    """
    rng = run.generator()
    ledger = Ledger(task, run, reduction(task, run))
    node, known = start, ledger.look([start])[0]
    node, known = lower(ledger, node, known, rng)
    while not ledger.is_over():
        can_rise = np.flatnonzero(node < ledger.high)
        if not len(can_rise):
            break
        number = min(len(can_rise), int(rng.integers(1, MOST_RAISED + 1)))
        raised = rng.choice(can_rise, number, replace=False)
        path = node.copy()
        path[raised] = rng.integers(node[raised] + 1, ledger.high[raised] + 1)
        end, found = lower(ledger, path, ledger.look([path])[0], rng, raised.tolist())
        if found.loss <= known.loss:
            node, known = end, found
    return ledger.best
