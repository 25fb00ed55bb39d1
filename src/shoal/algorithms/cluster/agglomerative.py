"""`agglomerative`: merge the two closest clusters. Kernel: cpp/src/clustering/agglomerative.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from shoal.algorithms.cluster.unfinished import Placed
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "agglomerative",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Start with every record alone and merge the two closest clusters until all "
        "have k.",
        use_when="losses come in jumps, as with hierarchies and suppressed cells, and there are at "
        "most about ten thousand distinct rows",
        cost="n² distances, vectorized",
        paper="Goldberger & Tassa, Efficient anonymizations with enhanced utility, section 6.2.1; "
        "Gionis, Mazza & Tassa, k-Anonymization revisited",
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Agglomerative:
    """Merge, again and again, the two clusters whose union adds least to the total loss.

    The idea: every distinct row starts as a cluster of its own; rows with k or more records are
    classes from the start. The two clusters A and B with the least |A ∪ B|·gc(A ∪ B) - |A|·gc(A) -
    |B|·gc(B) are merged. A cluster that reaches k records becomes a class and takes no more. If a
    last cluster has fewer than k records, its rows join the classes where they cost least.

    Every cluster remembers its nearest older one, so no matrix of distances is kept: time is O(n²)
    in distinct rows, memory O(n·m). Every class has at least k records, and equal records stay
    together unless the repair of a model separates them. The result depends only on the table and
    the order of its rows, which breaks ties. Under MI, PMI and wMI all distances must be computed,
    so it is much slower.
    """

    shrink: bool = Field(
        default=False,
        description="let a finished class of more than k records give back the rows that cost it "
        "most, as far as k allows; they start again as clusters of their own",
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
            After these, no clusters unite, and k or more records may be in no class; negative is no
            limit.
        """
        return kernels.agglomerative(
            problem.objective(), problem.k, self.shrink, run.control, seconds=seconds
        )
