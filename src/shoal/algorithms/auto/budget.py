"""What a portfolio may spend, and how it is shared among steps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

from shoal.algorithms.run import Run


@dataclass(frozen=True, slots=True)
class Budget:
    """What a portfolio may spend: seconds until an end, or a number of steps.

    Parameters
    ----------
    end
        When to end, on the monotonic clock; infinite for a budget of steps.
    steps
        Evaluations of a class; ``None`` for a budget of time.
    """

    end: float = inf
    steps: int | None = None

    @property
    def seconds(self) -> float:
        """Seconds left."""
        return max(0.0, self.end - time.monotonic())

    def share(self, part: float) -> Budget:
        """Return a part of what is left."""
        if self.steps is not None:
            return Budget(steps=int(part * self.steps))
        return Budget(end=time.monotonic() + part * self.seconds)

    def run(self, run: Run) -> Run:
        """Return the run of a step that may spend all of it; its notes are its own."""
        return Run(
            seed=run.seed,
            threads=run.threads,
            seconds=None if self.end == inf else self.seconds,
            steps=self.steps,
            control=run.control,
        )
