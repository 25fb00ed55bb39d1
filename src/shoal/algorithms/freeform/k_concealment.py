"""`k-concealment`: covers that are counted, not weighted. Kernel: cpp/src/cover/conceal.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from shoal._core import kernels
from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.concealment import Concealment, joined
from shoal.algorithms.freeform.covering import WITHOUT_MODELS
from shoal.algorithms.freeform.kernel_covers import cover_by
from shoal.algorithms.freeform.personal import ks_of_rows, solve_in_parts
from shoal.algorithms.freeform.records import records_without, restricted, shuffled, unfolded
from shoal.algorithms.freeform.suppression import PARTS, costliest
from shoal.algorithms.solution import Guarantee
from shoal.algorithms.suppression import loss_to_lower, note_price
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

# Records up to which all closures are listed, and up to which matches are found by flows.
LARGEST, LARGEST_CONCEALED = 12, 7
LESS = "{} counts counterparts, which may differ in likelihood: it is less than k-anonymity."


@algorithm(
    "k-concealment",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Closures grow until every original has k released records that could be its own.",
        use_when="an attacker is not expected to know the release's other records, and k-anonymity "
        "costs too much",
        cost="k n², and n² for each round of matching",
        paper="Gionis, Mazza, Tassa, k-Anonymization Revisited, ICDE 2008; Tassa, Mazza, Gionis, "
        "k-Concealment, 2012",
        form=Form.FREEFORM,
        random=True,
        without_models=WITHOUT_MODELS,
        personal_k=True,
        without_bound="it guarantees less than freeform k-anonymity, so its releases can lose "
        "less than any of those",
    ),
)
class KConcealment:
    """Generalized records, each original's own among them; weaker than k-anonymity.

    The idea: each released record takes the originals that cost it least until it covers k,
    (k,1); originals that fewer than k cover are added where they cost least, (1,k), which gives
    (k,k); and covers that lie in no perfect matching are made mutual until every original has k
    matches. Records are solved in random order, and which released record an original is published
    as is drawn among perfect matchings; still, matches are not equally likely, and somebody who
    knows all originals may guess better than 1/k. Time O(k n²), memory O(n (k + m)) and that of the
    cover graph.

    For tiny tables `exact` proves the least loss by an integer program (HiGHS) over all closures;
    beyond 12 records, 7 for concealment, the other way is taken and a note says so. Which records
    are suppressed is not part of that proof.

    Under a personal k every original has as many matches as it requires. Records near a demanding
    one are solved with its k, the others with the common k; `exact` gives each its own. (k,1)
    guarantees nothing for originals, so it refuses a personal k.
    """

    model: Literal["(1,k)", "(k,1)", "(k,k)", "concealment"] = Field(
        default="concealment", description="what is enforced, and what the verifier checks"
    )
    exact: bool = Field(
        default=False,
        description="whether an integer program finds the least possible loss; for tiny tables",
    )

    def solve(self, problem: Problem, run: Run) -> Concealment:
        """Return the generalized records."""
        ks = ks_of_rows(problem)
        if ks is not None and self.model == "(k,1)":
            raise ParameterError(
                "(k,1) counts the originals that a released record covers: it guarantees nothing "
                "for an original, so a personal k has no meaning.",
                remedy="Choose the model concealment, (1,k) or (k,k).",
            )
        run.report(0.0)
        problem, order = shuffled(problem, run)
        if ks is None or (self._provable(problem.n) and not problem.suppression_limit):
            found = self._with_outliers_weighed(problem, run, ks)
        else:
            found = joined(solve_in_parts(problem, ks, run, self._with_outliers_weighed))
        run.note(LESS.format(self.model))
        run.report(1.0)
        return replace(found, records=order[found.records])

    def _with_outliers_weighed(
        self, problem: Problem, run: Run, ks: NDArray[np.int64] | None = None
    ) -> Concealment:
        found = self._conceal(problem, np.arange(problem.n, dtype=np.int64), run, ks)
        return self._without_outliers(problem, found, run) if problem.suppression_limit else found

    def _provable(self, records: int) -> bool:
        return self.exact and records <= self._most

    @property
    def _most(self) -> int:
        """Largest number of records for the integer program."""
        return LARGEST_CONCEALED if self.model == "concealment" else LARGEST

    def _conceal(
        self,
        problem: Problem,
        records: NDArray[np.int64],
        run: Run,
        ks: NDArray[np.int64] | None = None,
    ) -> Concealment:
        subproblem = unfolded(restricted(problem, records))
        if self._provable(subproblem.n):
            own = np.full(problem.rows, problem.k, dtype=np.int64) if ks is None else ks
            own = own[problem.folded.row_of[records]]
            return self._least(problem, subproblem, records, own, run)
        if self.exact:
            run.note(
                f"Exact solutions are limited to {self._most} records; this one may lose more."
            )
        members, starts = kernels.conceal(
            subproblem.records(), subproblem.k, self.model, control=run.control
        )
        return Concealment(records, members, starts, Guarantee(self.model))

    def _least(
        self,
        problem: Problem,
        subproblem: Problem,
        records: NDArray[np.int64],
        ks: NDArray[np.int64],
        run: Run,
    ) -> Concealment:
        """Return what the integer program finds, proved where nobody may be suppressed."""
        # Imported here: HiGHS and SciPy take longer to load than most algorithms take to run.
        from shoal.algorithms.exact.highs import solve_program
        from shoal.algorithms.freeform.least_concealment import concealing_program

        guarantee = Guarantee(self.model)
        program, owner, held = concealing_program(subproblem, guarantee, ks)
        # Everybody covers everybody: that keeps every model.
        start = np.asarray(held.all(axis=1), dtype=np.float64)
        answer = solve_program(program, run, start=start, nodes=run.budget.steps, gap=1e-9)
        run.check()
        values = start if answer.values is None else answer.values[: len(owner)]
        chosen = np.flatnonzero(values > 0.5)
        chosen = chosen[np.argsort(owner[chosen])]
        members = np.nonzero(held[chosen])[1].astype(np.int32)
        sizes = held[chosen].sum(axis=1)
        proved = answer.finished and not problem.suppression_limit
        bound = max(0.0, answer.bound - 1e-7) if np.isfinite(answer.bound) else None
        return Concealment(
            records,
            members,
            np.cumsum(sizes) - sizes,
            guarantee,
            optimal=proved,
            lower_bound=None if problem.suppression_limit else bound,
        )

    def _without_outliers(self, problem: Problem, whole: Concealment, run: Run) -> Concealment:
        """Return the best of all records and those without some outliers.

        Assignments show who widens closures most. One record may widen many, so for the total
        several numbers of suppressed records are tried.
        """
        cover = cover_by("assignments")(problem.without_suppression(), run)
        choices = [whole]
        for part in PARTS if problem.suppress_for == "total" else (1,):
            out = costliest(problem, cover, -(-problem.suppression_limit // part), run)
            choices.append(self._conceal(problem, records_without(problem, out, run), run))
        best = min(choices, key=lambda found: loss_to_lower(problem, *found.lost(problem)))
        note_price(problem, run, *best.lost(problem))
        return best
