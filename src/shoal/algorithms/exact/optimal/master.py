"""The set-partitioning program, and its linear relaxation over known columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, hstack

from shoal.algorithms.exact.highs import (
    INFINITY,
    SolverFailedError,
    accept,
    open_solver,
    run_solver,
)
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.columns import Columns, Cuts, joined

if TYPE_CHECKING:
    import highspy
    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.branching import Doubt
    from shoal.algorithms.run import Run


@dataclass(frozen=True, slots=True)
class Program:
    """What every division keeps, and every cover.

    Rows: every record is placed once, or ``times`` times in a cover; there are at most
    ``most_classes`` classes; at most ``withheld`` records are withheld, each at a loss of 1 for
    each time that it would have been placed.

    ``counts`` are the places that the records of each row take together.
    """

    counts: NDArray[np.integer]
    most_classes: int
    withheld: int
    times: int = 1

    @property
    def rows(self) -> int:
        """Number of distinct rows."""
        return len(self.counts)

    @property
    def places(self) -> int:
        """Places of all records: the total loss divided by them is the loss per record."""
        return int(self.counts.sum())

    @property
    def most_withheld(self) -> NDArray[np.float64]:
        """How many records of each row could be withheld, for each column that withholds."""
        return (self.counts[: self.ways_out] // self.times).astype(np.float64)

    def loss_of_suppressed(self, records: int) -> float:
        """Return what suppressed records lose."""
        return float(self.times * records)

    @property
    def ways_out(self) -> int:
        """Number of columns that withhold a record: one for each row, if any may be."""
        return self.rows if self.withheld else 0

    @property
    def fixed_rows(self) -> int:
        """Rows of the program before those of the cuts."""
        return self.rows + 1 + (1 if self.withheld else 0)

    def classes(self, branches: Branches) -> tuple[int, int]:
        """Return the fewest and the most classes that branches leave."""
        most = self.most_classes if branches.most is None else branches.most
        return branches.fewest, min(most, self.most_classes)

    def coefficients(self, columns: Columns, cuts: Cuts) -> csr_array:
        """Return the coefficients of classes, one class a line."""
        parts = [columns.matrix(self.rows), csr_array(np.ones((len(columns), 1), dtype=np.int64))]
        if self.withheld:
            parts.append(csr_array((len(columns), 1), dtype=np.int64))
        if len(cuts):
            parts.append(cuts.of(columns, self.rows))
        return csr_array(hstack(parts, format="csr"))

    def most_times(self, columns: Columns) -> NDArray[np.float64]:
        """Return how often each class could be used."""
        times = self.counts[columns.rows] // columns.counts
        return np.minimum.reduceat(times, columns.start[:-1]).astype(np.float64)

    def start(self, solver: highspy.Highs) -> None:
        """Give the solver the fixed rows and the columns that withhold."""
        lower = [*self.counts.tolist(), -INFINITY]
        upper = [*self.counts.tolist(), self.most_classes]
        if self.withheld:
            lower.append(-INFINITY)
            upper.append(self.withheld)
        empty = np.zeros(0)
        accept(solver.addRows(
            len(lower), np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64), 0,
            np.zeros(len(lower), dtype=np.int32), empty.astype(np.int32), empty,
        ))  # fmt: skip
        if self.withheld:
            count, times = self.rows, float(self.times)
            index = np.stack((np.arange(count), np.full(count, count + 1)), axis=1)
            accept(solver.addCols(
                count, np.full(count, times), np.zeros(count), self.most_withheld, 2 * count,
                np.arange(0, 2 * count, 2, dtype=np.int32), index.ravel().astype(np.int32),
                np.tile([times, 1.0], count),
            ))  # fmt: skip

    def add(self, solver: highspy.Highs, columns: Columns, cuts: Cuts) -> None:
        """Give the solver more classes."""
        if not len(columns):
            return
        matrix = self.coefficients(columns, cuts)
        count = len(columns)
        accept(solver.addCols(
            count, columns.costs, np.zeros(count), np.full(count, INFINITY), matrix.nnz,
            matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32),
            matrix.data.astype(np.float64),
        ))  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Fractional:
    """A solution of the linear relaxation: shares of columns, and prices of the rows.

    ``filled`` is how many records fillers take the place of a class for.
    """

    loss: float
    values: NDArray[np.float64]
    prices: NDArray[np.float64]
    filled: float


class Relaxation:
    """The linear relaxation over the columns known so far; it grows and is solved again.

    Below branches the known columns may not suffice for any division: there each record may go
    into a filler, at a price, so that prices show which classes are missing.
    """

    def __init__(self, program: Program, columns: Columns) -> None:
        self.program = program
        self.cuts = Cuts.none()
        self.columns = Columns.none()
        self.solver = open_solver(solver="simplex", presolve="off")
        self.iterations = 0
        self._known: set[bytes] = set()
        self._allowed = np.zeros(0, dtype=np.bool_)
        program.start(self.solver)
        count = program.rows
        index = np.arange(count, dtype=np.int32)
        accept(self.solver.addCols(
            count, np.ones(count), np.zeros(count), np.zeros(count), count, index, index,
            np.ones(count),
        ))  # fmt: skip
        self._before = program.ways_out + count
        self.add(columns)

    def add(self, columns: Columns) -> int:
        """Add those columns that are new, and return how many those are."""
        fresh = []
        for place, key in enumerate(columns.keys()):
            if key not in self._known:
                self._known.add(key)
                fresh.append(place)
        added = columns.take(np.array(fresh, dtype=np.int64))
        self.program.add(self.solver, added, self.cuts)
        self.columns = joined((self.columns, added))
        # The caller ensures that added columns keep to the branches.
        self._allowed = np.append(self._allowed, np.ones(len(added), dtype=np.bool_))
        return len(fresh)

    def add_cuts(self, more: Cuts) -> None:
        """Add cuts."""
        matrix = more.of(self.columns, self.program.rows).T.tocsr()
        count = len(more)
        accept(self.solver.addRows(
            count, np.full(count, -INFINITY), more.limits(self.program.counts).astype(np.float64),
            matrix.nnz, matrix.indptr[:-1].astype(np.int32),
            (matrix.indices + self._before).astype(np.int32),
            matrix.data.astype(np.float64),
        ))  # fmt: skip
        self.cuts = self.cuts.joined(more)

    def drop_cuts(self, kept: NDArray[np.bool_]) -> None:
        """Forget cuts that do not hold anything."""
        gone = np.flatnonzero(~kept) + self.program.fixed_rows
        if len(gone):
            accept(self.solver.deleteRows(len(gone), gone.astype(np.int32)))
            self.cuts = self.cuts.take(kept)

    def use_cuts(self, cuts: Cuts) -> None:
        """Have these cuts and no others."""
        if cuts is not self.cuts:
            self.drop_cuts(np.zeros(len(self.cuts), dtype=np.bool_))
            if len(cuts):
                self.add_cuts(cuts)
            self.cuts = cuts

    def fill_at(self, price: float) -> None:
        """Set what a record in a filler costs."""
        places = self._fillers()
        accept(self.solver.changeColsCost(len(places), places, np.full(len(places), price)))

    def _fillers(self) -> NDArray[np.int32]:
        return np.arange(self.program.ways_out, self._before, dtype=np.int32)

    def restrict(self, branches: Branches, largest: int) -> None:
        """Forbid the columns that do not keep to the branches; allow all others."""
        program = self.program
        self._allowed = branches.allow(self.columns, program.rows, largest)
        upper = np.where(self._allowed, INFINITY, 0.0)
        fill = np.full(program.rows, INFINITY if len(branches) else 0.0)
        out = program.most_withheld
        if program.withheld:
            out[branches.kept_in(program.rows)] = 0.0
        self._limit(np.arange(len(upper) + self._before), np.concatenate((out, fill, upper)))
        self._limit_classes(branches)

    def _limit(self, places: NDArray[np.integer], upper: NDArray[np.float64]) -> None:
        count = len(places)
        accept(self.solver.changeColsBounds(count, places.astype(np.int32), np.zeros(count), upper))

    def _limit_classes(self, branches: Branches) -> None:
        fewest, most = self.program.classes(branches)
        accept(
            self.solver.changeRowBounds(
                self.program.rows, float(fewest) if fewest else -INFINITY, float(most)
            )
        )

    def trial(
        self, now: Branches, doubt: Doubt, largest: int, run: Run, iterations: int, *, upward: bool
    ) -> float:
        """Return a guess at the loss below one more branch, and leave everything as it was.

        The relaxation must have been solved; it is solved again over the known columns, by a few
        iterations only.
        """
        one = Branches.none().joined(doubt, upward=upward)
        allowed = one.allow(self.columns, self.program.rows, largest)
        changed = np.flatnonzero(self._allowed & ~allowed) + self._before
        basis = self.solver.getBasis()
        self._limit(changed, np.zeros(len(changed)))
        self._limit_classes(now.joined(doubt, upward=upward))
        try:
            outcome = self._run(run, iterations)
            loss = self.solver.getInfo().objective_function_value
        finally:
            self._limit(changed, np.full(len(changed), INFINITY))
            self._limit_classes(now)
            self.solver.setBasis(basis)
        return INFINITY if outcome == "infeasible" else loss

    def solve(self, run: Run, iterations: int | None = None) -> Fractional | None:
        """Return the least loss over these columns, or ``None`` if time or iterations ran out."""
        try:
            outcome = self._run(run, iterations)
        except SolverFailedError:
            # Numbers may have drifted over many changes: once more from the beginning.
            self.solver.clearSolver()
            outcome = self._run(run, iterations)
        if outcome == "infeasible":
            raise SolverFailedError("it found no solution where one is known")
        if outcome != "optimal":
            return None
        solution = self.solver.getSolution()
        values = np.array(solution.col_value)
        return Fractional(
            self.solver.getInfo().objective_function_value,
            np.delete(values, self._fillers()),
            np.array(solution.row_dual),
            float(values[self._fillers()].sum()),
        )

    def _run(self, run: Run, iterations: int | None) -> str:
        try:
            return run_solver(self.solver, run, iterations)
        finally:
            self.iterations += max(0, int(self.solver.getInfo().simplex_iteration_count))
