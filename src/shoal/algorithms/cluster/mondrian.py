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
        cost="n log n, millions of rows a second",
        paper="LeFevre, DeWitt & Ramakrishnan, Mondrian multidimensional k-anonymity",
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Mondrian:
    """Halve the table again and again at the median of the attribute that loses most.

    The idea: of the current class, take the attribute of greatest weighted loss, cut at its median
    (trees at a child boundary near it), and go on with both sides; an attribute whose cut would
    leave fewer than k on a side is passed over. Tight closures are published. Time O(n log n),
    memory O(n·m): the algorithm for tens of millions of rows.

    With privacy models, classes of up to 8 k records look for a cut that leaves every model met on
    both sides: of an attribute up to 16 boundaries are tried, the most equal sides first, and then
    the next attribute. Where there is none, the class is cut all the same and the repair unites
    those that break a model with others, which loses less than to stop there; parameter ``models``
    has the textbook's rule instead. Under MI, PMI and wMI the attribute is cut whose cut saves
    most; where in it the cut goes does not depend on the measure.
    """

    cuts: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="strict keeps equal values on one side; relaxed may divide them",
    )

    models: Literal["prefer", "keep"] = Field(
        default="prefer",
        description="prefer cuts that leave every model met, and repair where there is none; keep "
        "never makes any other cut: a multiple of the loss, but no repair, which is slow for "
        "millions of rows",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""
        strict = self.cuts == "strict"
        keep = self.models == "keep"

        def divide(subproblem: Problem) -> Partition:
            return Partition.of(
                *kernels.guarded_mondrian(
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
