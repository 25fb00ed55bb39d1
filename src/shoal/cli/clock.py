"""How long a run has taken and what is left of it, at any moment."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from shoal.rendering.progress_text import progress_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.pipeline.progress import Progress

# Stages in their order; what those after reading take, as a share of reading and encoding.
_SHARES = {
    "read": 0.0, "encode": 0.0, "examine": 0.5, "cut": 1.0, "solve": 0.0, "bound": 0.0,
    "recode": 0.5, "verify": 1.0, "utility": 0.0, "measure": 0.5, "write": 0.5,
}  # fmt: skip
_TELLING = 0.02  # a smaller fraction says too little about the rest


class Clock:
    """Shows elapsed and remaining seconds, whether or not anything was reported meanwhile.

    Parameters
    ----------
    now
        The time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._start = self._stage_start = now()
        self._took: dict[str, float] = {}
        self.stage = "read"
        self.fraction = 0.0
        self.limit: float | None = None
        self.expected: float | None = None
        self.figures = ""

    def feed(self, progress: Progress) -> None:
        """Take a report."""
        if progress.stage != self.stage:
            took = self._now() - self._stage_start
            self._took[self.stage] = self._took.get(self.stage, 0.0) + took
            self.stage, self._stage_start = progress.stage, self._now()
            self.limit = self.expected = None
        self.fraction = progress.fraction
        self.limit = self.limit if progress.limit is None else progress.limit
        self.expected = self.expected if progress.expected is None else progress.expected
        self.figures = ", ".join(progress_figures(progress))

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._now() - self._start

    @property
    def remaining(self) -> float | None:
        """Seconds that are probably left; ``None`` while nothing hints at them."""
        here = self._now() - self._stage_start
        known = sum(self._took.get(stage, 0.0) for stage in ("read", "encode"))
        if self.limit is not None:
            left = max(0.0, self.limit - here)
        elif self.fraction >= _TELLING:
            left = here * (1 - self.fraction) / self.fraction
        elif self.expected is not None:
            left = max(0.0, self.expected - here)
        elif known and _SHARES.get(self.stage):
            left = max(0.0, _SHARES[self.stage] * known - here)
        else:
            return None
        stages = list(_SHARES)
        later = stages[stages.index(self.stage) + 1 :] if self.stage in stages else []
        return left + known * sum(_SHARES[stage] for stage in later)

    def line(self) -> str:
        """Return how far the run is, in one line."""
        parts = [self.stage]
        if 0 < self.fraction < 1:
            parts.append(f"{100 * self.fraction:.0f} %")
        parts.append(f"{spelled(self.elapsed)} elapsed")
        if self.remaining is not None:
            parts.append(f"about {spelled(self.remaining)} left")
        return ", ".join([*parts, *([self.figures] if self.figures else [])])


def spelled(seconds: float) -> str:
    """Return a time as a clock shows it.

    >>> spelled(75), spelled(3600)
    ('1:15', '1:00:00')
    """
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
