"""HiGHS, asked to solve a pair model within a budget, silently and repeatably."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.milp.pair_model import PairModel
    from shoal.algorithms.run import Run


_GLANCE = 0.02
_PATIENCE = 0.3


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver said.

    Parameters
    ----------
    values
        Its best solution; ``None`` if it has none.
    bound
        What it proved that no solution can go below; ``-inf`` if nothing.
    finished
        Whether it says that the solution is optimal.
    said
        Its own word for how it ended.
    """

    values: NDArray[np.float64] | None
    bound: float
    finished: bool
    said: str


def solve_model(model: PairModel, run: Run, nodes: int | None = None) -> Answer:
    """Return the best solution found before time, nodes or patience end.

    One thread and a fixed seed: the same model and the same number of nodes give the same answer.
    The solver looks up only now and then, so it works in a thread of its own: when the run has to
    end it is told so, and left to itself if it does not hear; it then ends at its next look.
    """
    search = _Search(model, run, nodes)
    worker = threading.Thread(target=search.work, name="shoal-highs")
    worker.start()
    patience = _PATIENCE
    while not search.finished.wait(_GLANCE):
        if search.must_end():
            patience -= _GLANCE
            if patience <= 0.0:
                return search.so_far("the time is up")
    if search.failure is not None:
        return search.so_far(str(search.failure))
    return search.answer


class _Search:
    """One run of the solver, and the best it has told so far."""

    def __init__(self, model: PairModel, run: Run, nodes: int | None) -> None:
        self.model, self.run, self.nodes = model, run, nodes
        self.finished = threading.Event()
        self.failure: Exception | None = None
        self.values: NDArray[np.float64] | None = None
        self.bound = -np.inf
        self.answer = self.so_far("not begun")

    def so_far(self, said: str) -> Answer:
        return Answer(self.values, self.bound, False, said)

    def must_end(self) -> bool:
        return bool(self.run.control.cancelled) or self.run.remaining() <= 0.0

    def work(self) -> None:
        try:
            self.answer = self._solve()
        except Exception as error:  # noqa: BLE001 (whatever it is, the initial solution stands)
            self.failure = error
        finally:
            self.finished.set()

    def _solve(self) -> Answer:
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        try:
            return self._ask(solver)
        finally:
            # The solver refers to itself through its callbacks: without this it would live on.
            solver.clearCallbacks()  # type: ignore[no-untyped-call]
            solver.disableCallbacks()  # type: ignore[no-untyped-call]

    def _ask(self, solver: highspy.Highs) -> Answer:
        options: dict[str, Any] = {
            "output_flag": False,
            "threads": 1,
            "parallel": "off",
            "random_seed": 0,
            "mip_rel_gap": 0.0,
            "mip_abs_gap": 1e-7,
        }
        if self.run.seconds is not None:
            options["time_limit"] = self.run.remaining()
        if self.nodes is not None:
            options["mip_max_nodes"] = self.nodes
        for name, value in options.items():
            solver.setOptionValue(name, value)
        if solver.passModel(_as_highs(self.model)) == highspy.HighsStatus.kError:
            return self.so_far("the model was refused")
        start = np.concatenate(self.model.start)
        solver.setSolution(len(start), np.arange(len(start), dtype=np.int32), start)
        solver.cbMipInterrupt += self._watch
        solver.cbMipImprovingSolution += self._keep
        ended = solver.run()
        info, status = solver.getInfo(), solver.getModelStatus()
        said = solver.modelStatusToString(status)
        solution = solver.getSolution()
        if ended == highspy.HighsStatus.kError or not solution.value_valid:
            return self.so_far(said)
        self.run.control.steps += max(0, info.mip_node_count)
        proved = status == highspy.HighsModelStatus.kOptimal
        return Answer(np.array(solution.col_value), info.mip_dual_bound, proved, said)

    def _keep(self, event: Any) -> None:
        self.values = np.array(event.data_out.mip_solution)

    def _watch(self, event: Any) -> None:
        told, run = event.data_out, self.run
        if self.must_end():
            event.interrupt()
            return
        self.bound = max(self.bound, told.mip_dual_bound)
        if np.isfinite(told.mip_primal_bound):
            run.control.loss = max(0.0, told.mip_primal_bound / self.model.records)
        proved = 1.0 - told.mip_gap if np.isfinite(told.mip_gap) else 0.0
        spent = told.running_time / run.seconds if run.seconds else 0.0
        run.control.progress = min(0.99, max(run.control.progress, proved, spent))


def _as_highs(model: PairModel) -> highspy.HighsLp:
    program = highspy.HighsLp()
    program.num_col_ = model.variables
    program.col_cost_ = np.concatenate(model.cost)
    program.col_lower_ = np.concatenate(model.low)
    program.col_upper_ = np.concatenate(model.high)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    program.integrality_ = [kinds[whole] for whole in np.concatenate(model.integer).tolist()]
    program.offset_ = model.offset
    program.row_lower_ = np.concatenate(model.row_low)
    program.row_upper_ = np.concatenate(model.row_high)
    program.num_row_ = len(program.row_lower_)
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    widths = np.concatenate([np.full(len(rows), rows.shape[1]) for rows in model.row_variables])
    matrix.start_ = np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
    matrix.index_ = np.concatenate([rows.ravel() for rows in model.row_variables]).astype(np.int32)
    matrix.value_ = np.concatenate([rows.ravel() for rows in model.row_values])
    matrix.num_col_ = program.num_col_
    matrix.num_row_ = program.num_row_
    return program
