"""`mondrian`: top-down median cuts. Kernel: cpp/src/clustering/mondrian.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.kernel_models import kernel_models
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "mondrian",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Cut the table at medians, widest attribute first, while both sides keep k.",
        use_when="the table has millions of rows, or you want a release at once",
        cost="n log n",
        paper="LeFevre, DeWitt & Ramakrishnan, Mondrian multidimensional k-anonymity",
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Mondrian:
    """Halve the table again and again at the median of the attribute that loses most.

    The idea: in the current class, take the attribute with the greatest weighted loss, cut it at
    its median (a tree at a child boundary near it), and continue with both sides. If a cut would
    leave fewer than k records on a side, try the next attribute. Published closures are tight. Time
    is O(n log n), memory O(n·m): it is the algorithm for tens of millions of records.

    With privacy models, classes of up to 8 k records look for a cut after which both sides meet
    every model: up to 16 boundaries of an attribute are tried, the most balanced first, then the
    next attribute. If there is none, the class is cut all the same, and the repair merges those
    that break a model with others, which loses less than stopping there; the parameter ``models``
    chooses the textbook rule instead. Under MI, PMI and wMI, the attribute whose cut saves most is
    cut; where it is cut does not depend on the measure.
    """

    cuts: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="strict keeps equal values on one side; relaxed may divide them",
    )

    models: Literal["prefer", "keep"] = Field(
        default="prefer",
        description="prefer cuts that keep every model, cut all the same where there are none, "
        "and repair; keep makes no other cuts: it loses several times as much, but "
        "needs no repair, which is slow for millions of rows",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""
        strict = self.cuts == "strict"
        keep = self.models == "keep"

        def divide(subproblem: Problem) -> Partition:
            return Partition.of(
                *kernels.mondrian_with_models(
                    subproblem.objective(),
                    kernel_models(subproblem),
                    subproblem.k,
                    strict,
                    keep,
                    run.threads,
                    run.control,
                )
            )

        return complete(problem, run, divide)
