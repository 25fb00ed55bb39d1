"""What a search has learnt of nodes so far: every node is judged once."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.budget import Budget
from shoal.algorithms.run import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.lattice.support import SupportMaps
    from shoal.algorithms.lattice.task import LatticeTask
    from shoal.algorithms.problem import Problem

    Node = NDArray[np.int64]


# Nodes that a search judges unless its budget says otherwise.
DEFAULT_NODES = 5_000
_UNLIMITED = 2**62


def default_budget(_: Problem) -> Budget:
    """Return what searches that judge some nodes may spend without a limit of their own."""
    return Budget(steps=DEFAULT_NODES)


def most_checks(run: Run) -> int:
    """Return how many nodes a run may judge."""
    return run.budget.steps or _UNLIMITED


@dataclass(frozen=True, slots=True)
class Known:
    """A judged node."""

    sound: bool
    loss: float  # infinite unless sound
    floor: float  # what its levels alone lose
    suppressed: int


class Ledger:
    """Judged nodes, the best sound one, and what is left of the budget.

    Parameters
    ----------
    low
        The lowest level of each attribute that is worth a look.
    run
        Its steps are how many nodes may be visited, the same one again too.
    maps
        Where given, a first and independent way to rule nodes out.
    """

    def __init__(
        self,
        task: LatticeTask,
        run: Run,
        low: Node,
        maps: SupportMaps | None = None,
    ) -> None:
        self.task, self.run = task, run
        self.steps = run.budget.steps
        self.low, self.high = low, task.heights
        self._nodes: dict[bytes, Known] = {}
        self._size: int = prod((self.high - low + 1).tolist())
        self._maps = maps
        self.visited = 0
        self.best, self.least = self.high, inf
        # One class of all records: there is always an answer, even if the run was stopped.
        self.look([self.high], Run(threads=run.threads))

    @property
    def judged(self) -> int:
        """Number of nodes judged."""
        return len(self._nodes)

    @property
    def exhausted(self) -> bool:
        """Whether every node was judged, so that the best is the best of all."""
        return self.judged == self._size

    def is_over(self) -> bool:
        """Whether the budget is spent, or nothing is left to look at."""
        spent = self.steps is not None and self.visited >= self.steps
        return spent or self.exhausted or self.run.remaining() <= 0

    @property
    def left(self) -> float:
        """What is left of the budget: nodes where they are limited, else seconds."""
        if self.steps is not None:
            return max(0, self.steps - self.visited)
        return self.run.remaining()

    def affordable(self, nodes: list[Node]) -> list[Node]:
        """Return as many of these nodes as may still be visited; at least one."""
        left = len(nodes) if self.steps is None else max(self.steps - self.visited, 1)
        return nodes[:left]

    def look(self, nodes: Sequence[Node], run: Run | None = None) -> list[Known]:
        """Return what is known of these nodes, judging those that are new.

        Parameters
        ----------
        run
            Judges them; that of the ledger unless given.
        """
        self.visited += len(nodes)
        self.run.control.steps = self.visited
        if self.steps is not None:
            self.run.report(min(1.0, self.visited / self.steps))
        keys = [node.astype(np.uint8).tobytes() for node in nodes]
        fresh = {key: node for key, node in zip(keys, nodes, strict=True) if key not in self._nodes}
        if fresh:
            self._judge(fresh, run or self.run)
        return [self._nodes[key] for key in keys]

    def _judge(self, fresh: dict[bytes, Node], run: Run) -> None:
        if self._maps is not None:
            for key, node in list(fresh.items()):
                suppressed = self._maps.suppressed(node.tolist())
                if suppressed > self.task.problem.suppression_limit:
                    del fresh[key]
                    self._nodes[key] = Known(False, inf, self.task.floor(node), suppressed)
        if fresh:
            found = self.task.judge(np.stack(list(fresh.values())), run)
            columns = (found.sound, found.loss, found.floor, found.suppressed)
            rows = zip(fresh.items(), *(column.tolist() for column in columns), strict=True)
            for (key, node), sound, loss, floor, suppressed in rows:
                self._nodes[key] = Known(sound, loss, floor, suppressed)
                if sound and loss < self.least:
                    self.best, self.least = node, loss
        self.run.control.loss = self.least
        self.run.check()
