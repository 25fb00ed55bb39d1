"""The state of a search for a proved optimum, and its steps: pricing, cuts, choosing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from shoal._core import kernels
from shoal.algorithms.exact.highs import SolverFailedError
from shoal.algorithms.exact.optimal.choosing import USUAL_LIMITS, Chosen, choose
from shoal.algorithms.exact.optimal.columns import Columns, Cuts, grouped
from shoal.algorithms.exact.optimal.generation import Prices
from shoal.algorithms.exact.optimal.master import Fractional, Relaxation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.branching import Branches
    from shoal.algorithms.exact.optimal.choosing import ChoosingLimits
    from shoal.algorithms.exact.optimal.generation import Found, Generator

_Kind = TypeVar("_Kind")

# How far prices are moved from the best known ones to those of the relaxation.
SHARE = 0.7
# Below this relative gap nothing is left to be found in a part.
NOTHING = 1e-9
# A proof is one up to this share of the loss, or of 1 if that is more: the relaxation is solved to
# half of it, and HiGHS gives up what is better than its best by less than 10^-6.
PROVED = 2e-6
SLIP = 0.9 * PROVED
BETTER = 0.1 * PROVED
# The relaxation is solved to this relative gap between its own bounds, or, below branches, to this
# share of what a better division could save: dividing on closes that, too.
CONVERGED = 1e-6
CLOSE_ENOUGH = 0.02
NODES_OF_CHOOSING = 2_000
# A node takes time in proportion to the rows: beyond so many there are fewer nodes.
ROWS_OF_CHOOSING = 100
QUICK_NODES = 200
NODES_OF_A_LEADER = 1_000_000
LARGEST_DIVISOR = 6
LARGEST_PART = 0.999
VIOLATION = 0.02
CUTS_OF_ROW = 4
CUTS_A_ROW = 1 / 3
LEAST_CUTS = 30
ROWS_OF_CUT = 60
SMALL_SHARE = 1e-7
WHOLE = 1e-6
# Where fillers are still used, they become dearer by this factor.
DEARER = 4.0
STEPS_A_SIMPLEX_ITERATION = 20
# HiGHS is given fewer nodes where few steps are left; what it took counts.
STEPS_A_NODE = 5_000
# Of the steps that are left, at most so much goes into one list.
SHARE_OF_STEPS = 0.25


class BudgetSpentError(Exception):
    """The deadline or the budget of steps struck."""


@dataclass(frozen=True, slots=True, eq=False)
class Converged:
    """The relaxation of one part, solved over all its columns.

    Parameters
    ----------
    bound
        What no division of the part is below.
    prices, priced
        Prices of the best bound that pricing proved, and that bound.
    solution
        ``None`` if nothing better than the best division is left in the part.
    """

    bound: float
    prices: Prices
    priced: float
    solution: Fractional | None


class Search(Generic[_Kind]):
    """Upper and lower bound on the total loss, and the best solution so far.

    A solution is a choice of columns: a division into classes, or a cover.

    Parameters
    ----------
    generator
        The problem, its program, and the run, whose steps are nodes of pricing, and some for each
        simplex iteration.
    best
        A solution to start from.
    first
        The columns that it uses.
    suppressed
        How many records it suppresses.
    made
        Makes a solution of columns, each as often as it is used, and of the number of suppressed
        records of each row; ``None`` if they are none.
    quick
        Whether only a better solution is wanted, no proof.
    allowed
        Which columns a solution may use; all, unless given. Bounds do not know of it.
    limits
        How long the lists are that the integer program chooses from.

    ``searched`` counts steps of local searches on the way, ``rounding`` what these took of the
    budget, ``rounded_in_vain`` how many of them in a row found nothing better.
    """

    def __init__(
        self,
        generator: Generator,
        best: _Kind,
        first: Columns,
        made: Callable[[Columns, NDArray[np.int64]], _Kind | None],
        *,
        suppressed: int = 0,
        quick: bool = False,
        allowed: Callable[[Columns], NDArray[np.bool_]] | None = None,
        limits: ChoosingLimits = USUAL_LIMITS,
    ) -> None:
        self.generator = generator
        self.problem, self.run, self.program = generator.problem, generator.run, generator.program
        self.quick = quick
        self.allowed = allowed
        self.limits = limits
        self.best = best
        self._made = made
        self.upper = float(first.costs.sum()) + self.program.loss_of_suppressed(suppressed)
        self.lower = 0.0
        self.relaxation = Relaxation(self.program, first)
        self._choosing = 0
        self.searched = 0
        self.rounding = 0.0
        self.rounded_in_vain = 0
        self.report()

    def report(self) -> None:
        """Report to the run how far the search is."""
        if self.quick:
            return
        control = self.run.control
        control.loss = self.upper / self.program.places
        control.bound = self.lower / self.program.places
        control.steps = self.steps

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        iterations = self.relaxation.iterations + self._choosing
        return self.generator.steps + self.searched + STEPS_A_SIMPLEX_ITERATION * iterations

    def left(self, share: float = 1.0) -> int | None:
        """Return a share of the steps that are left, if they are limited."""
        most = self.run.budget.steps
        return None if most is None else int(share * max(0, most - self.steps))

    def _iterations(self) -> int | None:
        left = self.left()
        return None if left is None else left // STEPS_A_SIMPLEX_ITERATION

    @property
    def lower_bound(self) -> float:
        """What no solution loses less than, per record."""
        return max(0.0, self.lower - self.generator.error) / self.program.places

    @property
    def gap(self) -> float:
        """What a better solution could save at most."""
        return self.upper - self.lower

    @property
    def closed(self) -> bool:
        """Whether nothing is left that is better by more than what proofs are good for."""
        return self.gap <= PROVED * max(1.0, self.upper)

    def know(self, columns: Columns) -> None:
        """Take columns into the pool."""
        self._add(columns)

    def offer(self, columns: Columns) -> None:
        """Keep the division into these classes if it is the best."""
        once = np.ones(len(columns), dtype=np.int64)
        self._take(columns, once, np.zeros(self.program.rows, dtype=np.int64))

    def know_class(self, rows: NDArray[np.int32], counts: NDArray[np.int32]) -> None:
        """Take a class into the pool."""
        grouping = grouped(np.zeros(len(rows), dtype=np.int64), rows, counts)
        self._add(Columns(*grouping, self.generator.costs(*grouping)))

    def count_iterations(self, iterations: int) -> None:
        """Count simplex iterations of an integer program among the steps."""
        self._choosing += iterations

    def spend(self) -> None:
        """Raise if the budget is spent."""
        self.run.check()
        most = self.run.budget.steps
        if self.run.remaining() <= 0 or (most is not None and self.steps >= most):
            raise BudgetSpentError

    def raise_lower(self, bound: float) -> None:
        """Keep a bound on all divisions if it is better than the one so far."""
        self.lower = max(self.lower, min(bound, self.upper))
        self.report()

    def _add(self, columns: Columns) -> int:
        if self.allowed is not None and len(columns):
            columns = columns.take(self.allowed(columns))
        return self.relaxation.add(columns)

    def converge(
        self, branches: Branches, known: float = 0.0, centre: Prices | None = None
    ) -> Converged:
        """Solve the relaxation over all columns that the branches allow.

        Parameters
        ----------
        known
            A bound on the part that is known already.
        centre
            Prices to start from.
        """
        relaxation = self.relaxation
        relaxation.restrict(branches, self.generator.largest(branches))
        bound, priced = known, -1.0
        smooth = True
        filler = 1.0
        while True:
            self.spend()
            now = relaxation.solve(self.run, self._iterations())
            if now is None:
                raise BudgetSpentError
            exact = Prices.of(self.program, now.prices)
            trial = exact if centre is None or not smooth else centre.mixed(exact, SHARE)
            found = self.generator.price(trial, relaxation.cuts, branches, steps=self.left())
            if centre is None or found.bound > priced:
                centre, priced = trial, found.bound
            bound = max(bound, found.bound)
            if not len(branches):
                self.raise_lower(found.bound)
            if not found.complete:
                raise BudgetSpentError
            if bound >= self.upper * (1 - NOTHING):
                return Converged(bound, centre, priced, None)
            added = self._add(found.columns)
            left_open = CONVERGED * now.loss
            if len(branches) and self.upper < math.inf and not is_whole(now):
                left_open = max(left_open, CLOSE_ENOUGH * (self.upper - bound))
            if now.loss - bound <= left_open or (not added and trial is exact):
                if now.filled > WHOLE and filler < self.upper:
                    filler *= DEARER
                    relaxation.fill_at(filler)
                    continue
                relaxation.fill_at(1.0)
                self._take_if_whole(now)
                return Converged(bound, centre, priced, now)
            smooth = bool(added)

    def _take_if_whole(self, now: Fractional) -> None:
        """Keep the relaxation's solution if it is a division."""
        if is_whole(now):
            used = np.rint(now.values).astype(np.int64)
            out = self.program.ways_out
            # Columns may have come since.
            solved = self.relaxation.columns.take(np.arange(len(used) - out))
            self._take(solved, used[out:], used[:out])

    @property
    def settled(self) -> float:
        """What nothing is below where HiGHS found nothing better than the best division."""
        return self.upper - SLIP * max(1.0, self.upper)

    def every(self, now: Converged, branches: Branches, below: float, most: int) -> Found:
        """Return every column that the branches allow of a reduced cost below a limit."""
        self.spend()
        steps = self.left(SHARE_OF_STEPS)
        if steps is not None and steps <= self.program.rows:
            raise BudgetSpentError
        return self.generator.price(
            now.prices,
            self.relaxation.cuts,
            branches,
            below=below,
            every=most,
            nodes=NODES_OF_A_LEADER,
            steps=steps,
        )

    def choose(
        self,
        pool: Columns,
        branches: Branches,
        *,
        heuristics: bool = False,
        effort: int = 1,
        share: float = 1.0,
    ) -> Chosen | None:
        """Choose the best solution over a pool, and keep it; ``None`` if the solver failed.

        The solver may take ``effort`` times the usual number of nodes, and a share of what is left
        of the time.
        """
        nodes = effort * nodes_within(self.left()) * ROWS_OF_CHOOSING
        nodes = 1 + nodes // max(ROWS_OF_CHOOSING, self.program.rows)
        try:
            chosen = choose(
                self.program,
                pool,
                self.relaxation.cuts,
                self.run if share == 1.0 else self.run.within(self.run.budget.share(share)),
                below=self.upper - BETTER * max(1.0, self.upper),
                branches=branches,
                heuristics=heuristics,
                nodes=min(nodes, QUICK_NODES) if self.quick else nodes,
            )
        except SolverFailedError as error:
            self.run.note(f"HiGHS failed to choose among classes ({error}): the search went on.")
            return None
        self.count_iterations(chosen.iterations)
        if chosen.times is not None and not self._take(pool, chosen.times, chosen.withheld):
            # The program's best is not a solution: that there is no better one is not proved.
            return replace(chosen, proved=False)
        return chosen

    def _take(
        self, columns: Columns, times: NDArray[np.int64], withheld: NDArray[np.int64]
    ) -> bool:
        """Keep a solution if it is better than the best so far; false if it is none."""
        used = np.repeat(np.arange(len(columns)), times)
        gone = self.program.loss_of_suppressed(int(withheld.sum()))
        total = float(columns.costs[used].sum()) + gone
        if total >= self.upper:
            return True
        solution = self._made(columns.take(used), withheld)
        if solution is None:
            return False
        self.upper, self.best = total, solution
        self.report()
        return True

    def cut(self, now: Converged) -> Prices | None:
        """Add cuts that a fractional solution breaks, forget those that hold nothing now.

        Return prices to start from with the cuts there are then; ``None`` if no cut was found.
        """
        if now.solution is None:
            return None
        self.spend()
        relaxation, program = self.relaxation, self.program
        values = now.solution.values[program.ways_out :]
        used = np.flatnonzero(values > SMALL_SHARE)
        # The kernel knows shares below 1 alone: what is used more often counts as several columns.
        parts = np.ones(len(used), dtype=np.int64)
        if program.times > 1:
            parts = np.ceil(values[used] / LARGEST_PART).astype(np.int64)
        some = relaxation.columns.take(np.repeat(used, parts))
        divisors = np.arange(2, max(3, min(self.problem.k, LARGEST_DIVISOR)) + 1, dtype=np.int32)
        cuts = Cuts(
            *kernels.separate(
                program.counts.astype(np.int64),
                some.start,
                some.rows,
                some.counts,
                np.repeat(values[used] / parts, parts),
                divisors,
                violation=VIOLATION,
                most=max(LEAST_CUTS, int(CUTS_A_ROW * program.rows)),
                most_of_row=CUTS_OF_ROW,
                largest=ROWS_OF_CUT,
                control=self.run.control,
            )
        )
        if not len(cuts):
            return None
        kept = now.solution.prices[program.fixed_rows :] < -SMALL_SHARE
        relaxation.drop_cuts(kept)
        relaxation.add_cuts(cuts)
        return now.prices.with_cuts(kept, len(cuts))


def nodes_within(steps: int | None) -> int:
    """Return how many nodes an integer program may take where so many steps are left."""
    return NODES_OF_CHOOSING if steps is None else min(NODES_OF_CHOOSING, 1 + steps // STEPS_A_NODE)


def is_whole(solution: Fractional) -> bool:
    """Return whether every column is used a whole number of times."""
    return bool(np.abs(solution.values - np.rint(solution.values)).max(initial=0.0) < WHOLE)
