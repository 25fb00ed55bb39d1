"""`greedy`: Greedy Search over the sorted records. Kernel: cpp/src/clustering/growth.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.ordering import ORDER, commonest_rows, sorted_rows
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "greedy",
    family=Family.CLUSTER,
    traits=Traits(
        summary=(
            "Walk through the sorted records; each opens a class and takes the records that suit "
            "it."
        ),
        use_when="you compare with the paper; `k-member` is usually better in the same time",
        cost="n² / k scans, vectorized",
        paper="Liang & Samavi, Optimization-based k-anonymity algorithms: Greedy Search",
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Greedy:
    """Each unassigned record of the sorted list takes, one by one, the record of least loss.

    The idea: the next record in sorted order opens a class; then k - 1 times the class takes the
    remaining record with which it loses least. Leftovers go where they cost least. Time is O(n²) in
    distinct rows with a very small constant, memory O(n·m). Every class has at least k records. It
    minimizes the chosen measure, but only locally. Under MI, PMI and wMI a class takes the record
    that adds least beyond what it costs anyway (cpp/src/clustering/information_growth.cpp), with
    fewer shortcuts, so it is slower.
    """

    settle: bool = Field(
        default=True,
        description="records with at least k - 1 equals form classes of their own first; off, as "
        "in the paper, k of them form a class and the rest join others at a loss",
    )

    order: Literal["ranks", "values", "commonest"] = Field(
        default="ranks",
        description=f"{ORDER}; or the records with the most common values come first, which loses "
        "less in suppress-only columns",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""

        def divide(subproblem: Problem) -> Partition:
            order = (
                commonest_rows(subproblem)
                if self.order == "commonest"
                else sorted_rows(subproblem, self.order)
            )
            if subproblem.measure == "gcp":
                placed = kernels.greedy(
                    subproblem.records(), order, subproblem.k, self.settle, run.control
                )
            else:
                placed = kernels.information_greedy(
                    subproblem.objective(), order, subproblem.k, self.settle, run.control
                )
            return Partition.of(*placed)

        return complete(problem, run, divide)
