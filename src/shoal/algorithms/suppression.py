"""Suppression: what a suppressed record costs, and which loss suppressing records is to lower."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shoal.algorithms.problem import weight_of_mi
from shoal.algorithms.solution import without_proof
from shoal.errors import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

_Found = TypeVar("_Found", bound="Solution")


def suppression_costs(problem: Problem) -> NDArray[np.float64]:
    """Return what a record of each row loses if it is suppressed: everything.

    That is 1 in GCP. In bits it is what the exact values are worth, or how surprising the target
    value is in the whole table.
    """
    weight = weight_of_mi(problem.measure)
    costs = np.ones(problem.rows)
    if weight is None:
        return costs
    costs[:] = 0.0
    for codes, share in zip(problem.codes, problem.weights, strict=True):
        costs += weight * share * _surprise(codes, problem)
    if problem.target is not None:
        costs += (1 - weight) * _surprise(problem.target, problem)
    return costs


def _surprise(codes: NDArray[np.integer], problem: Problem) -> NDArray[np.float64]:
    shares = np.bincount(codes, problem.counts) / problem.n
    return np.asarray(-np.log2(shares[codes]))


def total_loss(problem: Problem, lost: float, suppressed: NDArray[np.integer]) -> float:
    """Return the mean loss of all records, suppressed ones counted as lost.

    Parameters
    ----------
    lost
        The loss of all released records together.
    suppressed
        How many records of each row are suppressed.
    """
    return (lost + float(suppression_costs(problem) @ suppressed)) / problem.n


def loss_to_lower(problem: Problem, lost: float, suppressed: NDArray[np.integer]) -> float:
    """Return the loss that suppression is to lower: that of all records, or of the released."""
    if problem.suppress_for == "total":
        return total_loss(problem, lost, suppressed)
    return lost / max(1, problem.n - int(suppressed.sum()))


def note_price(problem: Problem, run: Run, lost: float, suppressed: NDArray[np.integer]) -> None:
    """Note what it costs to lower the loss of the released records alone."""
    number = int(suppressed.sum())
    if problem.suppress_for == "total" or not number:
        return
    released = lost / max(1, problem.n - number)
    total = total_loss(problem, lost, suppressed)
    run.note(
        f"{counted(number, 'record', 'was/were')} suppressed for the sake of the others, which "
        f"lose {released:.4f}; with the suppressed ones counted as lost the total is {total:.4f}. "
        f"Without `suppress_for='released'`, a record is suppressed only if the total falls."
    )


def search_with_and_without(
    problem: Problem, run: Run, search: Callable[[Problem, Run], tuple[_Found, float]]
) -> _Found:
    """Return the better of two searches: one that may suppress records, and one that may not.

    For searches that weigh suppression themselves but may be led astray by it. Steps count for
    each of the two, time is shared.

    Parameters
    ----------
    search
        Returns what it found, and its total loss.
    """
    if not problem.suppression_limit or problem.suppress_for == "released":
        return search(problem, run)[0]
    timed = run.budget.seconds is not None
    with run.part(0.0, 0.5):
        first = run.within(run.budget.share(0.5)) if timed else run
        without, least = search(problem.without_suppression(), first)
    taken = run.control.steps
    with run.part(0.5, 1.0):
        found, loss = search(problem, run.within(run.budget.share(1.0)) if timed else run)
    run.control.steps += taken
    return found if loss <= least else without_proof(without)
