"""`ff-refine`: a local search on covers. Kernel: cpp/src/cover_refine.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Form, Traits, algorithm, divide
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.covering import (
    WITHOUT_MODELS,
    complete,
    cover_by,
    in_segments,
    rows_of,
)
from shoal.algorithms.freeform.ring import rings
from shoal.algorithms.run import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem

DEFAULT_SECONDS = 5.0
# A small table is searched through long before that; then the default is a number of steps, and
# the result the same on every machine.
SMALL = 1_000
STEPS_A_RECORD = 4
# Work of the start in comparisons of a closure with a record: about two seconds.
START_WORK = 2e8
SMALLEST_CELL = 4  # times k
# Shares of a budget of time: for the start, and for the classes that are the fallback.
START_SHARE = 0.25
CLASSES_SHARE = 0.08
CLASS_STEPS = 64  # of the class search for each block of a budget in steps


@algorithm(
    "ff-refine",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Improve optimal matchings by reassigning blocks of near records, as long as told.",
        cost=f"--time S or --steps N; without either {DEFAULT_SECONDS:.0f} seconds "
        f"(up to {SMALL:,} records: {STEPS_A_RECORD} blocks a record)",
        paper="Block reassignment on k-regular covers, this project's own",
        anytime=True,
        random=True,
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
    ),
)
class FreeformRefine:
    """A cover from optimal assignments, then improved block by block.

    The idea: some 64 near originals, and one released record that covers each, are taken; all
    these give up their original, and the originals are assigned to them anew at least loss. That
    takes all cyclic exchanges among them at once and never loses. A little noise at first helps
    out of poor places; it fades with the budget. The start is `ff-hungarian`, in cells of near
    records where the table or k is large. The classes that `refine` finds in a small part of the
    time, with rings inside them, are the fallback: the result is never worse than either. Steps
    are blocks. Time as given, memory O(n (k + m)).
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

    def solve(self, problem: Problem, run: Run) -> Cover:
        """Return the best cover found."""

        def scout(asked: Problem, run: Run) -> Cover:
            return self._start(asked, run, self._budget(asked, run)[0])

        return complete(problem, run, self._search, scout=scout)

    def _search(self, problem: Problem, run: Run) -> Cover:
        seconds, steps = self._budget(problem, run)
        fallback = self._classes(problem, run, seconds, steps)
        start = self._start(problem, run, seconds)
        records = problem.records()
        members = rows_of(problem, start)
        run.report(0.0)
        left = min(run.remaining(), max(0.0, seconds))
        members = kernels.refine_cover(
            records,
            problem.k,
            members,
            seed=int(run.generator().integers(2**64, dtype="uint64")),
            steps=steps,
            seconds=left if steps < 0 else 0.0,
            block=self.block,
            heat=self.heat,
            threads=run.threads,
            control=run.control,
        )
        taken = run.control.steps
        rival = rows_of(problem, fallback)
        losses = [kernels.cover_loss(records, problem.k, one) for one in (members, rival)]
        run.control.steps = taken
        return Cover.of_rows(problem, members) if losses[0] <= losses[1] else fallback

    def _classes(self, problem: Problem, run: Run, seconds: float, steps: int) -> Cover:
        """Return what the best classes give, with a ring along near records inside each."""
        share = Run(seed=run.seed, threads=run.threads, control=run.control)
        if steps >= 0:
            share.steps = max(1, CLASS_STEPS * steps)
        else:
            share.seconds = CLASSES_SHARE * seconds
        classes = divide("refine", problem, share)
        return rings(problem, classes, run, chain=True)

    def _start(self, problem: Problem, run: Run, seconds: float) -> Cover:
        work = START_WORK
        if run.seconds is not None:
            work = min(work, START_SHARE * seconds * START_WORK / 2)
        cell = max(SMALLEST_CELL * problem.k, int(work / ((problem.k - 1) * problem.n)))
        solve = cover_by("assignments")
        if cell >= problem.n:
            return solve(problem, run)
        return in_segments(problem, run, solve, cells(problem, cell, run))

    def _budget(self, problem: Problem, run: Run) -> tuple[float, int]:
        """Return seconds and steps, of which one is negative: no limit."""
        if run.steps is not None:
            return -1.0, run.steps
        if run.seconds is not None:
            return run.seconds, -1
        if problem.n <= SMALL:
            return -1.0, STEPS_A_RECORD * problem.n
        run.notes.append(
            f"ff-refine took {DEFAULT_SECONDS:.0f} seconds; --time or --steps sets it."
        )
        return DEFAULT_SECONDS, -1


def cells(problem: Problem, size: int, run: Run) -> list[NDArray[np.int64]]:
    """Cut the records into cells of near ones, of at least so many records."""
    share = Run(seed=run.seed, threads=run.threads, control=run.control)
    coarse = divide("mondrian", replace(problem, k=size), share)
    cell_of = coarse.class_of_record(problem, np.random.default_rng(0))
    order = np.argsort(cell_of, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(cell_of[order])) + 1)
