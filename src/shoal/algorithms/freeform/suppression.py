"""Which records of a cover to suppress, where some may be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal._core import kernels
from shoal.algorithms.constants import WORTH_HALF_THE_TIME, WORTH_SUPPRESSING
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform.kernel_covers import cover_by
from shoal.algorithms.freeform.records import records_without, restricted, rows_of
from shoal.algorithms.solution import without_proof
from shoal.algorithms.suppression import (
    loss_to_lower,
    note_price,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.freeform.kernel_covers import Solve
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

PARTS = (1, 2, 4, 8)  # of the suppression limit
_SCOUTED = 5e8  # comparisons of a closure with a record


def suppress_for_total(
    problem: Problem, run: Run, solve: Solve, scout: Solve | None = None
) -> Cover:
    """Return a cover of all records, or a better one in which some are suppressed.

    Records that widen the closures they are in by more than they would lose themselves are
    suppressed, and the rest is covered again; that is kept only if the total loss falls.

    Parameters
    ----------
    scout
        How a search that spends its whole budget finds out beforehand whether a second cover is
        worth half of the time.
    """
    everyone = problem.without_suppression()
    first = second = run
    if scout is not None and run.budget.seconds is not None:
        gains = net_gains(problem, scout(everyone, run))
        if gains.clip(0.0).sum() <= WORTH_HALF_THE_TIME * problem.n:
            return without_proof(solve(everyone, run))
        first, second = run.within(run.budget.share(0.5)), run.within(run.budget.share(1.0))
    whole = without_proof(solve(everyone, first))
    out = outliers(problem, whole)
    if not out.sum() or problem.n - out.sum() < problem.k:
        return whole
    rest = _cover_without(problem, out, second, solve)
    return min((whole, rest), key=lambda cover: loss_of_cover(problem, cover))


def suppress_for_released(
    problem: Problem, run: Run, solve: Solve, scout: Solve | None = None, *, polish: bool = True
) -> Cover:
    """Return the cover of least loss for the records that are released, up to the limit.

    Parameters
    ----------
    scout
        How the records that are worth suppressing are found, where not by assignments.
    polish
        Whether a cover that does not gain by suppression may be improved block by block.
    """
    if scout is not None:
        found = _without_outliers(problem, run, solve, scout, 1)
    else:
        # Optimal assignments tell outliers best, where they are affordable.
        few = (problem.k - 1) * problem.n**2 <= _SCOUTED
        scout = cover_by("assignments") if few else solve
        whole = loss_of_cover(problem, solve(problem.without_suppression(), run))
        for part in PARTS:
            found = _without_outliers(problem, run, solve, scout, part)
            # A greedy algorithm may do worse on fewer records; then fewer are suppressed.
            if loss_of_cover(problem, found) < whole:
                break
        else:
            if polish:
                found = _polished(problem, run, _without_outliers(problem, run, solve, scout, 1))
    note_price(problem, run, *_lost(problem, found))
    return found


def loss_of_cover(problem: Problem, cover: Cover) -> float:
    """Return the loss of a cover that suppression is to lower."""
    return loss_to_lower(problem, *_lost(problem, cover))


def _lost(problem: Problem, cover: Cover) -> tuple[float, NDArray[np.int64]]:
    """Return the loss of all released records, and how many of each row are suppressed."""
    subproblem = restricted(problem, cover.records)
    members = rows_of(subproblem, replace(cover, records=np.arange(subproblem.n)))
    lost = float(kernels.cover_loss(subproblem.records(), subproblem.k, members)) * subproblem.n
    kept = np.bincount(problem.folded.row_of[cover.records], minlength=problem.rows)
    return lost, problem.counts - kept


def net_gains(problem: Problem, cover: Cover) -> NDArray[np.float64]:
    """Return for each row what all closures gain without it, beyond what suppressing it costs."""
    members = problem.folded.row_of[cover.records[cover.matches]].astype(np.int64)
    released = np.repeat(np.arange(len(members)), cover.k)
    keys, counts = np.unique(released * problem.rows + members.ravel(), return_counts=True)
    entries = (
        (keys % problem.rows).astype(np.int32),
        (keys // problem.rows).astype(np.int32),
        counts.astype(np.int32),
    )
    objective = problem.objective()
    # A closure counts as often as it covers originals, k times.
    totals = np.asarray(objective.totals(*entries, len(members)))[entries[1]]
    others = cover.k - counts
    without = (totals - kernels.gains(objective, *entries, len(members))) / np.maximum(others, 1)
    gains = np.where(others > 0, totals / cover.k - without, totals / cover.k)
    return np.asarray(
        np.bincount(entries[0], gains, minlength=problem.rows) - WORTH_SUPPRESSING * problem.counts
    )


def outliers(problem: Problem, cover: Cover) -> NDArray[np.int64]:
    """Return how many records of each row to suppress, at most the limit in all."""
    gains = net_gains(problem, cover)
    counts = problem.counts.astype(np.int64)
    worth = np.flatnonzero((gains > 0) & (counts <= problem.suppression_limit))
    best = worth[np.argsort(-gains[worth] / counts[worth], kind="stable")]
    taken = best[np.cumsum(counts[best]) <= problem.suppression_limit]
    out = np.zeros(problem.rows, dtype=np.int64)
    out[taken] = counts[taken]
    return out


def _cover_without(problem: Problem, out: NDArray[np.integer], run: Run, solve: Solve) -> Cover:
    """Return the cover of what is left when so many records of each row are gone.

    What was proved of it holds for those records alone: others might have been suppressed.
    """
    records = records_without(problem, out, run)
    found = solve(restricted(problem, records), run)
    return Cover(records[found.records], found.matches)


def _without_outliers(problem: Problem, run: Run, solve: Solve, scout: Solve, part: int) -> Cover:
    """Return the cover of what is left when a part of the limit is used up."""
    first = scout(problem.without_suppression(), run)
    out = costliest(problem, first, -(-problem.suppression_limit // part), run)
    return _cover_without(problem, out, run, solve)


def costliest(problem: Problem, cover: Cover, limit: int, run: Run) -> NDArray[np.int32]:
    """Return how many records of each row widen the closures most, at most the limit in all."""
    return kernels.cover_outliers(
        problem.records(),
        problem.k,
        rows_of(problem, cover),
        min(limit, problem.n - problem.k),
        control=run.control,
    )


def _polished(problem: Problem, run: Run, cover: Cover) -> Cover:
    """Return a cover after some reassignment of blocks, downhill only."""
    subproblem = restricted(problem, cover.records)
    plain = replace(cover, records=np.arange(subproblem.n))
    members = kernels.refine_cover(
        subproblem.records(),
        subproblem.k,
        rows_of(subproblem, plain),
        seed=0,
        steps=subproblem.n,
        seconds=0.0,
        block=64,
        heat=0.0,
        threads=run.threads,
        control=run.control,
    )
    return replace(Cover.of_rows(subproblem, members), records=cover.records)
