"""What freeform algorithms share: their traits, and how a cover is completed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.algorithms.algorithm import Form, Traits
from shoal.algorithms.freeform.personal import cover_in_parts, ks_of_rows
from shoal.algorithms.freeform.records import in_order, shuffled
from shoal.algorithms.freeform.segments import in_segments, segments
from shoal.algorithms.freeform.suppression import suppress_for_released, suppress_for_total

if TYPE_CHECKING:
    from shoal.algorithms.cover import Cover
    from shoal.algorithms.cover_parts import CoverParts
    from shoal.algorithms.freeform.kernel_covers import Solve
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

WITHOUT_MODELS = (
    "l-diversity and t-closeness are conditions on classes, and freeform releases have none"
)
PAPER = "Doka, Xue, Tsoumakos, Karras, k-Anonymization by Freeform Generalization, ASIACCS 2015"
PARTITION = (
    "records of a segment of the table in lexicographic order; segments are solved separately and "
    "in parallel; 0 solves the whole table at once"
)

SYMMETRIC = (
    "whether a record covers another exactly when that one covers it; an adversary who knows c "
    "true matches then still faces k - c possible ones (not so for even k and an odd number of "
    "records, where one record covers k others and not itself)"
)


def paper_traits(section: str, *, summary: str, use_when: str, cost: str) -> Traits:
    """Return the traits of an algorithm of the freeform paper."""
    return Traits(
        summary=summary,
        use_when=use_when,
        cost=cost,
        paper=f"{PAPER}, {section}",
        form=Form.FREEFORM,
        without_models=WITHOUT_MODELS,
        personal_k=True,
    )


def complete(
    problem: Problem,
    run: Run,
    solve: Solve,
    partition: int = 0,
    *,
    scout: Solve | None = None,
    polish: bool = True,
    weighs_suppression: bool = False,
    class_steps: int = 0,
) -> Cover | CoverParts:
    """Return a cover, with outliers suppressed where that helps, solved in segments if requested.

    Under a personal k there is one for each k that records are covered with.

    Parameters
    ----------
    solve
        How the algorithm covers a problem.
    partition
        Records of a segment; 0 covers the whole table at once.
    scout
        A quick cover that shows which records are worth suppressing, for a search that spends its
        whole budget.
    polish
        Whether a cover that does not gain by suppression may be improved block by block.
    weighs_suppression
        Whether ``solve`` itself decides who is suppressed.
    class_steps
        For a search, how many steps of `refine` take as long as one of its own; else 0.
    """
    run.report(0.0)

    def complete_with_one_k(problem: Problem, run: Run) -> Cover:
        mixed, order = shuffled(problem, run)
        if weighs_suppression or not mixed.suppression_limit:
            found = solve_parts(mixed, run)
        elif mixed.suppress_for == "total":
            found = suppress_for_total(mixed, run, solve_parts, scout)
        else:
            found = suppress_for_released(mixed, run, solve_parts, scout, polish=polish)
        run.report(1.0)
        return in_order(found, order)

    def solve_parts(subproblem: Problem, run: Run) -> Cover:
        if not partition:
            return solve(subproblem, run)
        return in_segments(
            subproblem, run, solve, segments(subproblem, max(partition, subproblem.k))
        )

    ks = ks_of_rows(problem)
    if ks is None:
        return complete_with_one_k(problem, run)
    return cover_in_parts(problem, ks, run, complete_with_one_k, class_steps=class_steps)
