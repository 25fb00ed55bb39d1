"""What `auto` sees in a problem before it chooses: its size, its kinds, and what fits the time."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from shoal.algorithms.budget import Budget, for_width
from shoal.algorithms.cluster.k_member import estimate_seconds
from shoal.algorithms.cluster.refine import Refine
from shoal.encoding.domain import SetDomain

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

CELLS = "cells"
# Without a budget: seconds up to so many records, and more in proportion beyond.
DEFAULT_SECONDS = 5.0
DEFAULT_RECORDS = 500_000
# Tables up to this size get a number of steps instead, so that the result is the same on every
# machine: so many a record for the first thousand, an eighth of that for each further one. Lists of
# near records take no steps but time, for each pair of records and attribute; so much is a second
# or two.
SMALL = 10_000
SMALL_PAIRS = 10**10
STEPS_A_RECORD = 4_000
FIRST = 1_000
# Of the time, what a start may take by what its slices tell; without a limit of time, so many
# seconds. Whole, `k-member` is worth more than the search that it leaves less time for: on 60,000
# rows with a set of 13,000 categories it loses .0148, cell by cell .0177.
WHOLE_SHARE = 0.4
CELLS_SHARE = 0.25
# A start of closures that grow by jumps is worth more: the search does not make up for it.
STEPPED_SHARE = 0.25
PATIENCE = 30.0
# Seconds for a pair of rows and an attribute, as measured on Adult: of `agglomerative`, and of
# `sequential`, whose work is divided by k. They decide only where no clock may.
_PAIR_SECONDS = 2.1e-10
_SEQUENTIAL_SECONDS = 9e-10
LARGE_CLASS = 20
# Exact search grows with the rows and steeply with k. Up to this much in a second it solves the
# whole table; for neighbourhoods of a larger one there must be time, and k must be small.
WHOLE_A_SECOND = 300
MOST_ROWS = 2_000
LARGEST_K = 8
# Tables up to so many records are searched as one region where nothing is gained by several:
# against the clock, by one thread.
MOST_TOGETHER = 200_000
# Rows near each one that are candidates; where losses jump, what is far may be as cheap.
NEIGHBOURS = 20
STEPPED_NEIGHBOURS = 32


def default_budget(problem: Problem) -> Budget:
    """Return what a run for classes may spend without a limit of its own."""
    attributes = len(problem.codes)
    if problem.n > SMALL:
        return default_budget_in_seconds(problem)
    if attributes * problem.rows**2 > SMALL_PAIRS:
        return Budget(seconds=DEFAULT_SECONDS)
    steps = STEPS_A_RECORD * (min(problem.n, FIRST) + max(problem.n - FIRST, 0) // 8)
    return Budget(steps=for_width(steps, attributes))


def default_budget_in_seconds(problem: Problem) -> Budget:
    """Return what a run may spend; on a small table, what the searches it runs have by default."""
    if problem.n <= SMALL:
        return Budget()
    return Budget(seconds=DEFAULT_SECONDS * max(1.0, problem.n / DEFAULT_RECORDS))


def nominal_seconds(name: str, problem: Problem) -> float:
    """Estimate what a start takes from the size of the table alone, equal on every machine."""
    pairs = len(problem.codes) * problem.rows**2
    if name == "agglomerative":
        return _PAIR_SECONDS * pairs
    if name == "sequential":
        return _SEQUENTIAL_SECONDS * pairs / problem.k
    return estimate_seconds(problem)


def starts(
    problem: Problem,
    seconds: float,
    predict: Callable[[str], float],
    patience: float = PATIENCE,
) -> list[str]:
    """Return the algorithms whose classes are worth improving, given the seconds there are.

    `k-member` is the best start where closures grow by small steps: intervals and sets. Where one
    more value may cost a whole level of a hierarchy, or everything, its classes are poor;
    `agglomerative` finds better ones, and `sequential` where they are large or where that takes too
    long. Models that few classes meet are made to hold by a repair, which does least harm to the
    classes of `mondrian`. A table that is too large for any of this is divided cell by cell.

    Parameters
    ----------
    predict
        Tells how many seconds an algorithm will take on this table.
    patience
        Where no time is set, how many predicted seconds a start may take.
    """

    def fits(name: str, share: float) -> bool:
        return predict(name) < (patience if seconds == inf else share * seconds)

    if not fits("k-member", WHOLE_SHARE):
        return [CELLS]
    if is_stepped(problem):
        if problem.k < LARGE_CLASS and fits("agglomerative", STEPPED_SHARE):
            return ["agglomerative"]
        if fits("sequential", STEPPED_SHARE):
            return ["sequential"]
    return ["mondrian", "k-member"] if problem.models else ["k-member"]


def search_for(problem: Problem, run: Run, *, timed: bool) -> Refine:
    """Return the local search that suits the problem.

    A number of steps gives the same result for every number of threads, so that regions follow
    from the table alone; borders between them cost up to half a percent.
    """
    together = timed and run.threads == 1 and problem.n <= MOST_TOGETHER
    return Refine(
        neighbours=STEPPED_NEIGHBOURS if is_stepped(problem) else NEIGHBOURS,
        region=MOST_TOGETHER if together else 0,
    )


def exact_search(problem: Problem, seconds: float) -> str:
    """Return how exact search is worth its time: ``optimal``, ``improve`` or not at all."""
    if problem.measure != "gcp":
        return ""
    work = problem.rows * (problem.k - 1) ** 2
    if work <= WHOLE_A_SECOND * (1.0 if seconds == inf else seconds):
        return "optimal"
    small = problem.rows <= MOST_ROWS and problem.k <= LARGEST_K
    return "improve" if small and 1.0 <= seconds < inf else ""


def is_stepped(problem: Problem) -> bool:
    """Return whether most closures grow by jumps, by weight: trees, and all or nothing."""
    stepped = [
        weight
        for domain, weight in zip(problem.domains, problem.weights, strict=True)
        if not isinstance(domain, SetDomain) and domain.attribute.kind != "numeric"
    ]
    return sum(stepped) > 0.5 * sum(problem.weights)
