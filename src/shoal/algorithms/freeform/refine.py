"""`ff-refine`: a local search on covers. Kernel: cpp/src/cover/cover_refine.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import (
    Family,
    Form,
    Traits,
    algorithm,
    solve_partition,
)
from shoal.algorithms.budget import Budget
from shoal.algorithms.constants import CLASS_STEPS
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.covering import SYMMETRIC, WITHOUT_MODELS, complete
from shoal.algorithms.freeform.kernel_covers import cover_by, pair_by
from shoal.algorithms.freeform.records import rows_of, unfolded
from shoal.algorithms.freeform.ring import rings
from shoal.algorithms.freeform.segments import in_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.freeform.kernel_covers import Solve
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEFAULT_SECONDS = 5.0
# A small table is searched through long before that; then the default is a number of steps, and
# the result the same on every machine.
SMALL = 1_000
STEPS_A_RECORD = 4
LEAST_STEPS = 2_000
# Work of the start in comparisons of a closure with a record: about two seconds.
START_WORK = 2e8
SMALLEST_CELL = 4  # times k
# From this k on, the search on covers finds more from good classes than from assignments.
CLASSES_FIRST_FROM = 20
# Shares of the budget: for the assignments, for classes where they are the fallback, and for
# classes where they are the start.
START_SHARE = 0.15
CLASSES_SHARE = 0.05
CLASSES_FIRST = 0.7
PROPOSALS = 800  # exchanges of partners that a step of the symmetric form tries


def _default_budget(problem: Problem) -> Budget:
    if problem.n <= SMALL:
        return Budget(steps=max(LEAST_STEPS, STEPS_A_RECORD * problem.n))
    return Budget(seconds=DEFAULT_SECONDS)


@algorithm(
    "ff-refine",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Improve optimal matchings by reassigning blocks of near records.",
        use_when="freeform k-anonymity is enough and every bit of detail counts",
        cost=f"set by `time` or `steps` (blocks); {DEFAULT_SECONDS:.0f} seconds by default (up to "
        f"{SMALL:,} records: {STEPS_A_RECORD} blocks per record, {LEAST_STEPS:,} at least)",
        paper="Block reassignment on k-regular covers, this project's own",
        anytime=True,
        random=True,
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
        personal_k=True,
        default_budget=_default_budget,
    ),
)
class FreeformRefine:
    """A cover from optimal assignments, then improved block by block.

    The idea: some 64 near originals are chosen, and for each of them one released record that
    covers it. All these records give up an original that widens them, and the originals are
    assigned to them again at least loss. This considers all cyclic exchanges among them at once and
    never loses. A little noise helps to leave poor solutions at first; it fades with the budget.
    The start is `ff-hungarian`, in cells of near records if the whole would take too long. As a
    fallback, `refine` finds classes in a small part of the time, with rings inside them. For large
    k, most of the time goes to those classes, and the search continues from them. So the result is
    never worse than either. Steps are blocks. Time is the budget, memory O(n (k + m)).

    The symmetric form starts from symmetric assignments (in cells of near records if the whole
    would take too long). Then two pairs of records that cover each other exchange partners if that
    lowers the loss of the four, and early on also by chance. A step is 800 such proposals.
    """

    block: int = Field(
        default=64, ge=2, le=512, description="released records whose originals are reassigned"
    )
    heat: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="factor on the noise of the first part of the search; 0 goes downhill only",
    )

    symmetric: bool = Field(default=False, description=SYMMETRIC)

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the best cover found."""
        run = run.within(run.budget.steps_first())
        if self.symmetric:
            return complete(
                problem,
                run,
                self._search_pairs,
                scout=self._start_pairs,
                polish=False,
                class_steps=CLASS_STEPS,
            )
        return complete(problem, run, self._search, scout=self._start, class_steps=CLASS_STEPS)

    def _search_pairs(self, problem: Problem, run: Run) -> Cover:
        start = self._start_pairs(problem, run)
        steps = run.budget.steps
        members = kernels.refine_symmetric_cover(
            unfolded(problem).records(),
            problem.k,
            np.ascontiguousarray(start.matches.ravel()),
            seed=run.kernel_seed(),
            steps=-1 if steps is None else PROPOSALS * steps,
            seconds=run.budget.kernel_seconds,
            heat=self.heat,
            control=run.control,
        )
        if steps is not None:
            run.control.steps = steps
        return replace(start, matches=members.reshape(start.matches.shape))

    @staticmethod
    def _start_pairs(problem: Problem, run: Run) -> Cover:
        """Return pairs by assignments, within cells where that takes too long."""
        pair = pair_by("symmetric-assignments")
        # Both directions of a pair are weighed, one of them record by record.
        work = _start_work(run) / 8
        if (problem.k - 1) * problem.n**2 <= work:
            return pair(problem, run)
        return _in_cells(pair, work)(problem, run)

    def _search(self, problem: Problem, run: Run) -> Cover:
        first = problem.k >= CLASSES_FIRST_FROM
        share = CLASSES_FIRST if first else CLASSES_SHARE
        steps = run.budget.steps
        on_classes = None if steps is None else int(share * steps)
        fallback = self._classes(problem, run, share, on_classes)
        start = fallback if first else self._start(problem, run)
        taken = (on_classes or 0) if first else 0
        left = replace(run.budget, steps=None if steps is None else max(0, steps - taken))
        records = problem.records()
        run.control.steps = 0
        run.report(0.0)
        members = kernels.refine_cover(
            records,
            problem.k,
            rows_of(problem, start),
            seed=run.kernel_seed(),
            steps=left.kernel_steps,
            seconds=left.kernel_seconds,
            block=self.block,
            heat=self.heat,
            threads=run.threads,
            control=run.control,
        )
        run.control.steps += taken
        rival = rows_of(problem, fallback)
        losses = [kernels.cover_loss(records, problem.k, one) for one in (members, rival)]
        return Cover.of_rows(problem, members) if losses[0] <= losses[1] else fallback

    @staticmethod
    def _classes(problem: Problem, run: Run, share: float, steps: int | None) -> Cover:
        """Return what the best classes give, with a ring along near records inside each."""
        if steps is None:
            budget = run.budget.fresh(seconds=share * (run.budget.seconds or 0.0))
        else:
            budget = run.budget.fresh(steps=max(1, CLASS_STEPS * steps))
        classes = solve_partition("refine", problem, run.child(budget))
        return rings(problem, classes, run, chain=True)

    @staticmethod
    def _start(problem: Problem, run: Run) -> Cover:
        """Return the cover of optimal assignments, within cells where that takes too long."""
        work = _start_work(run)
        assign = cover_by("assignments")
        if (problem.k - 1) * problem.n * problem.rows <= work:
            return assign(problem, run)
        return _in_cells(assign, work)(problem, run)


def _start_work(run: Run) -> float:
    seconds = run.budget.seconds
    return START_WORK if seconds is None else START_WORK * START_SHARE * seconds / 2


def _cell(problem: Problem, k: int, work: float) -> int:
    """Return how many records of a cell can be covered by assignments with so much work."""
    return max(SMALLEST_CELL * k, int(work / (max(1, k - 1) * problem.n)))


def _in_cells(solve: Solve, work: float) -> Solve:
    """Return the solver that works within cells of near records."""

    def solve_cells(problem: Problem, run: Run) -> Cover:
        parts = cells(problem, _cell(problem, problem.k, work), run)
        return in_segments(problem, run, solve, parts)

    return solve_cells


def cells(problem: Problem, size: int, run: Run) -> list[NDArray[np.int64]]:
    """Cut the records into cells of near ones, of at least so many records."""
    if size >= problem.n:
        return [np.arange(problem.n, dtype=np.int64)]
    coarse = solve_partition("mondrian", replace(problem, k=size), run.child())
    cell_of = coarse.class_of_record(problem, np.random.default_rng(0))
    order = np.argsort(cell_of, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(cell_of[order])) + 1)
