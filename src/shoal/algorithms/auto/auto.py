"""`auto`: the best release for the time there is, whatever it takes to find it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.auto.budget import Budget
from shoal.algorithms.auto.classes import best_partition
from shoal.algorithms.auto.freeform import best_cover
from shoal.algorithms.auto.full_domain import best_levels
from shoal.algorithms.auto.policy import (
    DEFAULT_RECORDS,
    DEFAULT_SECONDS,
    SMALL,
    default_seconds,
    default_steps,
)
from shoal.algorithms.freeform.covering import WITHOUT_MODELS
from shoal.algorithms.lattice.task import KERNEL_MEASURES

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

NAME = "auto"
_TRAITS = Traits(
    summary="Read the problem, run what suits it, keep the best: for as long as you give it.",
    cost=f"`time` or `steps`; without either {DEFAULT_SECONDS:.0f} seconds, beyond "
    f"{DEFAULT_RECORDS:,} records in proportion (up to {SMALL:,} records a number of steps, two "
    "seconds at most)",
    paper="A portfolio of this project's algorithms",
    anytime=True,
    random=True,
    measures=("gcp", "mi", "pmi", "wmi"),
)
# What changes with the form that is asked for.
_TRAITS_OF_FORM = {
    "classes": _TRAITS,
    "hierarchy": _TRAITS,
    # In a few seconds only what the kernel sums up itself.
    "full-domain": replace(_TRAITS, form=Form.FULL_DOMAIN, measures=KERNEL_MEASURES),
    "freeform": replace(
        _TRAITS, form=Form.FREEFORM, measures=("gcp",), without_models=WITHOUT_MODELS
    ),
}


@algorithm(NAME, family=Family.AUTO, traits=_TRAITS)
class Auto:
    """The best of a portfolio, chosen by rule and improved until the budget is spent.

    The idea: `mondrian` gives classes within milliseconds, so that there is always something to
    release; `k-member` better ones, cell by cell where the table is large, `agglomerative` or
    `sequential` where losses come in jumps (hierarchies, suppression). `refine` improves the best
    of them for most of the time. Small tables are then solved by `optimal`, or improved
    neighbourhood by neighbourhood by the same program (`improve`). Each step starts from the best
    so far, so the result is never worse than that of any algorithm it ran. It ends early with a
    proof. Full domains are searched by `flash`, or by `kgen` where there are too many, freeform
    covers by `ff-refine`.

    Time as given, and little more; memory O(n·m); no step takes more than linear time beyond what
    fits. The facts tell under ``trace`` what ran, for how long, and what each step gained. Ctrl-C
    once ends it with the best so far. With ``steps`` (or without a budget, up to 10,000 records)
    the result does not depend on the machine or the number of threads.
    """

    form: Literal["classes", "hierarchy", "full-domain", "freeform"] = Field(
        default="classes",
        description="what the release looks like; `form` sets it. hierarchy is classes that show "
        "nodes of hierarchies instead of sets",
    )

    def __post_init__(self) -> None:
        """Promise what the chosen form can keep."""
        object.__setattr__(self, "traits", _TRAITS_OF_FORM[self.form])

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return the best solution found."""
        run.check()
        if self.form == "full-domain":
            return best_levels(problem, run, _budget(problem, run, steps=None))
        if self.form == "freeform":
            return best_cover(problem, run, _budget(problem, run, steps=None))
        return best_partition(problem, run, _budget(problem, run, steps=default_steps(problem)))


def _budget(problem: Problem, run: Run, *, steps: int | None) -> Budget:
    """Return what the run may spend; a small table has a default in steps, or that of its search.

    Steps are those of the search, so that other forms than classes have other defaults.
    """
    if run.steps is not None:
        return Budget(steps=run.steps)
    if run.seconds is None and problem.n <= SMALL:
        return Budget(steps=steps)
    if run.seconds is None:
        run.seconds = default_seconds(problem)
        run.notes.append(f"auto took up to {run.seconds:.0f} seconds; `time` or `steps` sets it.")
    return Budget(end=run.started + run.seconds)
