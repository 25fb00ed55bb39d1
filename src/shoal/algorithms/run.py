"""One run of an algorithm: its randomness, its budget, and what it shares with its watcher."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import TIMEOUT_MAX, Event, Thread
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.budget import Budget
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator


# Seconds between two looks at a clock that is slower than the wall's.
_SHORTEST_WAIT = 0.001


class ExpiredError(Exception):
    """A part of a run was stopped because its time was up, or that of the whole run."""


@dataclass(frozen=True, slots=True)
class PortfolioStep:
    """A step of an algorithm that runs others.

    Parameters
    ----------
    step
        The algorithm that ran.
    seconds
        How long it took.
    loss
        The loss of what it found, under the problem's measure; ``None`` if it found nothing.
    gained
        How far that is below the best loss before; 0 if it is not.
    """

    step: str
    seconds: float
    loss: float | None
    gained: float


@dataclass(frozen=True, slots=True)
class Run:
    """The circumstances under which an algorithm solves a problem.

    A run never changes: steps of an algorithm get runs derived from it, by :meth:`within` or
    :meth:`child`. Notes and trace are lists that it fills.

    Parameters
    ----------
    seed
        Seed of all randomness; drawn from the operating system unless given.
    threads
        How many threads kernels may use. Results depend on it only where a limit of time ends
        the work, since more threads get further by then.
    budget
        What it may spend.
    control
        Progress and cancellation, shared with kernels.
    notes
        What the user should know about this run, in sentences.
    trace
        The steps of an algorithm that runs others, in order.
    """

    seed: int = field(default_factory=lambda: secrets.randbits(128))
    threads: int = 1
    budget: Budget = field(default_factory=Budget)
    control: kernels.Control = field(default_factory=kernels.Control)
    notes: list[str] = field(default_factory=list)
    trace: list[PortfolioStep] = field(default_factory=list)

    def within(self, budget: Budget) -> Run:
        """Return this run under another budget."""
        return replace(self, budget=budget)

    def child(
        self,
        budget: Budget | None = None,
        *,
        seed: int | None = None,
        threads: int | None = None,
        control: kernels.Control | None = None,
    ) -> Run:
        """Return the run of a step, with notes of its own.

        Parameters
        ----------
        budget
            What the step may spend; unlimited unless given.
        seed, threads, control
            Those of this run unless given.
        """
        return Run(
            seed=self.seed if seed is None else seed,
            threads=self.threads if threads is None else threads,
            budget=Budget() if budget is None else budget,
            control=self.control if control is None else control,
        )

    def note(self, *notes: str) -> None:
        """Add a note for the user, once."""
        self.notes.extend(note for note in dict.fromkeys(notes) if note not in self.notes)

    def generator(self) -> np.random.Generator:
        """Return a fresh random generator; equal seeds give equal streams."""
        return np.random.default_rng(self.seed)

    def kernel_seed(self) -> int:
        """Return the seed that kernels take."""
        return int(self.generator().integers(2**64, dtype="uint64"))

    def report(self, fraction: float) -> None:
        """Say how far the run, or the part of it under way, is, from 0 to 1."""
        self.check()
        self.control.progress = fraction

    def check(self) -> None:
        """Raise :class:`Cancelled` if the watcher wants the run to end without a result."""
        if self.control.abandoned:
            raise Cancelled("The run was interrupted; nothing was written.")

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """End what runs within when the best so far is requested, and go on after it.

        Raises
        ------
        Cancelled
            If the run is to end without a result.
        """
        try:
            yield
        except Cancelled:
            self.check()

    @contextmanager
    def part(self, begin: float, end: float) -> Iterator[None]:
        """Map what is reported within to a part of the whole, so that progress never falls."""
        outer = self.control.part
        width = outer[1] - outer[0]
        self.control.part = (outer[0] + begin * width, outer[0] + end * width)
        try:
            yield
        finally:
            self.control.part = outer

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Stop what runs within after so many seconds, whether or not it looks at the time.

        Seconds are those of the budget's clock, which must not run faster than the wall's.

        Raises
        ------
        ExpiredError
            If the time was up, or the run is to end; it may go on with something else.
        """
        control, clock, ended = self.control, self.budget.clock, Event()
        deadline = clock() + seconds

        def expire() -> None:
            while (left := deadline - clock()) > 0:
                if ended.wait(min(max(left, _SHORTEST_WAIT), TIMEOUT_MAX)):
                    return
            control.expired = True

        watch = Thread(target=expire, daemon=True)
        watch.start()
        try:
            yield
        except Cancelled:
            if control.interrupted:
                raise
            raise ExpiredError from None
        finally:
            ended.set()
            watch.join()
            control.expired = False

    def remaining(self) -> float:
        """Return how many seconds are left: none once the best so far is requested."""
        return 0.0 if self.control.stopping else self.budget.seconds_left
