"""`optimal`: classes of proved least loss.

Kernels: cpp/src/exact/leader_search.cpp, mixed_cuts.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Traits, algorithm
from shoal.algorithms.budget import Budget

if TYPE_CHECKING:
    from shoal.algorithms.partition import Partition
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEFAULT_SECONDS = 60.0


@algorithm(
    "optimal",
    family=Family.EXACT,
    traits=Traits(
        summary="Find the classes of least loss and prove them optimal, or prove how far from "
        "optimal they can be.",
        use_when="you want a proved optimum, and the table has up to a few hundred records, or a "
        "thousand with k = 3",
        cost=f"set by `time` or `steps`; {DEFAULT_SECONDS:.0f} seconds at most by default; proofs "
        "for hundreds of records and k up to about 5; cost grows steeply with both",
        paper="Set partitioning with generated columns and rank-1 cuts, this project's own; the "
        "problem is that of the MILP paper",
        optimal=True,
        anytime=True,
        random=True,
        default_budget=lambda _: Budget(seconds=DEFAULT_SECONDS),
    ),
)
class Optimal:
    """Classes of least total loss, with a proof, or the best found with its gap to a proved bound.

    The idea: choose classes out of all classes there are, so that every record is in one (a set
    partitioning program). Its relaxation is solved over few classes; an exact search finds those
    that would improve it, until there are none, and cuts tighten it. A division found by `refine`
    bounds the loss from above, and so do those in which the classes that the relaxation is sure of
    stay and `refine` divides the rest; then every class that a better division could use is listed,
    and the integer program over the list decides. Where the list is too long, what is left is
    divided into parts by branches, those that raise the bound most, until each part's list is
    short. A part starts with the cuts and prices of the part it comes from.

    What is proved: for k-anonymity, any attributes and weights, with or without suppression (a
    suppressed record loses 1), ``lower_bound`` is a loss per record (GCP) that no division of this
    table into classes of at least k goes below, published as closures. Classes of k to 2k - 1
    records are enough, since a larger class can be cut in two without more loss. Bounds are
    Lagrangian ones at rounded prices, with reduced costs in exact arithmetic, and lowered for the
    rounding of losses (2⁻⁴⁰ of a cell); they trust no solver. The last step does: where HiGHS's
    branch and bound found nothing better among all classes up to some reduced cost, the bound is
    raised to the least that the others cost, relying on HiGHS. ``optimal`` says that no division
    has a total loss less by more than 2·10⁻⁶ of it, or of 1 if the total is below 1: HiGHS's
    tolerance, for which the bound is lowered. With further privacy models a large class cannot
    always be cut, so the cap on sizes is given up: tables of about a dozen records are still solved
    to proof; others get the best classes found, ``lower_bound`` is that of k-anonymity alone (for
    the smallest personal k), which holds because models only forbid classes, or the least that
    single records lose under the models, if that is more, and ``optimal`` is claimed only if a
    division of that loss meets every model.

    Time is the budget; memory in proportion to the classes listed, some 100 MB at most. Steps are
    nodes of the search for classes, and 20 for each simplex iteration, those of the integer
    programs included. It is never worse than its start. Branching is on the number of classes and
    on pairs of records that have no equals; a table where that does not suffice stays without a
    proof, and a note says so.
    """

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the best classes found, with what was proved about them."""
        # Imported here: HiGHS and SciPy take longer to load than most algorithms take to run.
        from shoal.algorithms.exact.optimal.solving import solve_plain, solve_with_models

        run.report(0.0)
        found = solve_with_models(problem, run) if problem.models else solve_plain(problem, run)
        run.report(1.0)
        return found
