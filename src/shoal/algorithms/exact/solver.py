"""HiGHS, silent, with the run's deadline and cancellation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import highspy
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.run import Run

INFINITY = highspy.kHighsInf
MOST_ITERATIONS = 2**31 - 1


class SolverFailedError(Exception):
    """HiGHS refused a program, or ended with an error."""


def accept(status: highspy.HighsStatus) -> None:
    """Raise unless HiGHS took what it was given; it would silently go on without it."""
    if status == highspy.HighsStatus.kError:
        raise SolverFailedError("it refused a part of the program")


def make_solver() -> highspy.Highs:
    """Return a solver that prints nothing and gives the same result on every machine load."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("random_seed", 0)
    return solver


def run_solver(
    solver: highspy.Highs,
    run: Run,
    iterations: int | None = None,
) -> Literal["optimal", "infeasible", "stopped"]:
    """Solve, and return how it ended.

    It stops at the run's deadline, after so many simplex iterations (not in an integer program),
    or when the run is cancelled; then ``Cancelled`` is raised.

    Raises
    ------
    SolverFailedError
        If it ended in any other way.
    """
    most = MOST_ITERATIONS if iterations is None else min(iterations, MOST_ITERATIONS)

    def look(event: highspy.highs.HighsCallbackEvent) -> None:
        if run.control.cancelled:
            event.interrupt()

    solver.setOptionValue("simplex_iteration_limit", most)
    left = run.remaining()
    solver.setOptionValue("time_limit", solver.getRunTime() + left if left < INFINITY else INFINITY)
    watched = (solver.cbSimplexInterrupt, solver.cbMipInterrupt)
    for callback in watched:
        callback.subscribe(look)
    try:
        solver.run()
    finally:
        for callback in watched:
            callback.unsubscribe(look)
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


def values_of(solver: highspy.Highs) -> NDArray[np.float64]:
    """Return the values of all columns."""
    return np.array(solver.getSolution().col_value)
