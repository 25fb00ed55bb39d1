"""How far a run is: its stages, their seconds, and solving that can be watched and stopped."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, TypeVar

from shoal.errors import Cancelled
from shoal.pipeline.figures import gap_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shoal.algorithms import Algorithm, Problem, Run, Solution

    Watcher = Callable[["Progress"], None]

_GLANCE = 0.05
# Seconds over which improvement is measured, and at most this share of the search: its first steps
# gain much, and say nothing about now. Fewer seconds than the last figure say nothing, either.
_LATELY, _LAST_PART, _ENOUGH = 10.0, 0.25, 0.5
_PATIENCE = 2.0  # seconds for a thread to begin
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    stage
        What is being done: read, encode, examine, cut, solve, bound, recode, verify, write.
    fraction
        How much of the stage is done, from 0 to 1.
    loss
        Best loss so far, where the algorithm reports it.
    bound
        Loss that no solution can go below, once one has been proved.
    limit
        Seconds that the stage may take, where that is known.
    expected
        Seconds that the stage will probably take, where that can be estimated.
    rate
        How fast the best loss fell recently, per second, where the algorithm reports it.
    stopping
        Whether the user wants the run to end with the best so far.
    """

    stage: str
    fraction: float
    loss: float | None = None
    bound: float | None = None
    limit: float | None = None
    expected: float | None = None
    rate: float | None = None
    stopping: bool = False

    @property
    def gap(self) -> float | None:
        """The share of the loss that may be avoidable; ``None`` while unknown."""
        if self.loss is None or self.bound is None:
            return None
        return gap_of(self.loss, self.bound)


@dataclass(slots=True)
class Stages:
    """Stages of a run: reports their progress, and keeps the seconds that each one took.

    Parameters
    ----------
    search
        Seconds into solving and best loss at that time, whenever it was seen to be lower.
    solved
        Called with the problem and its solution, for studies that need more than a release shows.
    """

    watch: Watcher | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    search: list[tuple[float, float]] = field(default_factory=list)
    solved: Callable[[Problem, Solution], None] | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what is done within, and report when it begins and ends."""
        self.report(Progress(name, 0.0))
        start = time.perf_counter()
        yield
        spent = time.perf_counter() - start
        self.seconds[name] = round(self.seconds.get(name, 0.0) + spent, 6)
        self.report(Progress(name, 1.0))

    def report(self, progress: Progress) -> None:
        """Pass progress on to the watcher, if there is one."""
        if self.watch is not None:
            self.watch(progress)


def solve(
    chosen: Algorithm, problem: Problem, run: Run, stages: Stages, *, keep: bool = False
) -> Solution:
    """Solve in a thread of its own; see :func:`watched`. What runs once has no best so far."""
    keep = keep and chosen.traits.anytime
    limited = any(
        one.attribute.min_level or one.attribute.max_level is not None for one in problem.domains
    )
    task: Callable[[], Solution] = partial(chosen.solve, problem, run)
    if limited:
        from shoal.algorithms.level_limits import solve_within_levels

        task = partial(solve_within_levels, chosen, problem, run)
    return watched("solve", task, run, stages, keep=keep)


def watched(
    stage: str,
    task: Callable[[], _Result],
    run: Run,
    stages: Stages,
    *,
    keep: bool = False,
    start: Callable[[threading.Thread], None] = threading.Thread.start,
) -> _Result:
    """Run a task in a thread of its own, so that Ctrl-C and progress are handled meanwhile.

    Parameters
    ----------
    keep
        Whether the first Ctrl-C keeps the best so far. A task that has none ends at once without a
        result, as any task does on the second.
    start
        Starts the thread.

    Raises
    ------
    KeyboardInterrupt
        If the task was interrupted and has no result.
    """
    outcome: list[_Result | BaseException] = []
    # Not a join with a timeout: Ctrl-C during one makes Python 3.11 and 3.12 believe that the
    # thread has ended, and then leave while a kernel runs.
    finished = threading.Event()

    def work() -> None:
        try:
            outcome.append(task())
        except BaseException as error:  # noqa: BLE001 (handed on to the caller's thread below)
            outcome.append(error)
        finally:
            finished.set()

    watch = _Watch(stage, run, stages, keep=keep)
    worker = threading.Thread(target=work, name=f"shoal-{stage}")
    control = run.control
    try:
        # Within: Ctrl-C while the thread starts must not leave it to itself.
        start(worker)
        while True:
            try:
                if finished.wait(_GLANCE):
                    break
                watch.report()
            except KeyboardInterrupt:
                if not keep or control.stopping:
                    raise
                control.stop()
                watch.report()
    except BaseException:
        control.cancel()
        _wait_for_end(worker, finished)
        raise
    result = outcome[0]
    if isinstance(result, Cancelled) and control.stopping:
        raise KeyboardInterrupt
    if isinstance(result, BaseException):
        raise result
    watch.report()  # however short the task was
    return result


@dataclass(frozen=True, slots=True)
class _Watch:
    """Looks at a run, keeps the course of its search, and reports to whoever watches."""

    stage: str
    run: Run
    stages: Stages
    keep: bool
    began: float = field(default_factory=time.perf_counter)

    def keep_loss(self) -> float | None:
        """Return the best loss so far, and keep it if it is lower than before."""
        loss = self.run.control.loss
        if loss < 0:
            return None
        search = self.stages.search
        if self.stage == "solve" and loss < (search[-1][1] if search else inf):
            search.append((round(time.perf_counter() - self.began, 3), loss))
        return loss

    def report(self) -> None:
        """Report how far the run is."""
        control = self.run.control
        loss = self.keep_loss()
        rate = None
        if self.stage == "solve":
            rate = improvement(self.stages.search, time.perf_counter() - self.began)
        self.stages.report(
            Progress(
                self.stage,
                control.progress,
                loss,
                control.bound if control.bound >= 0 else None,
                limit=self.run.budget.seconds if self.keep else None,
                rate=rate,
                stopping=control.stopping,
            )
        )


def improvement(search: Sequence[tuple[float, float]], now: float) -> float | None:
    """Return by how much the best loss fell per second lately; ``None`` while it is too early.

    Parameters
    ----------
    search
        Seconds and best loss at that time, in order.
    now
        Seconds since the search began.

    >>> improvement([(0.0, 1.0), (2.0, 0.75), (8.0, 0.25)], 10.0)
    0.2
    >>> improvement([(0.0, 0.5), (2.0, 0.4), (8.0, 0.3)], 20.0)
    0.0
    """
    if not search:
        return None
    since = max(now - min(_LATELY, max(_LAST_PART * now, _ENOUGH)), search[0][0])
    if now - since < _ENOUGH:
        return None
    then = [loss for seconds, loss in search if seconds <= since][-1]
    return max(0.0, (then - search[-1][1]) / (now - since))


def _wait_for_end(worker: threading.Thread, finished: threading.Event) -> None:
    """Wait until a thread has ended, unless it never began."""
    patience = time.monotonic() + _PATIENCE
    while not finished.wait(_GLANCE):
        if worker.ident is None and time.monotonic() > patience:
            return
