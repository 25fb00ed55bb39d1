"""`sequential`: records move to the class they suit best.

Kernel: cpp/src/clustering/sequential*.cpp.
"""

from __future__ import annotations

from functools import partial
from math import floor
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
    "sequential",
    family=Family.CLUSTER,
    traits=Traits(
        summary="Start at random; move each record to the class it suits best, again and again.",
        use_when="you compare clustering algorithms, or measure loss by entropy (`measure='mi'`)",
        cost="two or three passes of n² / k scans, vectorized, and about ten over what changed",
        paper="Goldberger & Tassa, Efficient anonymizations with enhanced utility: "
        "Algorithms 1, 2 and 3",
        anytime=True,
        random=True,
        measures=("gcp", "mi", "pmi", "wmi"),
    ),
)
class Sequential:
    """Random classes smaller than k that exchange single records until no move pays.

    The idea: classes of alpha · k records are drawn at random. In cyclic passes, every record moves
    to the class that lowers the total loss most, classes of one record dissolve, and those above
    omega · k are split at random. At the end, classes below k are merged, the closest first.
    Between classes that are equally good for a record, the one nearest to k from below is taken.
    The start and the splits spread protected values evenly, classes of the start are enlarged until
    they meet the models, and every move and split keeps them. As printed (`split=permuted`), a
    start that does not meet them makes one class of all records.

    Time is O(n² / k) for each of the first two or three passes. In the later ones, some ten, a
    record looks only at classes that have changed since it last looked, with the same result.
    Memory is O(n·m). Passes end when no record moves, or when three in a row lower the loss by less
    than a millionth.

    A step (``steps``) is one visit to a record. Restarts run in parallel and the best is kept; the
    first one always ends, cut short by the time limit if need be.
    """

    alpha: float = Field(default=0.5, gt=0, le=2, description="initial class size, as a share of k")
    omega: float = Field(
        default=1.5, ge=1, le=10, description="a class larger than this share of k is split"
    )
    restarts: int = Field(
        default=1, ge=1, le=10_000, description="random starts, of which the best result is kept"
    )
    split: Literal["even", "permuted"] = Field(
        default="even",
        description="how the start and the splits spread protected values: evenly, with classes "
        "of equal size, or as in the paper's Algorithm 3, where a permutation for "
        "each value decides which classes get its leftover records, and where classes that "
        "do not meet the models are not enlarged (Algorithm 2)",
    )
    polish: bool = Field(
        default=True,
        description="after merging, further passes keep every class at k or more; off is the "
        "paper's algorithm, which loses about 3 % more",
    )

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the classes."""
        sequential = (
            partial(kernels.sequential, permute=True)
            if self.split == "permuted"
            else kernels.sequential
        )

        def divide(subproblem: Problem) -> Partition:
            return Partition.of(
                *sequential(
                    subproblem.objective(),
                    kernel_models(subproblem),
                    k=subproblem.k,
                    start_size=max(1, floor(self.alpha * subproblem.k + 0.5)),
                    most=max(2, floor(self.omega * subproblem.k + 1e-9)),
                    restarts=self.restarts,
                    polish=self.polish,
                    seed=run.kernel_seed(),
                    threads=run.threads,
                    steps=run.budget.kernel_steps,
                    seconds=run.budget.kernel_seconds,
                    control=run.control,
                )
            )

        return complete(problem, run, divide)
