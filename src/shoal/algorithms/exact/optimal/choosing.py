"""The integer program: the best division over given classes, by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.exact.highs import (
    INFINITY,
    accept,
    is_feasible,
    open_solver,
    run_solver,
    values_of,
)
from shoal.algorithms.exact.optimal.branching import Branches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.optimal.columns import Columns, Cuts
    from shoal.algorithms.exact.optimal.master import Program
    from shoal.algorithms.run import Run


@dataclass(frozen=True, slots=True)
class ChoosingLimits:
    """Among how many columns for each row the integer program chooses.

    Parameters
    ----------
    at_root
        One number after the other, to find better divisions, which shorten the list; it proves,
        too, if the whole list is no longer than that.
    all_at_root, many_rows
        Then from the whole list, if it is no longer than that and there are so many rows. With
        1,000 rows and k = 3 lists of up to 40 columns for each row are solved in 20 CPU seconds,
        where branches come to no end; with 100 and k = 5 branches take less time.
    in_tree, after_failures
        Many while that finds better divisions, and few once it was in vain so often, since
        dividing on takes less time.
    """

    at_root: tuple[int, ...] = (3, 6)
    all_at_root: int = 60
    many_rows: int = 300
    in_tree: int = 10
    after_failures: int = 8


USUAL_LIMITS = ChoosingLimits()


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A division: how often each column is used, and how many records of each row are withheld.

    ``times`` is ``None`` if none was found. ``proved`` is whether the solver says that there is
    none better over the given columns, or none below the limit.
    """

    times: NDArray[np.int64] | None
    withheld: NDArray[np.int64]
    proved: bool
    iterations: int


def choose(
    program: Program,
    columns: Columns,
    cuts: Cuts,
    run: Run,
    *,
    below: float = INFINITY,
    branches: Branches | None = None,
    heuristics: bool = True,
    nodes: int | None = None,
) -> Chosen:
    """Return the best division over these columns.

    Parameters
    ----------
    below
        Only a division that loses less than this in total is wanted.
    branches
        How many classes there may be; that the columns keep to the pairs is for the caller to see.
    heuristics
        Whether to look for good divisions on the way; a proof that there is none comes sooner
        without.
    nodes
        Limit; with it or the run's deadline the answer may be short of the best.
    """
    solver = open_solver(mip_rel_gap=0.0, mip_abs_gap=0.0)
    if below < INFINITY:
        solver.setOptionValue("objective_bound", below)
    if not heuristics:
        solver.setOptionValue("mip_heuristic_effort", 0.0)
    if nodes is not None:
        solver.setOptionValue("mip_max_nodes", nodes)
    program.start(solver)
    fewest, most = program.classes(branches or Branches.none())
    accept(solver.changeRowBounds(program.rows, float(fewest), float(most)))
    if len(cuts):
        empty = np.zeros(0)
        accept(solver.addRows(
            len(cuts), np.full(len(cuts), -INFINITY),
            cuts.limits(program.counts).astype(np.float64), 0,
            np.zeros(len(cuts), dtype=np.int32), empty.astype(np.int32), empty,
        ))  # fmt: skip
    program.add(solver, columns, cuts)
    every = solver.getNumCol()
    upper = np.concatenate((program.most_withheld, program.most_times(columns)))
    index = np.arange(every, dtype=np.int32)
    accept(solver.changeColsBounds(every, index, np.zeros(every), upper))
    accept(solver.changeColsIntegrality(every, index, np.full(every, 1, dtype=np.uint8)))
    outcome = run_solver(solver, run)
    iterations = max(0, int(solver.getInfo().simplex_iteration_count))
    if outcome == "infeasible" or not is_feasible(solver):
        return Chosen(None, np.zeros(0, dtype=np.int64), outcome != "stopped", iterations)
    used = np.rint(values_of(solver)).astype(np.int64)
    return Chosen(
        used[program.ways_out :], used[: program.ways_out], outcome == "optimal", iterations
    )
