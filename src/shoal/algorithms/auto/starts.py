"""The starts of a portfolio: classes from which a search can begin."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.auto.cells import divide_in_cells
from shoal.algorithms.auto.curve import divide_along_curve
from shoal.algorithms.auto.policy import CELLS, CURVE, SEQUENTIAL, is_long_start_worth_time, starts
from shoal.algorithms.auto.prospects import INSIDE, Prospects
from shoal.algorithms.cluster.unfinished import STOPPABLE, divide_until
from shoal.algorithms.constants import (
    FEW_BROKEN,
    HANDICAPS,
    LARGE_CLASS,
    LATE_BY,
    LONG_LOOK,
    LOOK_JUDGES,
    MODELS_SHARE,
    MOST_LATE_SHARE,
    MOST_LONG_REPAIR_SHARE,
    MOST_LONG_SHARE,
    MOST_REPAIR_SHARE,
    MOST_SEQUENTIAL_SHARE,
    MOST_SHALLOW_SHARE,
    MOST_SHORT_REPAIR_SHARE,
    MOST_STARTS_SHARE,
    MOST_WHOLE_SHARE,
    OVERRUN,
    SHALLOW_IN_LARGE,
    SMALL,
    USUAL_START,
    WHOLE_SHARE,
)
from shoal.algorithms.run import ExpiredError

if TYPE_CHECKING:
    from shoal.algorithms.auto.contest import Contest
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

FASTEST = "mondrian"
RIGID = "sorted"


class Starts:
    """Starts that enter a contest one after another; what each found is kept for the search.

    Parameters
    ----------
    problem
        What is divided, by every start as if no record might be suppressed.
    patience
        Where no time is set, the seconds of estimated work that a start may take.
    """

    def __init__(
        self, problem: Problem, run: Run, contest: Contest[Partition], patience: float
    ) -> None:
        self.problem = problem
        self.whole = problem.without_suppression()
        self.run = run
        self.contest = contest
        self.patience = patience
        self.prospects = Prospects(self.whole, run)
        self.found: dict[str, Partition] = {}
        self.losses: dict[str, float] = {}  # infinite if it was stopped

    def enter_fastest(self) -> None:
        """Enter `mondrian`, whatever the time."""
        # With models it makes no cut that breaks one: poor classes, but no repair.
        self.enter(FASTEST, {"models": "keep"} if self.problem.models else {}, inf)
        self.prospects.cut = self.found.get(FASTEST)
        self._mark_trivially_optimal()

    def enter_all(self) -> None:
        """Enter the others that fit the time, as the policy chooses them."""
        left = self.run.budget.seconds_left
        # With models, a repair takes many times as long as what ran so far.
        is_hard = bool(self.problem.models) and self.run.budget.seconds_spent > MODELS_SHARE * left
        names = (
            []
            if is_hard or left <= 0
            else starts(self.problem, left, self.prospects, self.patience)
        )
        for place, name in enumerate(names):
            if self.contest.is_over(self.run.budget):
                return
            if self._is_hopeless(name):
                continue
            began = self.run.budget.clock()
            left = self.run.budget.seconds_left
            with self.run.part(place / len(names), (place + 1) / len(names)):
                self.enter(name, {}, self._most_of(name, left))
            took = self.run.budget.clock() - began
            if self.problem.models and took > MODELS_SHARE * left and name != SEQUENTIAL:
                break  # models that are hard to meet: the next start would not be done in time
            if took > MOST_STARTS_SHARE * left:
                return  # the search needs the rest
            self._mark_trivially_optimal()
        self.enter_with_short_repair()

    def _is_hopeless(self, name: str) -> bool:
        """Return whether a start promises far more loss than one found since it was chosen.

        Not if that may be the runs of `sorted` for a large k, which leave a search few moves.
        """
        promise = self.prospects.promise(name) * self.losses[FASTEST]
        return self.problem.k < LARGE_CLASS and promise > HANDICAPS[RIGID] * self.contest.loss

    def enter_with_short_repair(self) -> None:
        """Try the runs of `sorted` where few of them break a model."""
        if not self.problem.models or RIGID in self.losses or self.contest.is_over(self.run.budget):
            return
        if self._is_timed and self.prospects.share_broken(RIGID) < FEW_BROKEN:
            self.enter(RIGID, {}, self._most_of_repair(RIGID) * self.run.budget.seconds_left)

    def _most_of(self, name: str, left: float) -> float:
        """Return the seconds after which a start is stopped, with nothing to show for it."""
        if self.problem.models:
            return self._most_of_repair(name) * left
        if name == SEQUENTIAL:
            # It ends by itself before that, unless its first part takes as long.
            return OVERRUN * self._share_of_sequential * left
        return inf if name in STOPPABLE else left - self.contest.judging

    def _most_of_repair(self, name: str) -> float:
        """Return the share of the time after which a repair, whose time no slice shows, is stopped.

        Without time for the search after it, it is not worth that.
        """
        if not self._is_timed:
            return MOST_REPAIR_SHARE
        if name != RIGID:
            is_short = self.prospects.depth < SHALLOW_IN_LARGE
            return MOST_SHORT_REPAIR_SHARE if is_short else MOST_REPAIR_SHARE
        is_short = self.prospects.share_broken(RIGID) < FEW_BROKEN
        return MOST_SHORT_REPAIR_SHARE if is_short else MOST_LONG_REPAIR_SHARE

    def enter(self, name: str, parameters: dict[str, str], most: float) -> None:
        """Enter the classes of a start, which is stopped after so many seconds."""
        work = partial(self._run_start, name, parameters)
        self.losses[name] = self.contest.enter(name, work, most=most)

    def _run_start(self, name: str, parameters: dict[str, str]) -> Partition:
        if name in INSIDE:
            found = self._divide_in_cells(name, self.whole)
        elif name == CURVE and self._is_curve_long:
            best = self.contest.best
            found = divide_along_curve(self.whole, best, self.run, self._most_of_start())
            if found is best:
                raise ExpiredError  # there is nothing to judge
        elif name in STOPPABLE and self._is_timed:
            if name == USUAL_START:
                found = self._divide_while_in_time(name)
            else:
                found = divide_until(name, self.whole, self.run.child(), self._most_of_start())
        else:
            found = solve_partition(name, self.whole, self._run_of_start(name), parameters)
        self.found[name] = found
        return found

    def _most_of_start(self) -> float:
        """Return the seconds after which a start that can be stopped is to end."""
        left = self.run.budget.seconds_left
        share = MOST_SHALLOW_SHARE if self.prospects.is_search_shallow else MOST_WHOLE_SHARE
        return self._judged_in_time(share * left)

    def _judged_in_time(self, seconds: float) -> float:
        left = self.run.budget.seconds_left
        return max(0.0, min(seconds, left - LOOK_JUDGES * self.contest.judging))

    def _is_long(self, name: str) -> bool:
        """Return whether a start may take most of the time."""
        left = self.run.budget.seconds_left
        if name != USUAL_START or self.prospects.seconds(name) <= WHOLE_SHARE * left:
            return False
        return is_long_start_worth_time(self.problem, left, self.prospects)

    def _divide_while_in_time(self, name: str) -> Partition:
        """Return the classes of a start; others for the rest if it will not be done in time."""
        clock = self.run.budget.clock
        began = clock()
        is_long = self._is_long(name)
        share = MOST_LONG_SHARE if is_long else MOST_LATE_SHARE
        most = self._judged_in_time(share * self.run.budget.seconds_left)
        first = LONG_LOOK * most if is_long else min(self._most_of_start(), most)

        def divide_rest(rest: Problem) -> Partition:
            spent = clock() - began
            # What it does for each class is in proportion to the rows that are left.
            done = 1 - (rest.rows / self.whole.rows) ** 2
            if spent <= LATE_BY * done * most:
                return divide_until(name, rest, self.run.child(), most - spent)
            if is_long and self.prospects.divides(CELLS):
                return self._divide_in_cells(CELLS, rest)
            return solve_partition(FASTEST, rest, self.run.child())

        return divide_until(name, self.whole, self.run.child(), first, divide_rest)

    def _run_of_start(self, name: str) -> Run:
        """Return the run of a start: one that can end early does so where it takes too long."""
        if name != SEQUENTIAL or not self._is_timed:
            return self.run.child()
        return self.run.child(replace(self.run.budget.share(self._share_of_sequential), steps=None))

    @property
    def _share_of_sequential(self) -> float:
        # What it has when it is stopped is a poor start if classes are small.
        is_large = self.problem.k >= LARGE_CLASS
        return MOST_SEQUENTIAL_SHARE if is_large else MOST_WHOLE_SHARE

    def _divide_in_cells(self, name: str, problem: Problem) -> Partition:
        if self.run.budget.seconds_left == inf:
            return divide_in_cells(problem, self.run)
        size = self.prospects.rows_of_cell(name)
        until = self.run.within(replace(self.run.budget.share(WHOLE_SHARE), steps=None))
        return divide_in_cells(problem, until, size, INSIDE[name])

    def _mark_trivially_optimal(self) -> None:
        """Note that fewer than 2k records are one class, and that nothing loses less than none."""
        if self.problem.measure != "gcp":
            return
        alone = self.problem.n < 2 * self.problem.k and not self.problem.suppression_limit
        if alone or self.contest.loss == 0:
            proved = replace(self.contest.best, optimal=True, lower_bound=self.contest.loss)
            self.contest.enter("proof", lambda: proved)

    @property
    def _is_curve_long(self) -> bool:
        return self.problem.n > SMALL and not self.problem.models and self._is_timed

    @property
    def _is_timed(self) -> bool:
        return self.run.budget.seconds is not None
