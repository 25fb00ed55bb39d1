"""The portfolio for releases in classes: starts, search, and both again without outliers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.auto.calibration import calibrate
from shoal.algorithms.auto.contest import Contest
from shoal.algorithms.auto.search import Search
from shoal.algorithms.auto.starts import Starts
from shoal.algorithms.cluster.suppression import (
    is_suppression_worth_time,
    loss_of_partition,
    suppress_outliers,
)
from shoal.algorithms.constants import (
    EARLY_JUDGES,
    EARLY_SHARE,
    FIRST_DIVISION_SHARE,
    LOOK_SHARE,
    PATIENCE,
    REST_JUDGES,
    REST_SHARE,
    SUPPRESSION_JUDGES,
)
from shoal.algorithms.run import ExpiredError
from shoal.algorithms.solution import without_proof

if TYPE_CHECKING:
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def best_partition(problem: Problem, run: Run, *, patience: float = PATIENCE) -> Partition:
    """Return the best classes that the budget allows.

    Parameters
    ----------
    patience
        Where no time is set, the seconds of estimated work that a start may take.
    """
    if problem.suppression_limit and problem.suppress_for == "released":
        return _best_of_released(problem, run)
    return Portfolio(problem, run, patience).divide()


def _best_of_released(problem: Problem, run: Run) -> Partition:
    """Return the classes of least loss for the records that are released, up to the limit."""
    budget = run.budget
    with run.part(0.0, 0.5):
        whole = Portfolio(
            problem.without_suppression(), run.within(budget.share(FIRST_DIVISION_SHARE))
        ).divide()

    def divide_rest(rest: Problem) -> Partition:
        if run.control.stopping:
            raise ExpiredError
        with run.part(0.5, 1.0):
            return Portfolio(rest, run.within(budget.share(REST_SHARE))).divide()

    choices = [suppress_outliers(problem, without_proof(whole), run, divide_rest)]
    seconds, taken = budget.seconds_left, 0.0
    if 0 < seconds < inf:
        taken = calibrate("k-member", problem, run, seconds).seconds(problem.rows)
    # It divides twice: all records, and those that are not suppressed.
    if 2 * taken < seconds and not run.control.stopping:
        # Which records are best suppressed shows in other classes, too, not only in the best.
        seconds = budget.seconds_left
        with suppress(ExpiredError), run.part(1.0, 1.0), run.at_most(seconds):
            choices.append(solve_partition("k-member", problem, run.child()))
    run.report(1.0)
    return min(choices, key=lambda choice: loss_of_partition(problem, choice))


class Portfolio:
    """Steps that each start from the best classes so far, which are never lost.

    Where records may be suppressed, the table is divided as if they might not; only then the rest
    is divided without its outliers, and the better of the two is kept. Steps count for each of
    the two divisions, so that a limit never makes the result worse. Time goes to one of them: where
    the start gains enough, short searches of all records and of those that are left show whether
    the gain lasts, and the rest of the time is spent on whichever ends lower.
    """

    def __init__(self, problem: Problem, run: Run, patience: float = PATIENCE) -> None:
        self.problem = problem
        self.patience = patience
        self.run = run
        self.objective = problem.objective()
        self.contest: Contest[Partition] = Contest(run, self._loss)
        self.starts = Starts(problem, run, self.contest, patience)
        self.search = Search(problem, run, self.contest, self.starts)

    def divide(self) -> Partition:
        """Return the best classes found."""
        run, contest = self.run, self.contest
        run.report(0.0)
        with run.part(0.0, 0.02):
            self.starts.enter_fastest()
        with run.part(0.02, 1.0):
            if self._is_suppression_tried_early():
                self._suppress(self.contest.best)
            else:
                self._start_and_search()
        run.report(1.0)
        run.control.steps = self.search.taken
        return replace(contest.best, lower_bound=contest.lower_bound)

    def _start_and_search(self) -> None:
        run = self.run
        with run.part(0.0, 0.2):
            self.starts.enter_all()
        if self._is_suppression_tried():
            with run.part(0.2, 0.4):
                look = run.budget.share(LOOK_SHARE) if self._is_timed else run.budget
                self.search.improve(look)
            whole = self.contest.best
            with run.part(0.4, 1.0):
                if not self._is_timed or self._gains_by_suppression(whole):
                    self._suppress(whole)
                    return
        with run.part(0.4, 1.0):
            self.search.improve(run.budget)

    @property
    def _is_timed(self) -> bool:
        return self.run.budget.seconds is not None

    def _is_suppression_tried(self) -> bool:
        if not self.problem.suppression_limit or self._is_over():
            return False
        if not self._is_timed:
            return True
        return not self._is_look_dear and is_suppression_worth_time(self.problem, self.contest.best)

    def _is_suppression_tried_early(self) -> bool:
        """Return whether to spend the time without outliers though no search tells if they pay."""
        if not self.problem.suppression_limit or self._is_over() or not self._is_timed:
            return False
        took = EARLY_JUDGES * self.contest.judging
        fits = self._is_look_dear and took < EARLY_SHARE * self.run.budget.seconds_left
        return fits and is_suppression_worth_time(self.problem, self.contest.best)

    @property
    def _is_look_dear(self) -> bool:
        # To tell takes as long as to judge a few solutions.
        taken = SUPPRESSION_JUDGES * self.contest.judging
        return taken > LOOK_SHARE * self.run.budget.seconds_left

    def _gains_by_suppression(self, whole: Partition) -> bool:
        """Return whether a short search without outliers ends lower than one with them did."""
        if not self._is_suppression_tried():
            return False
        loss = self.contest.loss
        self._suppress(whole, LOOK_SHARE)
        return self.contest.loss < loss

    def _suppress(self, whole: Partition, share: float = 1.0) -> None:
        """Divide the rest without outliers, and keep that if the total loss falls.

        Parameters
        ----------
        whole
            Classes of all records, which show what the outliers are.
        share
            Of the time, how much this may take.
        """
        budget = self.run.budget.share(share) if self._is_timed else self.run.budget
        if self.contest.is_over(budget) or whole.suppressed:
            return

        def divide_rest(rest: Problem) -> Partition:
            if self.run.control.stopping:
                raise ExpiredError
            own = budget
            if self._is_timed:
                left = budget.seconds_left
                judged = max((1 - REST_SHARE) * left, REST_JUDGES * self.contest.judging)
                own = budget.fresh(seconds=max(0.0, left - judged), steps=budget.steps)
            return Portfolio(rest, self.run.within(own), self.patience).divide()

        self.run.control.steps = 0
        self.search.enter(
            "suppress", lambda: suppress_outliers(self.problem, whole, self.run, divide_rest)
        )

    def _loss(self, partition: Partition) -> float:
        return loss_of_partition(self.problem, partition, self.objective)

    def _is_over(self) -> bool:
        return self.contest.is_over(self.run.budget)
