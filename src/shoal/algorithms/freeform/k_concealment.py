"""`k-concealment`: covers that are counted but not weighed. Kernel: cpp/src/conceal.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.concealment import Concealment
from shoal.algorithms.freeform.covering import (
    WITHOUT_MODELS,
    cover_by,
    kept_records,
    restricted,
    unfolded,
)
from shoal.algorithms.solution import Guarantee

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

LESS = "{} counts counterparts, which may differ in likelihood: it is less than k-anonymity."


@algorithm(
    "k-concealment",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Closures grow until every original has k released records that could be its own.",
        cost="k n², and n² for each round of matching",
        paper="Gionis, Mazza, Tassa, k-Anonymization Revisited, ICDE 2008; Tassa, Mazza, Gionis, "
        "k-Concealment, 2012",
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
    ),
)
class KConcealment:
    """Generalized records, each original's own among them; weaker than k-anonymity.

    The idea: each released record takes the originals that cost it least until it covers k,
    (k,1); originals that fewer than k cover are added where they cost least, (1,k), which gives
    (k,k); and covers that lie in no perfect matching are made mutual until every original has k
    matches. Matches are not equally likely, and the record is published as its own closure: who
    knows all originals may guess better than 1/k. Time O(k n²), memory O(n (k + m)) and that of
    the cover graph.
    """

    model: Literal["(1,k)", "(k,1)", "(k,k)", "concealment"] = Field(
        default="concealment", description="what is enforced, and what the verifier checks"
    )

    def solve(self, problem: Problem, run: Run) -> Concealment:
        """Return the generalized records."""
        run.report(0.0)
        records = kept_records(problem, run, cover_by("assignments"))
        asked = unfolded(restricted(problem, records))
        members, starts = kernels.conceal(asked.records(), asked.k, self.model, control=run.control)
        run.note(LESS.format(self.model))
        run.report(1.0)
        return Concealment(records, members, starts, Guarantee(self.model))
