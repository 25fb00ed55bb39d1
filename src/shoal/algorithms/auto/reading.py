"""What `auto` sees in a problem before it chooses: its size, its kinds, and what fits the time."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from shoal.algorithms.cluster.k_member import seconds_of_growth
from shoal.encoding.domain import SetDomain

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem

# Without a budget: seconds up to so many records, and more in proportion beyond.
DEFAULT_SECONDS = 5.0
DEFAULT_RECORDS = 500_000
# Small tables get a number of steps instead, so that the result is the same on every machine.
SMALL = 1_000
STEPS_A_RECORD = 1_000
# Of the time, what a start may take at most.
START_SHARE = 0.2
# A start without a limit of time may take so long.
PATIENCE = 30.0
# Classes this large are far from greedy ones, where losses come in jumps.
LARGE_CLASS = 20


def default_seconds(problem: Problem) -> float:
    """Return the seconds that a run takes unless it is told otherwise."""
    return DEFAULT_SECONDS * max(1.0, problem.n / DEFAULT_RECORDS)


def starts(problem: Problem, seconds: float) -> list[str]:
    """Return the algorithms whose classes are worth improving, given the seconds there are.

    `k-member` is the best start by far where closures grow by small steps (intervals and sets) or
    classes are small. Where one more value may cost a whole level of a hierarchy, or everything,
    its classes of many records are poor, and those of `sequential` better. A table that is too
    large for either is divided cell by cell.
    """
    most = PATIENCE if seconds == inf else START_SHARE * seconds
    if seconds_of_growth(problem) > most:
        return ["cells"]
    if problem.k >= LARGE_CLASS and stepped_share(problem) > 0.5:
        return ["k-member", "sequential"]
    return ["k-member"]


def stepped_share(problem: Problem) -> float:
    """Return the weight of attributes whose closures grow by jumps: trees and all-or-nothing."""
    stepped = [
        weight
        for domain, weight in zip(problem.domains, problem.weights, strict=True)
        if not isinstance(domain, SetDomain) and domain.attribute.kind != "numeric"
    ]
    return sum(stepped) / sum(problem.weights)
