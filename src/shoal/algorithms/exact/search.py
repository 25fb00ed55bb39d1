"""The search for a proved optimum: columns, cuts, enumeration, and branch and price."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.exact.branching import Branches, fractional_pair
from shoal.algorithms.exact.columns import Columns, Cuts, grouped, joined
from shoal.algorithms.exact.generation import Generator, Prices
from shoal.algorithms.exact.master import Chosen, Fractional, Relaxation, choose
from shoal.algorithms.exact.solver import SolverFailedError
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# How far prices are moved from the best known ones to those of the relaxation.
SHARE = 0.7
# Below this relative gap nothing is left to be found in a part.
NOTHING = 1e-9
# A proof is one up to this share of the loss, or of 1 if that is more: the relaxation is solved to
# half of it, and HiGHS gives up what is better than its best by less than 10^-6.
PROVED = 2e-6
# The relaxation is solved to this relative gap between its own bounds.
CONVERGED = 1e-6
# Columns that the integer program chooses from, for each row: first to find better divisions,
# which shorten the list, then to prove, if the whole list is no longer than that.
CHOSEN_FROM = (3, 10, 30)
LEAST_ROWS = 100
MOST_LISTED = 200_000
NODES_OF_CHOOSING = 2_000
QUICK_NODES = 200
NODES_OF_A_LEADER = 1_000_000
# Cuts are added while so many rounds narrow the gap by this share.
PATIENCE = 5
WORTH_CUTTING = 0.02
QUICK_ROUNDS = 2
LARGEST_DIVISOR = 6
VIOLATION = 0.02
CUTS_OF_ROW = 4
ROWS_OF_CUT = 30
CUTS_IN_ALL = 3
SMALL_SHARE = 1e-7
WHOLE = 1e-6
STEPS_A_SIMPLEX_ITERATION = 20
# HiGHS is given fewer nodes and columns where few steps are left; what it took counts.
STEPS_A_NODE = 5_000
STEPS_A_COLUMN = 20
# Of the steps that are left, at most so much goes into one list.
SHARE_OF_STEPS = 0.25


class BudgetSpentError(Exception):
    """The deadline or the budget of steps struck."""


@dataclass(order=True, slots=True)
class Node:
    """A part of all divisions: those that keep some pairs of records together or apart."""

    bound: float
    number: int
    branches: Branches = field(compare=False)


class Search:
    """Upper and lower bound on the total loss, and the best division so far.

    Parameters
    ----------
    best
        A division to start from.
    steps
        Budget: nodes of pricing, and some for each simplex iteration.
    quick
        Whether only a better division is wanted, no proof.
    allowed
        Which columns a division may use; all, unless given. Bounds do not know of it.
    """

    def __init__(
        self,
        problem: Problem,
        run: Run,
        best: Partition,
        *,
        steps: int | None = None,
        quick: bool = False,
        allowed: Callable[[Columns], NDArray[np.bool_]] | None = None,
    ) -> None:
        self.problem = problem
        self.run = run
        self.generator = Generator(problem, run)
        self.program = self.generator.program
        self.budget = steps
        self.quick = quick
        self.allowed = allowed
        self.best = best
        self.best_columns = columns_of(best, self.generator)
        self.upper = float(self.best_columns.costs.sum()) + best.suppressed
        self.lower = 0.0
        self.proved = False
        self.relaxation = Relaxation(self.program, self.best_columns)
        self.centre: Prices | None = None
        self.centre_bound = 0.0
        self._choosing = 0
        self._tell()

    def _tell(self) -> None:
        if self.quick:
            return
        control = self.run.control
        control.loss = self.upper / self.problem.n
        control.bound = self.lower / self.problem.n
        control.steps = self.steps

    @property
    def steps(self) -> int:
        """Steps taken so far."""
        iterations = self.relaxation.iterations + self._choosing
        return self.generator.steps + STEPS_A_SIMPLEX_ITERATION * iterations

    def _left(self, share: float = 1.0) -> int | None:
        """Return a share of the steps that are left, if they are limited."""
        return None if self.budget is None else int(share * max(0, self.budget - self.steps))

    def _iterations(self) -> int | None:
        left = self._left()
        return None if left is None else left // STEPS_A_SIMPLEX_ITERATION

    @property
    def lower_bound(self) -> float:
        """What no division loses less than, per record."""
        return max(0.0, self.lower - self.generator.error) / self.problem.n

    @property
    def gap(self) -> float:
        """What a better division could save at most."""
        return self.upper - self.lower

    @property
    def closed(self) -> bool:
        """Whether nothing is left that is better by more than what proofs are good for."""
        return self.gap <= PROVED * max(1.0, self.upper)

    def know(self, others: Sequence[Partition]) -> None:
        """Take the classes of other divisions into the pool."""
        for other in others:
            self._add(columns_of(other, self.generator))

    def know_class(self, rows: NDArray[np.int32], counts: NDArray[np.int32]) -> None:
        """Take a class into the pool."""
        told = grouped(np.zeros(len(rows), dtype=np.int64), rows, counts)
        self._add(Columns(*told, self.generator.pricer.costs(*told)))

    def solve(self) -> None:
        """Close the gap, or narrow it until the budget is spent."""
        try:
            self._at_root()
            if not self.quick and not self.closed:
                self._branch()
        except BudgetSpentError:
            pass
        except SolverFailedError as error:
            self._note(f"HiGHS failed ({error}): the search ended with what it had.")
        self.proved = self.closed
        self._tell()

    def _note(self, note: str) -> None:
        if note not in self.run.notes:
            self.run.notes.append(note)

    def _spend(self) -> None:
        self.run.check()
        if self.run.remaining() <= 0 or (self.budget is not None and self.steps >= self.budget):
            raise BudgetSpentError

    def _add(self, columns: Columns) -> int:
        if self.allowed is not None and len(columns):
            columns = columns.take(self.allowed(columns))
        return self.relaxation.add(columns)

    def _at_root(self) -> None:
        """Tighten the relaxation by cuts while that pays, then choose among what is left."""
        none = Branches.none()
        now = self._converge(none)[1]
        bounds = [self.centre_bound]
        while not self.closed and self._cut(now, drop=True):
            now = self._converge(none)[1]
            bounds.append(self.centre_bound)
            gained = bounds[-1] - bounds[-PATIENCE:][0]
            tired = len(bounds) >= PATIENCE and gained < WORTH_CUTTING * self.gap
            if tired or (self.quick and len(bounds) > QUICK_ROUNDS):
                break
        for times in CHOSEN_FROM[:1] if self.quick else CHOSEN_FROM:
            most = times * max(LEAST_ROWS, self.program.rows)
            if self.closed or not self._round_up(most, whole=times == CHOSEN_FROM[-1]):
                break

    def _converge(self, branches: Branches, known: float = 0.0) -> tuple[float, Fractional | None]:
        """Solve the relaxation over all columns that the branches allow.

        Return the bound, at least the known one, and the solution; none if nothing better than the
        best division is left.
        """
        generator, relaxation = self.generator, self.relaxation
        root = not len(branches)
        centre = self.centre if root else None
        if root:
            self.centre_bound = 0.0
        bound = known
        smooth = True
        relaxation.restrict(branches)
        while True:
            self._spend()
            now = relaxation.solve(self.run, self._iterations())
            if now is None:
                raise BudgetSpentError
            exact = Prices.of(self.program, now.prices)
            asked = exact if centre is None or not smooth else centre.mixed(exact, SHARE)
            found = generator.price(asked, relaxation.cuts, branches, steps=self._left())
            if centre is None or found.bound > bound:
                centre = asked
            bound = max(bound, found.bound)
            if root:
                if self.centre is None or found.bound > self.centre_bound:
                    self.centre, self.centre_bound = asked, found.bound
                self.lower = max(self.lower, min(found.bound, self.upper))
                self._tell()
            if not found.complete:
                raise BudgetSpentError
            if bound >= self.upper * (1 - NOTHING):
                return bound, None
            added = self._add(found.columns)
            if now.loss - bound <= CONVERGED * now.loss or (not added and asked is exact):
                self._take_if_whole(now)
                return bound, now
            smooth = bool(added)

    def _take_if_whole(self, now: Fractional) -> None:
        """Keep the relaxation's solution if it is a division."""
        if is_whole(now):
            used = np.rint(now.values).astype(np.int64)
            out = self.program.ways_out
            # Columns may have come since.
            solved = self.relaxation.columns.take(np.arange(len(used) - out))
            self._take(solved, used[out:], used[:out])

    def _round_up(self, most: int, *, whole: bool = False) -> bool:
        """Choose a division among the columns of least reduced cost; return whether it did so.

        If these are all columns of reduced cost below some limit, every division that uses another
        one loses more than the bound and the limit together.
        """
        assert self.centre is not None
        limit = self.upper - self.centre_bound
        while True:
            self._spend()
            steps = self._left(SHARE_OF_STEPS)
            if steps is not None and steps <= self.program.rows:
                raise BudgetSpentError
            found = self.generator.price(
                self.centre,
                self.relaxation.cuts,
                Branches.none(),
                below=limit,
                every=MOST_LISTED,
                nodes=NODES_OF_A_LEADER,
                steps=steps,
            )
            if found.complete:
                break
            limit *= 0.6
        order = np.argsort(found.reduced, kind="stable")
        left = self._left()
        if left is not None:
            most = min(most, 1 + left // STEPS_A_COLUMN)
        if whole and len(order) > most:
            return False
        if len(order) > most:
            limit = float(found.reduced[order[most]])
        pool = found.columns.take(np.sort(order[:most]))
        if self.allowed is not None and len(pool):
            pool = pool.take(self.allowed(pool))
        chosen = self._choose(pool)
        if chosen is not None and chosen.proved and self.allowed is None:
            # Whatever is better uses a column that is not in the pool, or HiGHS let it slip.
            slip = 0.9 * PROVED * max(1.0, self.upper)
            self.lower = max(self.lower, min(self.upper - slip, self.centre_bound + limit))
        return chosen is not None and chosen.proved

    def _choose(self, pool: Columns) -> Chosen | None:
        """Solve the integer program over a pool and the best division, which it starts from."""
        every = joined((self.best_columns, pool))
        places: dict[bytes, int] = {}
        for place, key in enumerate(every.keys()):
            places.setdefault(key, place)
        distinct = np.array(list(places.values()), dtype=np.int64)
        times = np.zeros(len(every))
        np.add.at(times, list(map(places.__getitem__, self.best_columns.keys())), 1)
        out = np.zeros(self.program.ways_out)
        if self.program.withheld:
            gone = self.best.classes == SUPPRESSED
            np.add.at(out, self.best.rows[gone], self.best.counts[gone])
        pool = every.take(distinct)
        try:
            chosen = choose(
                self.program,
                pool,
                self.relaxation.cuts,
                self.run,
                start=np.concatenate((out, times[distinct])),
                nodes=min(nodes_within(self._left()), QUICK_NODES)
                if self.quick
                else nodes_within(self._left()),
            )
        except SolverFailedError as error:
            self._note(f"HiGHS failed to choose among classes ({error}): the search went on.")
            return None
        if chosen is not None:
            self._choosing += chosen.iterations
            self._take(pool, chosen.times, chosen.withheld)
        return chosen

    def _take(
        self, columns: Columns, times: NDArray[np.int64], withheld: NDArray[np.int64]
    ) -> None:
        """Keep a division if it is one, and better than the best so far."""
        used = np.repeat(np.arange(len(columns)), times)
        total = float(columns.costs[used].sum()) + int(withheld.sum())
        if total >= self.upper:
            return
        classes = columns.take(used)
        partition = partition_of(classes, withheld)
        if is_division(partition, self.problem):
            self.upper, self.best, self.best_columns = total, partition, classes
            self._tell()

    def _cut(self, now: Fractional | None, *, drop: bool = False) -> bool:
        """Add cuts that a fractional solution breaks; return whether there are any.

        Parameters
        ----------
        drop
            Whether to forget cuts that hold nothing now.
        """
        if now is None:
            return False
        self._spend()
        relaxation, program = self.relaxation, self.program
        values = now.values[program.ways_out :]
        used = np.flatnonzero(values > SMALL_SHARE)
        some = relaxation.columns.take(used)
        divisors = np.arange(2, max(3, min(self.problem.k, LARGEST_DIVISOR)) + 1, dtype=np.int32)
        cuts = Cuts(
            *kernels.separate(
                self.problem.counts,
                some.start,
                some.rows,
                some.counts,
                values[used],
                divisors,
                violation=VIOLATION,
                most=max(30, program.rows // 3),
                most_of_row=CUTS_OF_ROW,
                largest=ROWS_OF_CUT,
                control=self.run.control,
            )
        )
        if not len(cuts):
            return False
        assert self.centre is not None
        kept = np.ones(len(relaxation.cuts), dtype=np.bool_)
        if drop:
            kept = now.prices[program.fixed_rows :] < -SMALL_SHARE
            relaxation.drop_cuts(kept)
        relaxation.add_cuts(cuts)
        self.centre = self.centre.with_cuts(kept, len(cuts))
        return True

    def _branch(self) -> None:
        """Branch and price, the part of least bound first."""
        waiting = [Node(self.lower, 0, Branches.none())]
        made = 0
        settled = self.upper
        while waiting and not self.closed:
            node = heapq.heappop(waiting)
            self.lower = max(self.lower, min(node.bound, settled, self.upper))
            self._tell()
            if node.bound >= self.upper * (1 - NOTHING):
                break
            bound, now = self._converge(node.branches, node.bound)
            if len(self.relaxation.cuts) < CUTS_IN_ALL * self.program.rows and self._cut(now):
                bound, now = self._converge(node.branches, bound)
            if now is None:
                continue
            if is_whole(now):
                # Taken already, but known to be the best of its part only up to the bound.
                settled = min(settled, bound)
                continue
            pair = fractional_pair(
                self.relaxation.columns, now.values[self.program.ways_out :], self.problem.counts
            )
            if pair is None:
                self._note(
                    "optimal branches on pairs of records that have no equals; in this table that "
                    "was not enough for a proof."
                )
                raise BudgetSpentError
            for together in (True, False):
                made += 1
                branches = node.branches.joined(*pair, together=together)
                heapq.heappush(waiting, Node(bound, made, branches))
        if not waiting:
            self.lower = max(self.lower, min(settled, (1 - NOTHING) * self.upper))


def nodes_within(steps: int | None) -> int:
    """Return how many nodes an integer program may take where so many steps are left."""
    return NODES_OF_CHOOSING if steps is None else min(NODES_OF_CHOOSING, 1 + steps // STEPS_A_NODE)


def is_whole(solution: Fractional) -> bool:
    """Return whether every column is used a whole number of times."""
    return bool(np.abs(solution.values - np.rint(solution.values)).max(initial=0.0) < WHOLE)


def columns_of(partition: Partition, generator: Generator) -> Columns:
    """Return the classes of a partition as columns."""
    kept = partition.classes != SUPPRESSED
    told = grouped(partition.classes[kept], partition.rows[kept], partition.counts[kept])
    return Columns(*told, generator.pricer.costs(*told))


def partition_of(columns: Columns, withheld: NDArray[np.int64]) -> Partition:
    """Return columns as a partition."""
    gone = np.flatnonzero(withheld)
    return Partition.of(
        np.concatenate((columns.rows, gone)),
        np.concatenate((columns.owners, np.full(len(gone), SUPPRESSED))),
        np.concatenate((columns.counts, withheld[gone])),
    )


def is_division(partition: Partition, problem: Problem) -> bool:
    """Return whether every record is placed once, in classes of at least k, within the limit."""
    placed = np.bincount(partition.rows, partition.counts, minlength=problem.rows)
    return bool(
        np.array_equal(placed, problem.counts)
        and partition.sizes.min(initial=problem.n) >= problem.k
        and partition.suppressed <= problem.suppression_limit
    )
