"""Hill climbing in a lattice: levels lowered one attribute at a time."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.lattice.seen import Known, Ledger

    Node = NDArray[np.int64]


def lower(
    ledger: Ledger,
    node: Node,
    known: Known,
    rng: np.random.Generator,
) -> tuple[Node, Known]:
    """Return a node with every attribute in turn at its best level, until none moves."""
    before = inf
    while known.loss < before and not ledger.is_over():
        before = known.loss
        for place in rng.permutation(len(ledger.low)).tolist():
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
