"""`ff-mip`: the cover of least loss, by integer programming with HiGHS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.cover import Cover, named
from shoal.algorithms.freeform.covering import PAPER, WITHOUT_MODELS, complete
from shoal.algorithms.freeform.kernel_covers import cover_by
from shoal.algorithms.freeform.records import rows_of
from shoal.algorithms.freeform.sets import (
    cover_of_sets,
    list_sets,
    sets_at_most,
    times_of_sets,
)

if TYPE_CHECKING:
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.exact.highs import Answer
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

_ROUNDING = 1e-9


@algorithm(
    "ff-mip",
    family=Family.FREEFORM,
    traits=Traits(
        summary="Find the cover of least loss, proved by an integer program; for tiny tables.",
        use_when="you need the proved optimum for a dozen records, as a reference for other "
        "algorithms",
        cost="exponential; for tables of about 14 records",
        paper=f"{PAPER}, section 4; the program over sets is this project's own",
        optimal=True,
        anytime=True,
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
        personal_k=True,
    ),
)
class FreeformMip:
    """The best cover there is, or the best one found and a bound below which none can go.

    The idea: what a released record loses does not depend on whose it is, so a cover is a choice of
    sets of k records that holds every record k times, and HiGHS proves the cheapest. A suppressed
    record loses 1, and who is suppressed is part of what is proved. The paper's program,
    ``program=paper``, has a binary variable for each pair of a released record and an original; it
    proves far less in the same time. Both start from the cover of `ff-hungarian`. Beyond ``sets``
    sets, or ``largest`` records in the paper's program, only that cover comes back, and a note says
    so. Steps are nodes of the search tree. Time is exponential, memory O(k C(n, k)) or O(n² m).
    """

    program: Literal["sets", "paper"] = Field(
        default="sets", description="choose sets of records, or pairs as in the paper"
    )
    sets: int = Field(
        default=200_000,
        ge=1,
        le=10_000_000,
        description="largest number of sets of k records to try",
    )
    largest: int = Field(
        default=20,
        ge=2,
        le=400,
        description="largest number of records to try the paper's program on",
    )
    nodes: int = Field(
        default=20_000,
        ge=1,
        le=1_000_000_000,
        description="nodes of the search, unless `steps` is set",
    )

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the best cover found, and what was proved."""
        if self.program == "sets" and sets_at_most(problem, self.sets):
            # Who is suppressed is part of the program.
            return complete(problem, run, self._solve, weighs_suppression=True)
        return complete(problem, run, self._solve)

    def _solve(self, problem: Problem, run: Run) -> Cover:
        start = cover_by("assignments")(problem, run)
        by_sets = self.program == "sets"
        limit = f"{self.sets:,} sets (sets)" if by_sets else f"{self.largest} records (largest)"
        few = sets_at_most(problem, self.sets) if by_sets else problem.n <= self.largest
        if not few:
            run.note(f"ff-mip proves nothing beyond {limit}; this is the cover of ff-hungarian.")
            return start
        choose = _choose_sets if by_sets else _choose_pairs
        found, answer = choose(problem, run, start, run.budget.steps or self.nodes)
        run.check()
        run.control.steps = answer.nodes
        # Bounds of the solver hold up to its rounding.
        bound = max(0.0, answer.bound - 1e-7) if np.isfinite(answer.bound) else 0.0
        if found is None:
            return replace(start, lower_bound=bound)
        return replace(found, optimal=answer.finished, lower_bound=bound)


def _choose_sets(
    problem: Problem, run: Run, start: Cover, nodes: int
) -> tuple[Cover | None, Answer]:
    """Return the best choice of sets, if the solver has one, and the status of the solver."""
    # Imported here: HiGHS and SciPy take longer to load than most algorithms take to run.
    from shoal.algorithms.exact.highs import solve_program
    from shoal.algorithms.freeform.programs import program_of_sets

    sets = list_sets(problem)
    begin = times_of_sets(sets, rows_of(problem, start))
    answer = solve_program(
        program_of_sets(problem, sets), run, start=begin, nodes=nodes, gap=_ROUNDING
    )
    if answer.values is None:
        return None, answer
    times = np.rint(answer.values).astype(np.int64)
    chosen = np.repeat(sets, times[: len(sets)], axis=0)
    return cover_of_sets(problem, chosen, times[len(sets) :], run), answer


def _choose_pairs(
    problem: Problem, run: Run, start: Cover, nodes: int
) -> tuple[Cover | None, Answer]:
    """Return the best choice of pairs by the paper's program, and the status of the solver."""
    from shoal.algorithms.exact.highs import solve_program
    from shoal.algorithms.freeform.programs import cover_program

    n = problem.n
    begin = np.zeros(n * n)
    begin[(np.arange(n)[:, None] * n + start.matches).ravel()] = 1.0
    answer = solve_program(cover_program(problem), run, start=begin, nodes=nodes, gap=_ROUNDING)
    if answer.values is None:
        return None, answer
    covers = answer.values[: n * n].reshape(n, n) > 0.5
    if (covers.sum(axis=0) != problem.k).any() or (covers.sum(axis=1) != problem.k).any():
        return None, answer
    cover = Cover(start.records, named(np.nonzero(covers)[1].reshape(n, problem.k)))
    return cover, answer
