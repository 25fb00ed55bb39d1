"""HiGHS, silent, with the run's deadline and cancellation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.run import Run

INFINITY = highspy.kHighsInf


def make_solver() -> highspy.Highs:
    """Return a solver that prints nothing and gives the same result on every machine load."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("random_seed", 0)
    return solver


def run_solver(solver: highspy.Highs, run: Run, seconds: float = float("inf")) -> str:
    """Solve; return how it ended: ``optimal``, ``infeasible``, ``stopped`` or ``failed``.

    It stops at the run's deadline, after so many seconds, or when the run is cancelled; then
    ``Cancelled`` is raised.
    """

    def look(event: highspy.highs.HighsCallbackEvent) -> None:
        if run.control.cancelled:
            event.interrupt()

    left = min(seconds, run.remaining())
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
    return "stopped" if status in stops else "failed"


def values_of(solver: highspy.Highs) -> NDArray[np.float64]:
    """Return the values of all columns."""
    return np.array(solver.getSolution().col_value)
