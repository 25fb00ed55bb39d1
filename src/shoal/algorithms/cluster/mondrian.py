"""`mondrian`: top-down median cuts. Kernel: cpp/src/mondrian.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.solution import Partition

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "mondrian",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Cut the table at medians, widest attribute first, while both sides keep k.",
        cost="n log n, millions of rows a second",
        paper="LeFevre, DeWitt & Ramakrishnan, Mondrian multidimensional k-anonymity",
    ),
)
class Mondrian:
    """Halve the table again and again at the median of the attribute that loses most.

    The idea: of the current class, take the attribute of greatest weighted loss, cut at its median
    (trees at a child boundary near it), and go on with both sides; an attribute whose cut would
    leave fewer than k on a side is passed over. Tight closures are published. Time O(n log n),
    memory O(n·m): the algorithm for tens of millions of rows.
    """

    cuts: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="strict keeps equal values on one side; relaxed may divide them",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""
        strict = self.cuts == "strict"

        def divide(asked: Problem) -> Partition:
            return Partition.of(
                *kernels.mondrian(asked.records(), asked.k, strict, run.threads, run.control)
            )

        return complete(problem, run, divide)
