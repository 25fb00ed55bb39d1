"""HiGHS, driven in one way: silent, repeatable, and stopped by the run's deadline or watcher.

Nothing else in the package imports highspy.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import highspy
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.exact.linear_program import LinearProgram
    from shoal.algorithms.run import Run

INFINITY = highspy.kHighsInf
_MOST_ITERATIONS = 2**31 - 1
_SECONDS_BETWEEN_LOOKS = 0.02
_SECONDS_UNWATCHED = 0.005
_SECONDS_OF_PATIENCE = 0.3


class SolverFailedError(Exception):
    """HiGHS refused a program, or ended with an error."""


def accept(status: highspy.HighsStatus) -> None:
    """Raise unless HiGHS took what it was given; it would silently go on without it."""
    if status == highspy.HighsStatus.kError:
        raise SolverFailedError("it refused a part of the program")


def open_solver(**options: Any) -> highspy.Highs:
    """Return a solver that prints nothing and gives the same result on every machine."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    for name, value in {"threads": 1, "parallel": "off", "random_seed": 0, **options}.items():
        solver.setOptionValue(name, value)
    return solver


def run_solver(
    solver: highspy.Highs, run: Run, iterations: int | None = None
) -> Literal["optimal", "infeasible", "stopped"]:
    """Solve, and return how it ended.

    It stops at the run's deadline, after so many simplex iterations (not in an integer program),
    or when the run is cancelled; then ``Cancelled`` is raised.

    Raises
    ------
    SolverFailedError
        If it ended in any other way.
    """
    most = _MOST_ITERATIONS if iterations is None else min(iterations, _MOST_ITERATIONS)
    solver.setOptionValue("simplex_iteration_limit", most)
    _solve_within(solver, run)
    run.check()
    status = solver.getModelStatus()
    kinds = highspy.HighsModelStatus
    if status == kinds.kOptimal:
        return "optimal"
    if status == kinds.kInfeasible:
        return "infeasible"
    stops = (kinds.kTimeLimit, kinds.kInterrupt, kinds.kSolutionLimit, kinds.kIterationLimit)
    if status in stops:
        return "stopped"
    raise SolverFailedError(f"it ended with: {solver.modelStatusToString(status)}")


def _solve_within(
    solver: highspy.Highs, run: Run, watch: Callable[[Any], None] | None = None
) -> highspy.HighsStatus:
    """Let HiGHS work until it is done, time is up, or the watcher wants an end."""
    looked = -INFINITY

    def look(event: highspy.highs.HighsCallbackEvent) -> None:
        # HiGHS asks in every few iterations, and the run's clock may take longer than these.
        nonlocal looked
        now = time.perf_counter()
        if now - looked < _SECONDS_UNWATCHED:
            return
        looked = now
        if _must_end(run):
            event.interrupt()
        elif watch is not None:
            watch(event.data_out)

    # HiGHS counts wall seconds; by any other clock, looking at it ends the work.
    left = run.remaining() if run.budget.counts_wall_seconds else INFINITY
    solver.setOptionValue("time_limit", solver.getRunTime() + left if left < INFINITY else INFINITY)
    watched = (solver.cbSimplexInterrupt, solver.cbMipInterrupt)
    for callback in watched:
        callback.subscribe(look)
    try:
        return solver.run()
    finally:
        for callback in watched:
            callback.unsubscribe(look)


def _must_end(run: Run) -> bool:
    return bool(run.control.cancelled) or run.remaining() <= 0.0


def values_of(solver: highspy.Highs) -> NDArray[np.float64]:
    """Return the values of all columns."""
    return np.array(solver.getSolution().col_value)


def is_feasible(solver: highspy.Highs) -> bool:
    """Return whether the solver has a feasible solution."""
    status = solver.getInfo().primal_solution_status
    return bool(status == highspy.SolutionStatus.kSolutionStatusFeasible)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver found for an integer program.

    Parameters
    ----------
    values
        Its best solution; ``None`` if it has none.
    bound
        What it proved that no solution can go below; ``-inf`` if nothing.
    finished
        Whether it says that the solution is optimal.
    status
        How it ended, as HiGHS reports it.
    nodes
        Nodes of its search tree.
    """

    values: NDArray[np.float64] | None
    bound: float
    finished: bool
    status: str
    nodes: int = 0


def solve_program(
    program: LinearProgram,
    run: Run,
    *,
    start: NDArray[np.float64],
    nodes: int | None = None,
    gap: float = 1e-7,
    records: float = 1.0,
) -> Answer:
    """Return the best solution of an integer program found before time, nodes or patience end.

    HiGHS checks for interruption only now and then, so it works in a thread of its own: when the
    run has to end it is stopped, and left to itself if it does not respond; it then ends at its
    next check.

    Parameters
    ----------
    start
        Values of the first variables, to start from.
    nodes
        Most nodes of the search tree; the same number gives the same answer on every machine.
    gap
        How far the best solution may be from the bound when the search ends.
    records
        What the objective is divided by to give a loss per record, for the watcher.
    """
    search = _Search(program, run, start, nodes, gap, records)
    worker = threading.Thread(target=search.work, name="shoal-highs")
    worker.start()
    patience = _SECONDS_OF_PATIENCE
    while not search.finished.wait(_SECONDS_BETWEEN_LOOKS):
        if _must_end(run):
            patience -= _SECONDS_BETWEEN_LOOKS
            if patience <= 0.0:
                return search.so_far("the time is up")
    return search.answer


class _Search:
    """One integer program at work, and the best solution it has shown so far."""

    def __init__(  # noqa: PLR0917 (made in one place only)
        self,
        program: LinearProgram,
        run: Run,
        start: NDArray[np.float64],
        nodes: int | None,
        gap: float,
        records: float,
    ) -> None:
        self.program, self.run, self.start = program, run, start
        self.options = {"mip_rel_gap": 0.0, "mip_abs_gap": gap}
        if nodes is not None:
            self.options["mip_max_nodes"] = nodes
        self.records = records
        self.finished = threading.Event()
        self.values: NDArray[np.float64] | None = None
        self.bound = -np.inf
        self.shown = 0.0
        self.answer = self.so_far("it did not begin")

    def so_far(self, status: str) -> Answer:
        return Answer(self.values, self.bound, False, status)

    def work(self) -> None:
        try:
            self.answer = self._solve()
        except Exception as error:  # noqa: BLE001 (whatever it is, callers keep what they have)
            self.answer = self.so_far(str(error))
        finally:
            self.finished.set()

    def _solve(self) -> Answer:
        solver = open_solver(**self.options)
        if solver.passModel(as_highs(self.program)) == highspy.HighsStatus.kError:
            return self.so_far("the model was refused")
        count = len(self.start)
        solver.setSolution(count, np.arange(count, dtype=np.int32), self.start)
        solver.cbMipImprovingSolution.subscribe(self._keep)
        ended = _solve_within(solver, self.run, self._watch)
        solver.cbMipImprovingSolution.unsubscribe(self._keep)
        info, status = solver.getInfo(), solver.getModelStatus()
        status_text = solver.modelStatusToString(status)
        if ended == highspy.HighsStatus.kError or not solver.getSolution().value_valid:
            return self.so_far(status_text)
        proved = status == highspy.HighsModelStatus.kOptimal
        return Answer(
            values_of(solver),
            info.mip_dual_bound,
            proved,
            status_text,
            max(0, int(info.mip_node_count)),
        )

    def _keep(self, event: Any) -> None:
        self.values = np.array(event.data_out.mip_solution)

    def _watch(self, data: Any) -> None:
        control, budget = self.run.control, self.run.budget
        self.bound = max(self.bound, data.mip_dual_bound)
        if np.isfinite(data.mip_primal_bound):
            control.loss = max(0.0, data.mip_primal_bound / self.records)
        proved = 1.0 - data.mip_gap if np.isfinite(data.mip_gap) else 0.0
        spent = data.running_time / budget.seconds if budget.seconds else 0.0
        self.shown = min(0.99, max(self.shown, proved, spent))
        control.progress = self.shown


def as_highs(program: LinearProgram) -> highspy.HighsLp:
    """Return a program as HiGHS takes it."""
    matrix = program.matrix.tocsc()
    matrix.sort_indices()
    made = highspy.HighsLp()
    made.num_row_, made.num_col_ = matrix.shape
    made.col_cost_, made.offset_ = program.cost, program.offset
    made.col_lower_, made.col_upper_ = program.low, program.high
    made.row_lower_, made.row_upper_ = program.row_low, program.row_high
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    made.integrality_ = [kinds[whole] for whole in program.integer.tolist()]
    made.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    made.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    made.a_matrix_.index_ = matrix.indices.astype(np.int32)
    made.a_matrix_.value_ = matrix.data.astype(np.float64)
    return made
