"""`auto`: the best release that a portfolio of algorithms finds within the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.auto.classes import best_partition
from shoal.algorithms.auto.freeform import best_cover
from shoal.algorithms.auto.full_domain import best_levels
from shoal.algorithms.auto.policy import default_budget, default_budget_in_seconds
from shoal.algorithms.constants import DEFAULT_RECORDS, DEFAULT_SECONDS, SMALL
from shoal.algorithms.freeform.covering import WITHOUT_MODELS
from shoal.algorithms.lattice.task import KERNEL_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

NAME = "auto"
_TRAITS = Traits(
    summary="Run the algorithms that suit the table within the budget, and keep the best release.",
    use_when="you want the least loss within a time limit; it is the default",
    cost=f"set by `time` or `steps`; by default {DEFAULT_SECONDS:.0f} seconds, in proportion "
    f"above {DEFAULT_RECORDS:,} records (up to {SMALL:,} records a fixed number of steps, "
    "two seconds at most, unless the table is very wide)",
    paper="A portfolio of this project's algorithms",
    anytime=True,
    random=True,
    measures=("gcp", "mi", "pmi", "wmi"),
    default_budget=default_budget,
)
# What changes with the requested form. Steps are those of the search, so that the default
# in steps holds for classes alone.
_TRAITS_OF_FORM = {
    # In a few seconds only what the kernel sums up itself.
    "full-domain": replace(
        _TRAITS,
        form=Form.FULL_DOMAIN,
        measures=KERNEL_MEASURES,
        default_budget=default_budget_in_seconds,
    ),
    "freeform": replace(
        _TRAITS,
        form=Form.FREEFORM,
        measures=("gcp",),
        without_models=WITHOUT_MODELS,
        personal_k=True,
        default_budget=default_budget_in_seconds,
    ),
}


class _TraitsOfForm:
    """The traits of `auto`: of an instance, those of the form it publishes."""

    def __get__(self, chosen: Auto | None, _: type[Auto]) -> Traits:
        return _TRAITS if chosen is None else _TRAITS_OF_FORM.get(chosen.form, _TRAITS)


@algorithm(NAME, family=Family.AUTO, traits=_TraitsOfForm())
class Auto:
    """The best of a portfolio, chosen by rule and improved until the budget is spent.

    The idea: `mondrian` finds classes within milliseconds, so there is always something to release.
    `k-member` finds better ones; if slices of the table show that it would take too long, it works
    cell by cell. If losses come in jumps (hierarchies, suppression), `agglomerative` or
    `sequential` join it or take its place. `refine` then improves the best of them for most of the
    time. Small tables are finally solved by `optimal`, or improved neighbourhood by neighbourhood
    with the same program (`improve`). Each step starts from the best release so far, so the result
    is never worse than that of any algorithm it ran. With a proof of optimality it ends early.
    Full-domain releases are searched by `flash` or, if the lattice is too large, by descents from
    a pool of good nodes; freeform covers by `ff-optimal` if the table is small, and by `ff-refine`.

    Time is the budget, and little more; memory is O(n·m). The custody file lists under ``trace``
    what ran, for how long, and what each step gained. Ctrl-C once ends the search with the best
    release so far. With ``steps`` the result does not depend on the machine or the number of
    threads. Without a budget it does not either, up to 10,000 records (fewer if records times
    records times quasi-identifiers exceed 10¹⁰).
    """

    form: Literal["classes", "hierarchy", "full-domain", "freeform"] = Field(
        default="classes",
        description="what the release looks like; `form` sets it. hierarchy is classes that show "
        "nodes of hierarchies instead of sets",
    )

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return the best solution found."""
        run.check()
        run = run.within(run.budget.steps_first())
        return _PORTFOLIOS[self.form](problem, run)


_PORTFOLIOS: dict[str, Callable[[Problem, Run], Solution]] = {
    "classes": best_partition,
    "hierarchy": best_partition,
    "full-domain": best_levels,
    "freeform": best_cover,
}
