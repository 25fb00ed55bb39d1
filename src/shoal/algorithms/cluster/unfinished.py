"""Classes of an algorithm that takes too long: those it has, and others for the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.algorithm import solve_partition
from shoal.algorithms.cluster.agglomerative import Agglomerative
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.k_member import KMember
from shoal.algorithms.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

    Placed = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]

FASTEST = "mondrian"
_MADE: dict[str, Agglomerative | KMember] = {
    "agglomerative": Agglomerative(),
    "k-member": KMember(),
}
# What can be stopped before it is done.
STOPPABLE = frozenset(_MADE)


def divide_until(
    name: str,
    problem: Problem,
    run: Run,
    seconds: float,
    divide_rest: Callable[[Problem], Partition] | None = None,
) -> Partition:
    """Return the classes that an algorithm finds, others for what it has not reached in time.

    Parameters
    ----------
    seconds
        After these, the records that are in no class are divided otherwise; negative is no limit.
    divide_rest
        How: by `mondrian` unless given. What it gets has no models.
    """

    def divide(subproblem: Problem) -> Partition:
        rows, classes, counts = _MADE[name].place(subproblem, run, seconds)
        placed = np.bincount(rows, counts, minlength=subproblem.rows)
        left = subproblem.counts - placed.astype(np.int32)
        rest = np.flatnonzero(left)
        if len(rest) == 0:
            return Partition.of(rows, classes, counts)
        # Classes of the rest may break a model like those of the algorithm; both are repaired.
        plain = replace(subproblem.part(rest, left[rest]), models=(), protected=())
        found = divide_rest(plain) if divide_rest else solve_partition(FASTEST, plain, run.child())
        first = classes.max(initial=-1) + 1
        return Partition.of(
            np.concatenate((rows, rest[found.rows])),
            np.concatenate((classes, first + found.classes)),
            np.concatenate((counts, found.counts)),
        )

    return complete(problem, run, divide)
