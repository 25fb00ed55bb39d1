"""`milp`: the mixed integer program of the paper, on HiGHS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Traits, algorithm, solve_partition
from shoal.algorithms.cluster.closures_of_classes import ClosuresOfClasses
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.exact.highs import Answer
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# The solver takes rows for kept and binaries for whole within 1e-6: a bound is good to about that.
TOLERANCE = 1e-6
# Without a budget the search must end soon all the same, and alike on every machine. Beyond this
# size the first node alone takes many seconds.
UNTIMED_LARGEST = 1_000
UNTIMED_NODES = 1_000


@algorithm(
    "milp",
    family=Family.EXACT,
    traits=Traits(
        summary="The paper's mixed integer program, solved by HiGHS within the budget.",
        use_when="you reproduce the paper; `optimal` proves the same optimum much sooner",
        cost="exponential; for tables of about ten records, set by `time` or `steps` (nodes); "
        f"without `time`, models beyond {UNTIMED_LARGEST:,} constraints are not tried",
        paper="Liang & Samavi, Optimization-based k-anonymity algorithms: section 2.2",
        optimal=True,
        anytime=True,
    ),
)
class Milp:
    """The division of least loss, or the best one found in time with what was proved about it.

    The idea: a binary variable for each pair of records says that they are equivalent, equivalent
    records share the bounds of their cells, and the sum of all widths is minimized. Constants are
    as tight as the paper's, and the solver starts from the classes of `sorted`. Time and memory
    grow with n²·m and beyond: it serves as the paper's baseline and as a reference for others.
    Steps are nodes of the search. Without a time limit only models of some ten records are tried,
    by default for a fixed number of nodes. What it proves holds within the solver's tolerance,
    1e-6. If the solver fails, the initial solution is still there.
    """

    largest: int = Field(
        default=200_000,
        ge=0,
        le=100_000_000,
        description="largest number of constraints; beyond it, the initial solution is returned",
    )
    integral: bool = Field(
        default=True,
        description="bounds of whole numbers are whole, as in the paper; off also allows "
        "fractions, which have the same optimum and are often faster",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the best classes found."""
        bounds: list[float] = []

        def divide_optimally(subproblem: Problem) -> Partition:
            plain = replace(subproblem, suppression_limit=0, models=(), protected=())
            partition = self._divide(plain, run)
            if partition.lower_bound is not None:
                bounds.append(partition.lower_bound)
            return partition

        partition = complete(problem, run, divide_optimally)
        if problem.suppression_limit:
            # Records that are left out make room below what was proved for all of them.
            return replace(partition, optimal=False, lower_bound=None)
        return replace(partition, lower_bound=bounds[0] if bounds else None)

    def _divide(self, problem: Problem, run: Run) -> Partition:
        # Imported where they are needed: HiGHS and SciPy take longer to load than most runs.
        from shoal.algorithms.exact.highs import solve_program
        from shoal.algorithms.exact.milp.pair_model import PairModel, size_of_model

        first = solve_partition("sorted", problem, run)
        loss = _loss(problem, first)
        if loss == 0.0 or first.number == 1:
            return replace(first, optimal=True, lower_bound=loss)
        size = size_of_model(problem)
        untimed = run.budget.seconds is None
        room = min(self.largest, UNTIMED_LARGEST) if untimed else self.largest
        if size > room:
            remedy = "; `time` gives it more" if size <= self.largest else ""
            run.note(
                f"The model would have {size:,} constraints, more than {room:,}{remedy}: the "
                f"classes are those of the initial solution, `sorted`."
            )
            return first
        if run.remaining() <= 0:
            return first
        model = PairModel.of(problem, first, integral=self.integral)
        steps = run.budget.steps
        answer = solve_program(
            model.program.build(),
            run,
            start=model.start,
            nodes=UNTIMED_NODES if untimed and steps is None else steps,
            records=model.records,
        )
        run.check()
        run.control.steps += answer.nodes
        return better_of(problem, first, answer, run)


def better_of(problem: Problem, first: Partition, answer: Answer, run: Run) -> Partition:
    """Return what the solver found, or the first partition where it found nothing better.

    Of its solution only the pairs are believed; classes, loss and what is proved follow from them.
    """
    best, loss = first, _loss(problem, first)
    found = None if answer.values is None else _classes(problem, first, answer.values)
    if found is None:
        run.note(
            f"The solver gave no solution ({answer.status}): the classes are those of the initial "
            f"solution, `sorted`."
        )
        if answer.values is not None or not np.isfinite(answer.bound):
            return first
    elif (after := _loss(problem, found)) <= loss:
        best, loss = found, after
    bound = max(0.0, answer.bound / problem.n - TOLERANCE)
    optimal = answer.finished and loss <= bound + 2 * TOLERANCE
    return replace(best, optimal=optimal, lower_bound=loss if optimal else min(bound, loss))


def _loss(problem: Problem, partition: Partition) -> float:
    losses = ClosuresOfClasses(problem, partition).losses()
    return float(np.average(losses, weights=partition.sizes))


def _classes(problem: Problem, first: Partition, values: NDArray[np.float64]) -> Partition | None:
    """Return the classes that a solution means: records that are equivalent, at once or not.

    Nothing else of the solution is believed; ``None`` if a class is too small.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = problem.n
    one, other = np.triu_indices(n, 1)
    alike = values[: len(one)] > 0.5
    graph = coo_array((np.ones(int(alike.sum())), (one[alike], other[alike])), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    if np.bincount(label).min() < problem.k:
        return None
    rows = np.repeat(first.rows, first.counts).astype(np.int64)
    keys, counts = np.unique(label.astype(np.int64) * problem.rows + rows, return_counts=True)
    return Partition.of(keys % problem.rows, keys // problem.rows, counts)
