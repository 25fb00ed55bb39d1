"""`ring`: rings inside classes, the non-homogeneous generalization of Wong et al.

Kernel: cpp/src/cover/cover_rings.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Form, Traits, algorithm, algorithms, solve_partition
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.covering import WITHOUT_MODELS, complete
from shoal.algorithms.freeform.kernel_covers import lexicographic_rows

if TYPE_CHECKING:
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


def rings(problem: Problem, classes: Partition, run: Run, *, chain: bool) -> Cover:
    """Return the cover by rings inside classes, in lexicographic order or along a greedy chain."""
    members = kernels.ring_cover(
        problem.records(),
        classes.rows,
        classes.classes,
        classes.counts,
        classes.number,
        problem.k,
        lexicographic_rows(problem),
        chain=chain,
        control=run.control,
    )
    return Cover.of_rows(problem, members)


@algorithm(
    "ring",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Inside each class of another algorithm, every record covers the next k in a ring.",
        use_when="you compare freeform algorithms with their predecessor",
        cost="that of the classes",
        paper="Wong, Mamoulis, Cheung, Non-homogeneous Generalization in Privacy Preserving Data "
        "Publishing, SIGMOD 2010 (NH)",
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
        personal_k=True,
    ),
)
class Ring:
    """A cover that never leaves the classes it starts from.

    The idea: the records of a class are arranged in a circle, and each released record covers
    itself and the next k - 1. In a class of exactly k that is the whole class; in a larger one,
    closures are smaller. Time and memory are those of the algorithm that makes the classes.
    """

    start: str = Field(
        default="mondrian", description="the clustering algorithm whose classes are used"
    )
    chain: bool = Field(
        default=False,
        description="whether the ring goes from each record to the nearest one left, instead of in "
        "lexicographic order",
    )

    @field_validator("start")
    @classmethod
    def _known_start(cls, start: str) -> str:
        known = [name for name, one in algorithms().items() if one.traits.form == Form.CLASSES]
        if start not in known:
            raise ValueError(f"choose one of {', '.join(known)}")
        return start

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the cover."""

        def solve(subproblem: Problem, run: Run) -> Cover:
            classes = solve_partition(self.start, subproblem, run.child(run.budget))
            return rings(subproblem, classes, run, chain=self.chain)

        return complete(problem, run, solve)
