"""The best solution so far, and what each step of a portfolio gained."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

from shoal.algorithms.run import ExpiredError, PortfolioStep
from shoal.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.budget import Budget
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

_Kind = TypeVar("_Kind", bound="Solution")


class Contest(Generic[_Kind]):
    """Solutions of one problem that compete under its measure; the best is kept.

    Every solution that enters meets k and every model, so whichever is best can be released.

    Parameters
    ----------
    loss
        What a solution loses, under the measure of the problem.
    """

    def __init__(self, run: Run, loss: Callable[[_Kind], float]) -> None:
        self.run = run
        self.loss = inf
        self.lower_bound: float | None = None
        self.judging = 0.0  # seconds that it takes to tell what a solution loses
        self._loss_of = loss
        self._best: _Kind | None = None

    @property
    def best(self) -> _Kind:
        """The best solution so far."""
        if self._best is None:
            raise Cancelled("The run was interrupted before it had found a release.")
        return self._best

    @property
    def is_proved(self) -> bool:
        """Whether nothing can be better."""
        return self._best is not None and self._best.optimal

    def is_over(self, budget: Budget) -> bool:
        """Return whether to stop: nothing can be better, somebody asked for it, or time is up."""
        return self.is_proved or self.run.control.stopping or budget.seconds_left <= 0

    def enter(self, step: str, work: Callable[[], _Kind], *, most: float = inf) -> float:
        """Do a step, stop it after so many seconds, and keep what it finds if that is best.

        Returns what the solution of this step loses; infinite if there is none.
        """
        clock = self.run.budget.clock
        began = clock()
        loss, gained = None, 0.0
        try:
            with self.run.at_most(most):
                found = work()
        except ExpiredError:
            pass
        else:
            ended = clock()
            loss = self._loss_of(found)
            self.judging = max(self.judging, clock() - ended)
            # The first has nothing to gain on; nor has one on a loss that nothing measures.
            gained = max(0.0, self.loss - loss) if self.loss < inf else 0.0
            self._keep(found, loss)
        reached = loss if loss is not None and loss < inf else None
        self.run.trace.append(PortfolioStep(step, clock() - began, reached, gained))
        return inf if loss is None else loss

    def _keep(self, found: _Kind, loss: float) -> None:
        if found.lower_bound is not None:
            self.lower_bound = max(self.lower_bound or 0.0, found.lower_bound)
            self.run.control.bound = self.lower_bound
        # A proof belongs to whoever has that loss, and to nobody else.
        if self._best is None or loss < self.loss or (loss == self.loss and found.optimal):
            self._best, self.loss = found, loss
        self.run.control.loss = self.loss
