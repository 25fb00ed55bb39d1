"""The set-partitioning program: its linear relaxation over known columns, and its integer one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np
from scipy.sparse import csr_array, hstack

from shoal.algorithms.exact.columns import Columns, Cuts, joined
from shoal.algorithms.exact.solver import (
    INFINITY,
    SolverFailedError,
    accept,
    make_solver,
    run_solver,
    values_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.branching import Branches
    from shoal.algorithms.run import Run


@dataclass(frozen=True, slots=True)
class Program:
    """What every division keeps.

    Rows: every record is placed once; there are at most ``most_classes`` classes; at most
    ``withheld`` records are withheld, each at a loss of 1.
    """

    counts: NDArray[np.int32]
    most_classes: int
    withheld: int

    @property
    def rows(self) -> int:
        """Number of distinct rows."""
        return len(self.counts)

    @property
    def ways_out(self) -> int:
        """Number of columns that withhold a record: one for each row, if any may be."""
        return self.rows if self.withheld else 0

    @property
    def fixed_rows(self) -> int:
        """Rows of the program before those of the cuts."""
        return self.rows + 1 + (1 if self.withheld else 0)

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
            count = self.rows
            index = np.stack((np.arange(count), np.full(count, count + 1)), axis=1)
            accept(solver.addCols(
                count, np.ones(count), np.zeros(count), self.counts.astype(np.float64), 2 * count,
                np.arange(0, 2 * count, 2, dtype=np.int32), index.ravel().astype(np.int32),
                np.ones(2 * count),
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
    """A solution of the linear relaxation: shares of columns, and prices of the rows."""

    loss: float
    values: NDArray[np.float64]
    prices: NDArray[np.float64]


class Relaxation:
    """The linear relaxation over the columns known so far; it grows and is solved again."""

    def __init__(self, program: Program, columns: Columns) -> None:
        self.program = program
        self.cuts = Cuts.none()
        self.columns = Columns.none()
        self.solver = make_solver()
        self.solver.setOptionValue("solver", "simplex")
        self.solver.setOptionValue("presolve", "off")
        self.iterations = 0
        self._known: set[bytes] = set()
        program.start(self.solver)
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
        return len(fresh)

    def add_cuts(self, more: Cuts) -> None:
        """Add cuts."""
        matrix = more.of(self.columns, self.program.rows).T.tocsr()
        count = len(more)
        accept(self.solver.addRows(
            count, np.full(count, -INFINITY), more.limits(self.program.counts).astype(np.float64),
            matrix.nnz, matrix.indptr[:-1].astype(np.int32),
            (matrix.indices + self.program.ways_out).astype(np.int32),
            matrix.data.astype(np.float64),
        ))  # fmt: skip
        self.cuts = self.cuts.joined(more)

    def drop_cuts(self, kept: NDArray[np.bool_]) -> None:
        """Forget cuts that do not hold anything."""
        gone = np.flatnonzero(~kept) + self.program.fixed_rows
        if len(gone):
            accept(self.solver.deleteRows(len(gone), gone.astype(np.int32)))
            self.cuts = self.cuts.take(kept)

    def drop_columns(self, kept: NDArray[np.bool_]) -> None:
        """Forget columns; they may be found again."""
        gone = np.flatnonzero(~kept)
        if not len(gone):
            return
        keys = self.columns.take(gone).keys()
        self._known.difference_update(keys)
        places = gone + self.program.ways_out
        accept(self.solver.deleteCols(len(places), places.astype(np.int32)))
        self.columns = self.columns.take(kept)

    def restrict(self, branches: Branches) -> None:
        """Forbid the columns that do not keep to the branches; allow all others."""
        self._branches = branches
        allowed = branches.allow(self.columns, self.program.rows)
        upper = np.where(allowed, INFINITY, 0.0)
        if self.program.withheld:
            kept = branches.kept_in(self.program.rows)
            upper = np.concatenate((np.where(kept, 0.0, self.program.counts), upper))
        count = len(upper)
        accept(
            self.solver.changeColsBounds(
                count, np.arange(count, dtype=np.int32), np.zeros(count), upper
            )
        )

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
        return Fractional(
            self.solver.getInfo().objective_function_value,
            np.array(solution.col_value),
            np.array(solution.row_dual),
        )

    def _run(self, run: Run, iterations: int | None) -> str:
        try:
            return run_solver(self.solver, run, iterations)
        finally:
            self.iterations += max(0, int(self.solver.getInfo().simplex_iteration_count))


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A division: how often each column is used, and how many records of each row are withheld.

    ``proved`` is whether the solver says that there is none better over the given columns.
    """

    times: NDArray[np.int64]
    withheld: NDArray[np.int64]
    proved: bool
    iterations: int


def choose(
    program: Program,
    columns: Columns,
    cuts: Cuts,
    run: Run,
    *,
    start: NDArray[np.float64] | None = None,
    nodes: int | None = None,
) -> Chosen | None:
    """Return the best division over these columns, or ``None`` if none was found.

    Parameters
    ----------
    start
        A division to start from: how often each row is withheld, then each column used.
    nodes
        Limit; with it or the run's deadline the answer may be short of the best.
    """
    solver = make_solver()
    for name in ("mip_rel_gap", "mip_abs_gap"):
        solver.setOptionValue(name, 0.0)
    if nodes is not None:
        solver.setOptionValue("mip_max_nodes", nodes)
    program.start(solver)
    if len(cuts):
        empty = np.zeros(0)
        accept(solver.addRows(
            len(cuts), np.full(len(cuts), -INFINITY),
            cuts.limits(program.counts).astype(np.float64), 0,
            np.zeros(len(cuts), dtype=np.int32), empty.astype(np.int32), empty,
        ))  # fmt: skip
    program.add(solver, columns, cuts)
    every = solver.getNumCol()
    upper = np.concatenate((program.counts[: program.ways_out], program.most_times(columns)))
    index = np.arange(every, dtype=np.int32)
    accept(solver.changeColsBounds(every, index, np.zeros(every), upper.astype(np.float64)))
    accept(solver.changeColsIntegrality(every, index, np.full(every, 1, dtype=np.uint8)))
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = start.tolist()
        solver.setSolution(known)
    outcome = run_solver(solver, run)
    info = solver.getInfo()
    if outcome == "infeasible" or info.primal_solution_status != 2:
        return None
    used = np.rint(values_of(solver)).astype(np.int64)
    return Chosen(
        used[program.ways_out :],
        used[: program.ways_out],
        outcome == "optimal",
        max(0, int(info.simplex_iteration_count)),
    )
