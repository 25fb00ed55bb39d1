"""`split-carry`: a chain of small problems along the sorted records, each solved exactly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Traits, algorithm, make_algorithm, solve_partition
from shoal.algorithms.budget import for_width
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.ordering import ORDER, Order, sorted_rows
from shoal.algorithms.exact.split_carry.chain import (
    BoundaryCarry,
    BubbleCarry,
    places_of_classes,
    run_chain,
)
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import Run
from shoal.encoding.encode import FoldedRows
from shoal.errors import ParameterError, ShoalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.split_carry.chain import Classes, Link, Places
    from shoal.algorithms.problem import Problem

# Without a budget a sub-problem takes at most so many steps over k², alike on every machine: a
# proof at k = 3, what can be had in a fraction of a second beyond.
UNTIMED_STEPS = 1_000_000


@algorithm(
    "split-carry",
    family=Family.EXACT,
    traits=Traits(
        summary="Cut the sorted records into small problems, solve each exactly, and carry the "
        "classes at its end into the next.",
        use_when="you reproduce the paper, or want exactly solved parts of a medium-sized table",
        cost="n / (k·sets) sub-problems of at most k·(2k - 1 + sets) records, each solved exactly",
        paper="Liang & Samavi, Optimization-based k-anonymity algorithms: Split & Carry",
        anytime=True,
        random=True,
    ),
)
class SplitCarry:
    """Optimal classes of short stretches of the sorted records, chained by what they carry over.

    The idea: records far apart in sorted order rarely belong together, so a sub-problem takes the
    next k·S of them. The last ones would fit the next stretch as well, so their classes are not
    final but solved again with it. Ranges and weights of attributes are those of the whole table.
    Time grows with n times what the solver needs for a sub-problem, which never holds more than
    k·(2k - 1 + S) records. Nothing is proved about the whole. The remaining sub-problems share a
    budget of time; when it is spent, the rest is cut into runs as by `sorted`. A budget of steps,
    in steps of the solver, is shared in the same way. Without either, the search in a sub-problem
    ends after a fraction of a second, and its best classes are taken.
    """

    sets: int = Field(
        default=3, ge=2, le=1_000, description="S: a sub-problem reads k times this many records"
    )
    solver: Literal["optimal", "milp"] = Field(
        default="optimal", description="what solves the sub-problems"
    )
    boundary: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="number of last records whose classes are carried, at most k times `sets`; 0 "
        "means k",
    )
    carry: Literal["classes", "cheap-part", "bubble"] = Field(
        default="classes",
        description="what is carried: the whole classes of the last records; of a class with more "
        "than k, only the records that add least to its loss; or all but the best "
        "classes",
    )
    size: int = Field(
        default=0, ge=0, le=1_000_000, description="P: records of a bubble sub-problem; 0 means 4k"
    )
    accepted: int = Field(
        default=2, ge=1, le=1_000_000, description="A: classes that a bubble sub-problem fixes"
    )
    order: Order = Field(default="ranks", description=ORDER)
    segments: int = Field(
        default=1,
        ge=1,
        le=100_000,
        description="independent chains; they run in parallel and change the result",
    )

    improve: bool = Field(
        default=False,
        description="then improve the classes, neighbourhood by neighbourhood, with the rest of "
        "the budget, at least half of it",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes of all sub-problems."""

        def divide_and_improve(subproblem: Problem) -> Partition:
            if not self.improve:
                return self.divide(subproblem, run)
            # Imported here: HiGHS and SciPy take longer to load than most algorithms take to run.
            from shoal.algorithms.exact.optimal.improve import improve

            chained = self.divide(subproblem, _half(run))
            return improve(
                replace(subproblem, models=(), protected=()), chained, _half(run, rest=True)
            )

        return complete(problem, run, divide_and_improve)

    def divide(self, problem: Problem, run: Run, sizes: list[int] | None = None) -> Partition:
        """Return the classes; the number of records of each sub-problem is added to ``sizes``."""
        order = sorted_rows(problem, self.order)
        rows = np.repeat(order, problem.counts[order])
        link = self._link(problem, rows)
        segments = max(1, min(self.segments, problem.n // (self.sets * problem.k)))
        cuts = (np.arange(segments + 1) * problem.n // segments).tolist()
        workers = min(run.threads, segments)
        work = _Work(problem, rows, self.solver, self._edge(problem), run, link, workers, sizes)
        with ThreadPoolExecutor(workers) as pool:
            chains = pool.map(
                lambda first, end: run_chain(link, first, end, work.solve), cuts[:-1], cuts[1:]
            )
            return _partition(problem, rows, [places for chain in chains for places in chain])

    def _edge(self, problem: Problem) -> int:
        return min(self.boundary or problem.k, self.sets * problem.k)

    def _link(self, problem: Problem, rows: NDArray[np.int32]) -> Link:
        k = problem.k
        if self.carry == "bubble":
            size = self.size or 4 * k
            if size < 2 * k:
                raise ParameterError(
                    f"A bubble sub-problem of {size} records leaves no choice at k = {k}.",
                    remedy=f"Choose size ≥ {2 * k}.",
                )
            return BubbleCarry(
                k,
                size,
                self.accepted,
                lambda places: float(class_losses(problem, [rows[places]])[0]),
            )

        def least_missed(places: Places, number: int) -> Places:
            without = class_losses(
                problem, [rows[np.delete(places, i)] for i in range(len(places))]
            )
            return np.sort(places[np.argsort(-without, kind="stable")[:number]])

        return BoundaryCarry(
            k, self.sets, self._edge(problem), self.carry == "cheap-part", least_missed
        )


class _Work:
    """Solves sub-problems of one problem, and shares out the time that is left."""

    def __init__(  # noqa: PLR0917 (made in one place only)
        self,
        problem: Problem,
        rows: NDArray[np.int32],
        solver: str,
        edge: int,
        run: Run,
        link: Link,
        workers: int,
        sizes: list[int] | None,
    ) -> None:
        self.problem, self.rows, self.edge, self.run = problem, rows, edge, run
        self.solver = make_algorithm(solver)
        self.workers, self.sizes = workers, sizes
        self.number = link.number(problem.n)
        self.solved = 0

    def solve(self, pool: Places, *, rest: bool) -> Classes | None:
        """Return the classes of a sub-problem; ``None`` when time is up, unless it is the rest."""
        self.run.check()
        if self.run.remaining() <= 0 and not rest:
            return None
        part, rows = self._part(pool)
        found = solve_partition("sorted", part, Run(seed=0)) if rest else self._exactly(part)
        entries = zip(
            found.rows.tolist(), found.classes.tolist(), found.counts.tolist(), strict=True
        )
        return places_of_classes(pool, rows, list(entries), self.edge)

    def _part(self, pool: Places) -> tuple[Problem, NDArray[np.int32]]:
        """Return the problem of these records alone, and the row of each; domains stay whole."""
        kept, first, place, counts = np.unique(
            self.rows[pool], return_index=True, return_inverse=True, return_counts=True
        )
        row_of = place.astype(np.int32)
        problem = replace(
            self.problem,
            codes=tuple(codes[kept] for codes in self.problem.codes),
            folded=FoldedRows(row_of, first.astype(np.int32), counts.astype(np.int32)),
            models=(),
            protected=(),
            target=None,
            suppression_limit=0,
        )
        return problem, row_of

    def _exactly(self, part: Problem) -> Partition:
        if self.sizes is not None:
            self.sizes.append(part.n)
        found = solve_partition("sorted", part, Run(seed=0))
        if found.number > 1 and float(class_losses(part, _units(found)).max()) > 0.0:
            try:
                found = self._searched(part)
            except ShoalError:
                raise
            except Exception as error:  # noqa: BLE001 (one sub-problem must not lose the others)
                self.run.note(
                    f"The solver failed in some sub-problems ({error}): these were cut into runs."
                )
        self.solved += 1
        self.run.report(min(0.99, self.solved / self.number))
        return found

    def _searched(self, part: Problem) -> Partition:
        left = max(1, self.number - self.solved)
        whole = self.run.budget
        budget = whole.fresh()  # milp has a default of its own
        if whole.seconds is not None:
            budget = whole.fresh(seconds=self.run.remaining() * self.workers / left)
        elif whole.steps is not None:
            budget = whole.fresh(steps=max(1, whole.steps // self.number))
        elif self.solver.name != "milp":
            budget = whole.fresh(steps=for_width(UNTIMED_STEPS // part.k**2, len(part.codes)))
        run = self.run.child(budget, threads=1, control=self.run.control.child())
        found = self.solver.solve(part, run)
        assert isinstance(found, Partition)
        self.run.control.steps += run.control.steps
        self.run.note(*run.notes)
        return found


def _half(run: Run, *, rest: bool = False) -> Run:
    """Return the run with half of its budget; the rest also has the time the first half left."""
    seconds, steps = run.budget.seconds, run.budget.steps
    return run.within(
        replace(
            run.budget,
            seconds=seconds if seconds is None or rest else seconds / 2,
            steps=None if steps is None else steps // 2,
        )
    )


def _units(found: Partition) -> list[NDArray[np.int32]]:
    return np.split(found.rows, found.starts[1:])


def class_losses(problem: Problem, units: list[NDArray[np.int32]]) -> NDArray[np.float64]:
    """Return the loss per record of classes that consist of these rows."""
    starts = np.cumsum([0, *(len(unit) for unit in units[:-1])]).astype(np.int64)
    return problem.losses(np.concatenate(units), starts)


def _partition(problem: Problem, rows: NDArray[np.int32], classes: Classes) -> Partition:
    owner = np.repeat(np.arange(len(classes)), [len(places) for places in classes])
    keys, counts = np.unique(
        owner * problem.rows + rows[np.concatenate(classes)], return_counts=True
    )
    return Partition.of(keys % problem.rows, keys // problem.rows, counts)
