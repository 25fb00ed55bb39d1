"""`ff-mip`: the cover of least loss, by mixed-integer programming with HiGHS."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import highspy
import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.cover import Cover, named
from shoal.algorithms.freeform.covering import PAPER, WITHOUT_MODELS, complete, cover_by
from shoal.algorithms.freeform.mixed_integer import cover_program

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_SECONDS_BETWEEN_LOOKS = 0.1
_ROUNDING = 1e-9


@algorithm(
    "ff-mip",
    family=Family.FREEFORM,
    traits=Traits(
        summary="The cover of least loss, proved by a mixed-integer program; tiny tables.",
        cost="exponential; seconds at 14 records",
        paper=f"{PAPER}, section 4",
        optimal=True,
        anytime=True,
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
    ),
)
class FreeformMip:
    """The best cover there is, or the best one found and a bound below which none can go.

    The idea: a binary variable says for each pair whether the released record covers the original,
    every row and column of them sums to k, and further variables are pushed up to the loss of each
    attribute; HiGHS proves the least sum. The cover of `ff-hungarian` is where it starts. Beyond
    ``largest`` records only that cover comes back, and a note says so. Steps are nodes of the
    search tree. Time is exponential, memory O(n² m).
    """

    largest: int = Field(
        default=20, ge=2, le=400, description="records of the largest table that is tried"
    )
    nodes: int = Field(
        default=20_000,
        ge=1,
        le=1_000_000_000,
        description="nodes of the search without --steps",
    )

    def solve(self, problem: Problem, run: Run) -> Cover:
        """Return the best cover found, and what was proved."""
        return complete(problem, run, self._solve)

    def _solve(self, problem: Problem, run: Run) -> Cover:
        start = cover_by("assignments")(problem, run)
        if problem.n > self.largest:
            run.notes.append(
                f"ff-mip proves nothing beyond {self.largest} records (largest); this is the cover "
                "of ff-hungarian."
            )
            return start
        n = problem.n
        program = cover_program(problem)
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("mip_abs_gap", _ROUNDING)
        solver.setOptionValue("random_seed", 0)
        solver.setOptionValue("mip_max_nodes", self.nodes if run.steps is None else run.steps)
        if run.seconds is not None:
            solver.setOptionValue("time_limit", max(run.remaining(), 0.01))
        solver.passModel(program.to_highs())
        chosen = np.zeros(n * n)
        chosen[(np.arange(n)[:, None] * n + start.matches).ravel()] = 1.0
        solver.setSolution(n * n, np.arange(n * n, dtype=np.int32), chosen)
        _run(solver, run)
        info = solver.getInfo()
        run.control.steps = int(info.mip_node_count)
        bound = float(info.mip_dual_bound)
        bound = bound if np.isfinite(bound) and bound > 0 else 0.0
        solution = np.asarray(solver.getSolution().col_value)
        if len(solution) < n * n or solver.getInfo().primal_solution_status != 2:
            return Cover(start.records, start.matches, lower_bound=bound)
        covers = solution[: n * n].reshape(n, n) > 0.5
        if (covers.sum(axis=0) != problem.k).any() or (covers.sum(axis=1) != problem.k).any():
            return Cover(start.records, start.matches, lower_bound=bound)
        matches = named(np.nonzero(covers)[1].reshape(n, problem.k))
        proved = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        # Bounds of the solver hold up to its rounding.
        return Cover(start.records, matches, proved, max(0.0, bound - 1e-7))


def _run(solver: highspy.Highs, run: Run) -> None:
    """Solve, and stop soon after the watcher wants it."""
    solver.HandleUserInterrupt = True
    done = threading.Event()

    def work() -> None:
        try:
            solver.run()
        finally:
            done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.wait(_SECONDS_BETWEEN_LOOKS):
        if run.control.cancelled:
            solver.cancelSolve()  # type: ignore[no-untyped-call]
    worker.join()
    run.check()
