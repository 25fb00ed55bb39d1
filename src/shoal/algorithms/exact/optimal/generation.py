"""Column generation: the relaxation over all classes there are, bounds and enumeration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.exact.optimal.columns import Columns, Cuts
from shoal.algorithms.exact.optimal.master import Program
from shoal.encoding.domain import SetDomain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.branching import Branches
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Prices are multiples of this, so that the kernel's sums are exact.
GRAIN = 2.0**-32
# A column whose reduced cost is not below this is not worth having; the bound pays for it.
TOLERANCE = 2.0**-24
# What a rounded number is off by at most. An interval has two of them, a set one for each value.
ROUNDING = 2.0**-40


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Prices of records, of opening a class, of withholding and of cuts."""

    records: NDArray[np.float64]
    opening: float
    withholding: float
    cuts: NDArray[np.float64]

    @classmethod
    def of(cls, program: Program, prices: NDArray[np.float64]) -> Prices:
        """Return the prices of a program's rows, rounded to the grain and to the right sign."""
        rounded = np.rint(prices / GRAIN) * GRAIN
        held = np.minimum(rounded[program.rows :], 0.0)
        return cls(
            rounded[: program.rows],
            float(rounded[program.rows]),
            float(held[1]) if program.withheld else 0.0,
            held[program.fixed_rows - program.rows :],
        )

    def mixed(self, other: Prices, share: float) -> Prices:
        """Return these prices moved towards others by a share, again in whole grains."""

        def between(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.rint((a + share * (b - a)) / GRAIN) * GRAIN

        held = between(
            np.array([self.opening, self.withholding]), np.array([other.opening, other.withholding])
        )
        return Prices(
            between(self.records, other.records),
            float(held[0]),
            float(held[1]),
            between(self.cuts, other.cuts),
        )

    def with_cuts(self, kept: NDArray[np.bool_] | None = None, more: int = 0) -> Prices:
        """Return these prices for fewer cuts, or for more, which cost nothing yet."""
        cuts = self.cuts if kept is None else self.cuts[kept]
        return Prices(
            self.records, self.opening, self.withholding, np.concatenate((cuts, np.zeros(more)))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What pricing found: columns with their reduced costs, and what it proves.

    ``bound`` is a total loss that no division is below.
    """

    columns: Columns
    reduced: NDArray[np.float64]
    bound: float
    nodes: int
    complete: bool


def _kernel_seconds(run: Run) -> float:
    left = run.remaining()
    return left if left < math.inf else -1.0


class Generator:
    """Searches for classes at given prices; keeps the bound and the steps taken.

    ``error`` is what a total loss is off by at most, since losses are rounded.

    Parameters
    ----------
    largest
        Most records of a class; 2k - 1 unless given.
    program
        What solutions keep; that of divisions unless given.
    """

    def __init__(
        self,
        problem: Problem,
        run: Run,
        *,
        largest: int | None = None,
        program: Program | None = None,
    ) -> None:
        self.problem = problem
        self.run = run
        self.program = program or Program(
            problem.counts, problem.n // problem.k, problem.suppression_limit
        )
        self._largest = largest or 2 * problem.k - 1
        self._pricers: dict[int, kernels.ClassPricer] = {}
        numbers = sum(
            min(domain.size, self._largest) if isinstance(domain, SetDomain) else 2
            for domain in problem.domains
        )
        self.error = self.program.places * numbers * ROUNDING
        self.steps = 0

    def largest(self, branches: Branches) -> int:
        """Return how many records a class can have: so many classes need k each."""
        k = self.problem.k
        return max(k, min(self._largest, self.program.places - k * (branches.fewest - 1)))

    def costs(
        self, start: NDArray[np.int64], rows: NDArray[np.int32], counts: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Return what classes cost: size times loss."""
        return self._pricer(self._largest).costs(start, rows, counts)

    def _pricer(self, largest: int) -> kernels.ClassPricer:
        if largest not in self._pricers:
            self._pricers[largest] = kernels.ClassPricer(
                self.problem.records(), self.problem.k, largest
            )
        return self._pricers[largest]

    def price(
        self,
        prices: Prices,
        cuts: Cuts,
        branches: Branches,
        *,
        below: float = -TOLERANCE,
        every: int | None = None,
        nodes: int = -1,
        steps: int | None = None,
    ) -> Found:
        """Search for columns of reduced cost below a limit.

        Parameters
        ----------
        every
            Give every such column, or give up when there are more than this; without it, the best
            few that each row leads.
        nodes
            Most nodes of the search below each row, negative for no limit.
        steps
            Most nodes of the whole search. A search that does not come to its end is counted with
            all of them: how far it came depends on the threads.
        """
        start, rows, counts, costs, reduced, least, taken, complete = self._pricer(
            self.largest(branches)
        ).price(
            prices.records, prices.opening, prices.cuts, cuts.start, cuts.rows, cuts.weights,
            cuts.divisors, cuts.remainders,
            branches.first, branches.second, branches.together,
            below=math.ceil(below / GRAIN) * GRAIN, all=every is not None, nodes=nodes,
            total=-1 if steps is None else steps, columns=every or 0,
            seconds=_kernel_seconds(self.run), threads=self.run.threads,
            control=self.run.control,
        )  # fmt: skip
        self.steps += taken if complete or steps is None else steps
        return Found(
            Columns(start, rows, counts, costs),
            reduced,
            self._bound(prices, cuts, branches, least),
            taken,
            complete,
        )

    def _worth(self, prices: Prices, cuts: Cuts, branches: Branches) -> float:
        """Return what the right-hand sides are worth at these prices."""
        program = self.program
        fewest, most = program.classes(branches)
        return float(
            program.counts @ prices.records
            + (most if prices.opening < 0 else fewest) * prices.opening
            + program.withheld * prices.withholding
            + cuts.limits(program.counts) @ prices.cuts
        )

    def _bound(
        self, prices: Prices, cuts: Cuts, branches: Branches, least: NDArray[np.float64]
    ) -> float:
        """Return the Lagrangian bound: a row with c places leads at most c columns.

        It holds for any prices. Prices and losses are whole multiples of small powers of two, so
        that the sums below are exact up to the last bits, for which the bound is lowered.
        """
        program = self.program
        least = np.minimum(least, 0.0)
        if program.withheld:
            withholding = prices.withholding / program.times
            least = np.minimum(least, 1.0 - prices.records - withholding)
            short = float(program.counts @ least)
        else:
            # Of all that rows may lead, no more than the number of classes come about.
            order = np.argsort(least, kind="stable")
            most = program.classes(branches)[1]
            room = most - np.cumsum(program.counts[order]) + program.counts[order]
            used = np.clip(np.minimum(room, program.counts[order]), 0, None)
            short = float(used[used > 0] @ least[order][used > 0])
        total = self._worth(prices, cuts, branches) + short
        if not math.isfinite(total):
            return 0.0
        return max(0.0, total - self.error - 1e-11 * (1.0 + abs(total)))
