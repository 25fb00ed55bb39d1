"""One run of an algorithm: its randomness, its budget, and what it shares with its watcher."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

import numpy as np

from shoal._core import kernels
from shoal.errors import Cancelled


@dataclass(slots=True)
class Run:
    """The circumstances under which an algorithm solves a problem.

    Parameters
    ----------
    seed
        Seed of all randomness; drawn from the operating system unless given.
    threads
        How many threads kernels may use; results do not depend on it.
    seconds
        Wall seconds for solving; ``None`` is no limit.
    steps
        Deterministic budget, in the algorithm's own steps; ``None`` is the algorithm's default.
    control
        Progress and cancellation, shared with kernels.
    notes
        What the user should know about this run, in sentences.
    """

    seed: int = field(default_factory=lambda: secrets.randbits(128))
    threads: int = 1
    seconds: float | None = None
    steps: int | None = None
    control: kernels.Control = field(default_factory=kernels.Control)
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def generator(self) -> np.random.Generator:
        """Return a fresh random generator; equal seeds give equal streams."""
        return np.random.default_rng(self.seed)

    def report(self, fraction: float) -> None:
        """Say how far the run is, from 0 to 1."""
        self.check()
        self.control.progress = fraction

    def check(self) -> None:
        """Raise :class:`Cancelled` if the watcher wants the run to end."""
        if self.control.cancelled:
            raise Cancelled("The run was interrupted; nothing was written.")

    def remaining(self) -> float:
        """Return how many wall seconds are left."""
        if self.seconds is None:
            return float("inf")
        return max(0.0, self.started + self.seconds - time.monotonic())
