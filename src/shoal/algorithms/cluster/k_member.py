"""`k-member`: classes opened at the record furthest from the last.

Kernel: cpp/src/clustering/growth.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.ordering import commonest_rows, sorted_rows
from shoal.algorithms.constants import K_MEMBER_INFORMATION_PAIR_SECONDS, K_MEMBER_PAIR_SECONDS
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from shoal.algorithms.cluster.unfinished import Placed
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "k-member",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Open each class at the record furthest from the last one, then grow it greedily.",
        use_when="you want good classes in one pass, up to a few hundred thousand distinct rows",
        cost="n² / k scans, vectorized",
        paper="Byun, Kamra, Bertino & Li, Efficient k-anonymization using clustering techniques",
        random=True,
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class KMember:
    """Greedy classes, each opened far from the one before.

    The idea: each class is opened at the record furthest from the last one taken, so that outliers
    are served while good partners are still free. The class then takes, one by one, the record that
    costs least; leftovers go where they cost least. Ties go to the first record in sorted order, so
    that tied records come from one neighbourhood and the others stay together for later classes.
    Time is O(n²) in distinct rows with a very small constant, memory O(n·m). Every class has at
    least k records. It minimizes the chosen measure, but only locally. Under MI, PMI and wMI a
    class takes the record that adds least beyond what it costs anyway
    (cpp/src/clustering/information_growth.cpp), with fewer shortcuts, so it is slower.
    """

    settle: bool = Field(
        default=True,
        description="records with at least k - 1 equals form classes of their own first; off, k "
        "of them form a class and the rest join others at a loss",
    )
    nearest_to: Literal["class", "centre"] = Field(
        default="class",
        description="a class takes the record of least loss for the whole class, or the k - 1 "
        "records nearest to the one that opened it",
    )
    ties: Literal["sorted", "rarest"] = Field(
        default="sorted",
        description="which of equally near records a class takes: the first in sorted order, or "
        "the one with the rarest values; in suppress-only columns most records are "
        "equally near, and rarest loses a tenth less",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""
        return complete(problem, run, lambda subproblem: Partition.of(*self.place(subproblem, run)))

    def place(self, problem: Problem, run: Run, seconds: float = -1.0) -> Placed:
        """Return rows, their classes and how many records of each are in them.

        Models are left to a repair.

        Parameters
        ----------
        seconds
            After these, no class is opened, and k or more records may be in none; negative is no
            limit.
        """
        centre = self.nearest_to == "centre"
        start = int(run.generator().integers(problem.rows))
        rarest = self.ties == "rarest"
        order = commonest_rows(problem)[::-1].copy() if rarest else sorted_rows(problem)
        if problem.measure == "gcp":
            return kernels.k_member(
                problem.records(),
                start,
                problem.k,
                self.settle,
                centre,
                run.control,
                order=order,
                seconds=seconds,
            )
        return kernels.information_k_member(
            problem.objective(),
            order,
            start,
            problem.k,
            self.settle,
            centre,
            run.control,
            seconds=seconds,
        )


def estimate_seconds(problem: Problem) -> float:
    """Estimate how many seconds k-member takes on one thread of an ordinary machine.

    From the size of the table alone, so that no clock decides; tables with many categories take
    several times as long.
    """
    plain = problem.measure == "gcp"
    pair = K_MEMBER_PAIR_SECONDS if plain else K_MEMBER_INFORMATION_PAIR_SECONDS
    return pair * len(problem.codes) * problem.rows**2
