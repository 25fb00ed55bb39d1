"""`ff-optimal`: the cover of proved least loss.

Kernels: cpp/src/exact/leader_search.cpp, mixed_cuts.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Family, Form, Traits, algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.freeform.covering import WITHOUT_MODELS, complete

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

DEFAULT_SECONDS = 60.0


@algorithm(
    "ff-optimal",
    family=Family.EXACT,
    traits=Traits(
        summary="Find the cover of least loss and prove it optimal, or prove how far from optimal "
        "it can be.",
        use_when="you need the proved optimum of a freeform release of a few hundred records, or a "
        "bound on how much better a release could be",
        cost=f"set by `time` or `steps`; {DEFAULT_SECONDS:.0f} seconds at most by default; proofs "
        "for hundreds of records and small k; cost grows steeply with both",
        paper="Set covering with generated columns and rank-1 cuts, this project's own; the "
        "problem is that of the freeform paper, section 4",
        optimal=True,
        anytime=True,
        random=True,
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
        personal_k=True,
        default_budget=lambda _: Budget(seconds=DEFAULT_SECONDS),
    ),
)
class FreeformOptimal:
    """The cover of least loss, with a proof, or the best found with its gap to a proved bound.

    The idea: what a released record loses depends on the k originals that it covers, so a cover is
    a choice of sets of k records that holds every record k times. Its relaxation is solved over few
    sets; an exact search finds those that would improve it, until there are none, and cuts tighten
    it. The cover of `ff-refine` bounds the loss from above; then every set that a better cover
    could use is listed, and an integer program (HiGHS) over the list decides, the cheapest first.

    What is proved: ``lower_bound`` is a loss per record (GCP) that no release of this table under
    freeform k-anonymity goes below that suppresses no more records than the limit allows (a
    suppressed record loses 1, and who is suppressed is part of what is proved). It holds whenever
    the search is stopped. Bounds are Lagrangian ones at rounded prices, with reduced costs in exact
    arithmetic, and lowered for the rounding of losses (2⁻⁴⁰ of a cell); only the last step trusts
    HiGHS. ``optimal`` says that no cover has a total loss less by more than 2·10⁻⁶ of it, or of 1/k
    if the total is below that.

    Time is the budget; memory in proportion to the sets listed, some 100 MB at most. Steps are
    nodes of the search for sets, and 20 for each simplex iteration. It is never worse than its
    start. Where some of equal records are suppressed, a proof may stay open.
    """

    def solve(self, problem: Problem, run: Run) -> Cover | CoverParts:
        """Return the best cover found, and what was proved about it."""
        # Imported here: HiGHS and SciPy take longer to load than most algorithms take to run.
        from shoal.algorithms.exact.covers.solving import solve_cover

        return complete(problem, run, solve_cover, weighs_suppression=True, class_steps=1)
