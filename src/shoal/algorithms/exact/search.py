"""The search for a proved optimum: columns, cuts, enumeration, and branch and price."""

from __future__ import annotations

import heapq
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.exact.branching import Branches, fractional_pair
from shoal.algorithms.exact.columns import Columns, Cuts, joined
from shoal.algorithms.exact.generation import Generator, Prices
from shoal.algorithms.exact.master import Chosen, Fractional, Relaxation, choose
from shoal.algorithms.partition import Partition
from shoal.encoding.recoding import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEBUG = bool(os.environ.get("OPTDEBUG"))
# How far prices are moved from the best known ones to those of the relaxation.
SHARE = 0.7
# Below this relative gap nothing is left to be found.
NOTHING = 1e-9
# The relaxation is solved to this relative gap between its own bounds.
CONVERGED = 1e-6
# Classes that the integer program chooses from: to find a better division, and to prove.
FEW_COLUMNS = 1_000
MANY_COLUMNS = 4_000
# Cuts are added while they narrow the gap by this share a round.
WORTH_CUTTING = 0.01
LARGEST_DIVISOR = 6
STEPS_A_SIMPLEX_ITERATION = 20


class BudgetSpentError(Exception):
    """The deadline or the budget of steps struck, or HiGHS failed."""


@dataclass(order=True, slots=True)
class Node:
    """A part of all divisions: those that keep some pairs of records together or apart."""

    bound: float
    number: int
    branches: Branches = field(compare=False)
    prices: Prices = field(compare=False)


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
        self.t0 = time.process_time()
        self._tell()

    def log(self, *what: object) -> None:
        if DEBUG and not self.quick:
            print(f"{time.process_time() - self.t0:7.2f}", *what, flush=True)

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
        return self.generator.steps + STEPS_A_SIMPLEX_ITERATION * self.relaxation.iterations

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
        """Whether nothing better is left."""
        return self.gap <= NOTHING * self.upper

    def know(self, rows: list[NDArray[np.int32]], counts: list[NDArray[np.int32]]) -> None:
        """Take classes into the pool."""
        if rows:
            start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
            every, its = np.concatenate(rows), np.concatenate(counts)
            costs = self.generator.pricer.costs(start, every, its)
            self._add(Columns(start, every, its, costs))

    def solve(self) -> None:
        """Close the gap, or narrow it until the budget is spent."""
        try:
            self._at_root()
            if not self.quick and not self.closed:
                self._branch()
        except BudgetSpentError:
            self.log("out of budget")
        if self.closed:
            self.lower = self.upper
            self.proved = True
        self._tell()

    def _spend(self) -> None:
        self.run.check()
        if self.run.remaining() <= 0 or (self.budget is not None and self.steps >= self.budget):
            raise BudgetSpentError

    def _add(self, columns: Columns) -> int:
        if self.allowed is not None and len(columns):
            columns = columns.take(self.allowed(columns))
        return self.relaxation.add(columns)

    def _at_root(self) -> None:
        """Tighten the relaxation by cuts while that pays; choose divisions on the way."""
        none = Branches.none()
        bound, now = self._converge(none)
        tried = np.inf
        rounds = 0
        lowers: list[float] = []
        while not self.closed:
            self.log(
                "round",
                rounds,
                "LB",
                self.lower,
                "UB",
                self.upper,
                f"gap {100 * self.gap / max(self.upper, 1e-12):.3f}%",
                "cols",
                len(self.relaxation.columns),
                "cuts",
                len(self.relaxation.cuts),
            )
            if self.gap < 0.8 * tried:
                tried = self.gap
                self._round_up()
                if self.closed:
                    return
            lowers.append(self.lower)
            rounds += 1
            if (self.quick and rounds > 2) or not self._cut(now):
                break
            bound, now = self._converge(none)
            if len(lowers) > 3 and self.lower - lowers[-3] < WORTH_CUTTING * self.gap:
                break
        if not self.closed:
            self._round_up()

    def _converge(
        self, branches: Branches, least: float = -np.inf
    ) -> tuple[float, Fractional | None]:
        """Solve the relaxation over all columns that the branches allow.

        Return the bound and the solution; none if the bound has passed the best division.
        """
        generator, relaxation = self.generator, self.relaxation
        root = not len(branches)
        best = least
        smooth = True
        relaxation.restrict(branches)
        centre = self.centre
        while True:
            self._spend()
            now = relaxation.solve(self.run)
            if now is None:
                raise BudgetSpentError
            exact = Prices.of(self.program, now.prices)
            asked = exact if centre is None or not smooth else centre.mixed(exact, SHARE)
            found = generator.price(asked, relaxation.cuts, branches)
            if found.bound > best or centre is None:
                best, centre = found.bound, asked
            if root:
                if found.bound > self.centre_bound or self.centre is None:
                    self.centre, self.centre_bound = asked, found.bound
                self.lower = max(self.lower, min(found.bound, self.upper))
                self._tell()
            if not found.complete:
                raise BudgetSpentError
            if best >= self.upper * (1 - NOTHING):
                return best, None
            added = self._add(found.columns)
            # self.log("   lp", round(now.loss, 5), "bound", round(found.bound, 5), "added", added, "nodes", found.nodes)
            if now.loss - best <= CONVERGED * now.loss:
                break
            if not added:
                if asked is exact:
                    break
                smooth = False
            else:
                smooth = True
        self._take_if_whole(now)
        return best, now

    def _take_if_whole(self, now: Fractional) -> None:
        """Keep the relaxation's solution if it is a division."""
        used = np.rint(now.values).astype(np.int64)
        if np.abs(now.values - used).max(initial=0.0) < 1e-6:
            out = self.program.ways_out
            self._take(self.relaxation.columns, used[out:], used[:out])

    def _round_up(self, most: int = FEW_COLUMNS) -> None:
        """Choose a division among the columns of least reduced cost.

        If these are all columns of reduced cost below some limit, every division that uses another
        one loses more than the bound and the limit together.
        """
        assert self.centre is not None
        limit = self.upper - self.centre_bound
        while True:
            self._spend()
            found = self.generator.price(
                self.centre,
                self.relaxation.cuts,
                Branches.none(),
                below=limit,
                every=20 * most,
                nodes=100_000,
            )
            if found.complete:
                break
            limit *= 0.6
        order = np.argsort(found.reduced, kind="stable")
        if len(order) > most:
            limit = float(found.reduced[order[most]])
            order = order[:most]
        pool = found.columns.take(np.sort(order))
        if self.allowed is not None and len(pool):
            pool = pool.take(self.allowed(pool))
        chosen = self._choose(pool)
        self.log(
            "  rounded up",
            len(pool),
            "limit",
            limit,
            None if chosen is None else (chosen.bound, chosen.proved),
            self.upper,
        )
        if chosen is not None and chosen.proved and self.allowed is None:
            # Whatever is better uses a column that is not in the pool.
            self.lower = max(self.lower, min(self.upper, self.centre_bound + limit))

    def _choose(self, pool: Columns) -> Chosen | None:
        """Solve the integer program over a pool and the best division, which it starts from."""
        every = joined((self.best_columns, pool))
        places: dict[bytes, int] = {}
        for place, key in enumerate(every.keys()):
            places.setdefault(key, place)
        distinct = np.array(list(places.values()), dtype=np.int64)
        times = np.zeros(len(every))
        np.add.at(times, [places[key] for key in self.best_columns.keys()], 1)
        out = np.zeros(self.program.ways_out)
        if self.program.withheld:
            gone = self.best.classes == SUPPRESSED
            np.add.at(out, self.best.rows[gone], self.best.counts[gone])
        pool = every.take(distinct)
        chosen = choose(
            self.program,
            pool,
            self.relaxation.cuts,
            self.run,
            start=np.concatenate((out, times[distinct])),
            nodes=100,
        )
        if chosen is not None:
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

    def _cut(self, now: Fractional | None) -> bool:
        """Add cuts that a fractional solution breaks; return whether there are any."""
        if now is None:
            return False
        self._spend()
        relaxation, program = self.relaxation, self.program
        values = now.values[program.ways_out :]
        used = values > 1e-7
        some = relaxation.columns.take(np.flatnonzero(used))
        divisors = np.arange(2, max(3, min(self.problem.k, LARGEST_DIVISOR)) + 1, dtype=np.int32)
        cuts = Cuts(
            *kernels.separate(
                self.problem.counts,
                some.start,
                some.rows,
                some.counts,
                values[used],
                divisors,
                violation=0.02,
                most=max(30, program.rows // 3),
                most_of_row=4,
                largest=30,
                control=self.run.control,
            )
        )
        if not len(cuts):
            return False
        # Cuts that cost nothing hold nothing.
        kept = now.prices[program.fixed_rows :] < -1e-9
        relaxation.drop_cuts(kept)
        relaxation.add_cuts(cuts)
        assert self.centre is not None
        self.centre = self.centre.with_cuts(kept, len(cuts))
        return True

    def _branch(self) -> None:
        """Branch and price, the part of least bound first."""
        assert self.centre is not None
        waiting = [Node(self.lower, 0, Branches.none(), self.centre)]
        number = 0
        while waiting:
            node = heapq.heappop(waiting)
            self.lower = max(self.lower, min(node.bound, self.upper))
            self._tell()
            if self.closed or node.bound >= self.upper * (1 - NOTHING):
                break
            if number % 20 == 0:
                self.log(
                    "node",
                    number,
                    "depth",
                    len(node.branches),
                    "LB",
                    self.lower,
                    "UB",
                    self.upper,
                    f"{100 * self.gap / self.upper:.3f}%",
                    len(waiting),
                )
            self.centre = node.prices
            bound, now = self._converge(node.branches, node.bound)
            if now is None:
                continue
            pair = fractional_pair(
                self.relaxation.columns, now.values[self.program.ways_out :], self.problem.counts
            )
            if pair is None:
                self.log("no pair")
                raise BudgetSpentError
            prices = Prices.of(self.program, now.prices)
            for together in (True, False):
                number += 1
                heapq.heappush(
                    waiting, Node(bound, number, node.branches.joined(*pair, together=together), prices)
                )
        self.lower = self.upper if not waiting else self.lower


def columns_of(partition: Partition, generator: Generator) -> Columns:
    """Return the classes of a partition as columns."""
    kept = partition.classes != SUPPRESSED
    order = np.lexsort((partition.rows[kept], partition.classes[kept]))
    rows, counts = partition.rows[kept][order], partition.counts[kept][order]
    start = np.append(partition.starts - np.count_nonzero(~kept), len(rows)).astype(np.int64)
    return Columns(start, rows, counts, generator.pricer.costs(start, rows, counts))


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
