"""`ff-greedy`: greedy matchings, round by round. Kernels: cpp/src/cover/cover{,_originals}.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationInfo, field_validator

from shoal.algorithms.algorithm import Family, algorithm
from shoal.algorithms.freeform.covering import PARTITION, SYMMETRIC, complete, paper_traits
from shoal.algorithms.freeform.kernel_covers import cover_by, pair_by

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run


@algorithm(
    "ff-greedy",
    family=Family.FREEFORM,
    traits=paper_traits(
        "algorithm 1",
        summary="Round by round, each record takes the partner that enlarges a closure least.",
        use_when="you compare freeform algorithms; `ff-refine` loses less",
        cost="k n², in vectorized scans",
    ),
)
class FreeformGreedy:
    """k - 1 rounds; in each, every released record gets one more original that no other got.

    The idea: records are in lexicographic order, attributes of few values first. By default
    released records choose: each takes the free original by which its closure grows least. In the
    paper, originals choose: each goes to the free released record whose closure grows least
    (`chooser=original`), so wide closures, which grow little, collect what is far away. If all free
    partners of a record are ones that it already has, the nearest record before it hands over its
    own and takes another (Lemma 5.1 of the paper; from k = (n + 3) / 2 on, a chain of such
    exchanges). Time is O(k n²) over distinct rows, memory O(n (k + m)).

    In the symmetric form, each record in turn takes the free one that costs both least; neither
    side chooses.
    """

    chooser: Literal["released", "original"] = Field(
        default="released",
        description="who chooses: released records, which loses less in most tables of the study, "
        "or originals, as in the paper; not for the symmetric form, where neither does",
    )
    symmetric: bool = Field(default=False, description=SYMMETRIC)
    partition: int = Field(default=0, ge=0, le=1_000_000_000, description=PARTITION)

    @field_validator("symmetric")
    @classmethod
    def _without_chooser(cls, symmetric: bool, fields: ValidationInfo) -> bool:  # noqa: FBT001
        if symmetric and fields.data.get("chooser") == "original":
            raise ValueError("leave chooser out: in the symmetric form neither side chooses")
        return symmetric

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the cover."""
        solve = cover_by("greedy" if self.chooser == "released" else "originals")
        if self.symmetric:
            solve = pair_by("symmetric-greedy")
        return complete(problem, run, solve, self.partition, polish=not self.symmetric)
