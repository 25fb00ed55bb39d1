"""`refine`: a local search on the classes of another algorithm. Kernel: cpp/src/refine.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, field_validator

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm, algorithms, make_algorithm
from shoal.algorithms.cluster.completion import leave_out_costliest, unite_until_models_hold
from shoal.algorithms.run import Run
from shoal.algorithms.solution import Partition

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem

NAME = "refine"
DEFAULT_SECONDS = 5.0
# A small table is searched through long before that; then the default is a number of steps, and
# the result the same on every machine.
SMALL = 1_000
STEPS_A_RECORD = 1_000
# The share of the wall time that the start may be told of, and of the progress that it fills.
START_PROGRESS = 0.05


@algorithm(
    NAME,
    family=Family.CLUSTER,
    traits=Traits(
        summary="Improve the classes of another algorithm by local search, for as long as told.",
        cost=f"--time S or --steps N; without either {DEFAULT_SECONDS:.0f} seconds "
        f"(up to {SMALL:,} records: {STEPS_A_RECORD:,} steps a record)",
        paper="Annealed local search over nearest-neighbour lists, this project's own",
        anytime=True,
        random=True,
    ),
)
class Refine:
    """Records move, swap, and classes dissolve, open and are cut anew while the loss falls.

    The idea: a record suits the classes of its nearest neighbours, so proposals come from lists
    of those; each is taken if it lowers the loss, or by chance if it raises it by little
    (annealing), and the less the nearer the end of the budget; the last part is downhill only.
    Regions of neighbouring classes are searched apart from each other, cut anew in every round,
    which makes the result independent of the number of threads. Every class keeps k records and
    every model throughout. Time as given, after lists in O(n²) of distinct rows with a very small
    constant (beyond 100,000 rows O(n), near neighbours then, not nearest); memory O(n·m). It is
    never worse than its start. Steps are evaluations of a class.
    """

    start: str = Field(
        default="k-member", description="the clustering algorithm whose classes are improved"
    )
    neighbours: int = Field(
        default=32, ge=4, le=256, description="how many nearest rows of each row are candidates"
    )
    heat: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="factor on the temperatures of the annealing; 0 goes downhill only",
    )
    region: int = Field(
        default=2_048,
        ge=64,
        le=1_000_000_000,
        description="records that are searched together, at least 40 times k",
    )

    @field_validator("start")
    @classmethod
    def _known_start(cls, start: str) -> str:
        known = [name for name in algorithms() if name != NAME]
        if start not in known:
            raise ValueError(f"there are: {', '.join(known)}")
        return start

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the best classes found."""
        run.report(0.0)
        partition = self._start(problem, run)
        seconds, steps = self._budget(problem, run)
        records = problem.records()
        entries = kernels.refine(
            kernels.Objective(records),
            _models(problem),
            partition.rows,
            partition.classes,
            partition.counts,
            partition.number,
            problem.k,
            int(run.generator().integers(2**63)),
            run.threads,
            steps,
            seconds,
            self.neighbours,
            self.region,
            self.heat,
            run.control,
        )
        partition = Partition.of(*entries)
        if problem.suppression_limit:
            partition = leave_out_costliest(problem, partition)
        run.report(1.0)
        return partition

    def _start(self, problem: Problem, run: Run) -> Partition:
        """Return the classes of the other algorithm, no record left out, every model met."""
        # The start shares cancellation, but progress belongs to the search; it needs no budget
        # of its own unless it is anytime, and then gets a small part.
        everyone = replace(problem, suppression_limit=0)
        first = Run(
            seed=run.seed,
            threads=run.threads,
            seconds=None if run.seconds is None else run.seconds * START_PROGRESS,
            steps=run.steps,
            control=run.control,
        )
        partition = make_algorithm(self.start).solve(everyone, first)
        run.notes += first.notes
        run.report(START_PROGRESS)
        if problem.models:
            partition = unite_until_models_hold(problem, partition, run)
        return partition

    def _budget(self, problem: Problem, run: Run) -> tuple[float, int]:
        if run.steps is not None:
            return -1.0, run.steps
        if run.seconds is not None:
            return run.remaining(), -1
        if problem.n <= SMALL:
            return -1.0, STEPS_A_RECORD * problem.n
        run.notes.append(f"No budget was given: refine took {DEFAULT_SECONDS:.0f} seconds.")
        return DEFAULT_SECONDS, -1


def _models(problem: Problem) -> kernels.Models:
    models = kernels.Models(problem.rows)
    for model, values in zip(problem.models, problem.protected, strict=True):
        model.add_to(models, values)
    return models
