"""What a run may spend: seconds, steps, or both."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# A step of a search compares classes attribute by attribute; default numbers of steps are meant for
# tables of so many attributes at most.
USUAL_WIDTH = 16


def for_width(steps: int, attributes: int) -> int:
    """Return a default number of steps, fewer in proportion for a wide table.

    Time grows with steps and attributes, so that the default takes as long on a table of a
    thousand attributes as on an ordinary one.
    """
    return max(1, steps * USUAL_WIDTH // max(attributes, USUAL_WIDTH))


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend; without either limit, algorithms fall back on a default of their own.

    Parameters
    ----------
    seconds
        Seconds in all; ``None`` is no limit.
    steps
        The algorithm's own steps, which give the same result on every machine; ``None`` is no
        limit.
    began
        When the seconds began to count.
    clock
        Returns the time; wall seconds unless given. Kernels count CPU seconds only after
        ``kernels.count_cpu_seconds(True)``.
    """

    seconds: float | None = None
    steps: int | None = None
    began: float = field(default_factory=time.monotonic)
    clock: Callable[[], float] = time.monotonic

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.seconds is not None or self.steps is not None

    @property
    def counts_wall_seconds(self) -> bool:
        """Whether seconds are those of the clock on the wall."""
        return self.clock is time.monotonic

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; infinite without one."""
        if self.seconds is None:
            return inf
        return max(0.0, self.began + self.seconds - self.clock())

    @property
    def seconds_spent(self) -> float:
        """Seconds since the budget began."""
        return self.clock() - self.began

    def share(self, part: float) -> Budget:
        """Return a part of what is left, counted from now on."""
        return self.fresh(
            seconds=None if self.seconds is None else part * self.seconds_left,
            steps=None if self.steps is None else int(part * self.steps),
        )

    def fresh(self, *, seconds: float | None = None, steps: int | None = None) -> Budget:
        """Return another budget by the same clock, counted from now on."""
        return Budget(seconds, steps, self.clock(), self.clock)

    def steps_first(self) -> Budget:
        """Return the budget without its seconds, if it has steps: then no clock decides."""
        return self if self.steps is None else replace(self, seconds=None)

    def from_now(self) -> Budget:
        """Return the whole budget, with seconds that begin to count now."""
        return replace(self, began=self.clock())

    @property
    def kernel_seconds(self) -> float:
        """Seconds left as kernels take them: negative is no limit."""
        return -1.0 if self.seconds is None else self.seconds_left

    @property
    def kernel_steps(self) -> int:
        """Steps as kernels take them: negative is no limit."""
        return -1 if self.steps is None else self.steps
