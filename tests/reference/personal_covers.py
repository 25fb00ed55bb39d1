"""Slow, obvious answers about freeform releases in which each original asks for its own k."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.reference.covers import Graph


def chances_exist(graph: Graph, ks: Sequence[int]) -> bool:
    """Return whether each original can be each released record with a chance of at most 1/k.

    A linear program over the chances of all pairs: those of a record sum to 1, and pairs that the
    graph lacks have none. Such chances are those of a draw among perfect matchings.
    """
    n = len(graph)
    most = [1 / ks[i] if i in graph[j] else 0.0 for j in range(n) for i in range(n)]
    sums = np.zeros((2 * n, n * n))
    for j in range(n):
        for i in range(n):
            sums[j, j * n + i] = sums[n + i, j * n + i] = 1
    found = linprog(
        np.zeros(n * n), A_eq=sums, b_eq=np.ones(2 * n), bounds=[(0, one) for one in most]
    )
    return bool(found.status == 0)


def least_loss(ks: Sequence[int], loss: Callable[[Sequence[int]], float]) -> float:
    """Return the least loss per record of any freeform release of so many records.

    An integer program over all sets of records that a released record may cover, and the chances of
    all pairs.

    Parameters
    ----------
    ks
        The k of each original.
    loss
        What a released record that covers these originals loses.
    """
    n = len(ks)
    sets = [one for size in range(1, n + 1) for one in combinations(range(n), size)]
    held = np.array([[i in one for i in range(n)] for one in sets], dtype=float)
    chosen = n * len(sets)  # columns: released record by set, then released record by original
    width = chosen + n * n
    rows, low, high = [], [], []
    for j in range(n):
        one_set = np.zeros(width)
        one_set[j * len(sets) : (j + 1) * len(sets)] = 1
        of_released = np.zeros(width)
        of_released[chosen + j * n : chosen + (j + 1) * n] = 1
        of_original = np.zeros(width)
        of_original[chosen + j : width : n] = 1
        rows += [one_set, of_released, of_original]
        low += [1.0] * 3
        high += [1.0] * 3
        for i in range(n):
            covered = np.zeros(width)
            covered[j * len(sets) : (j + 1) * len(sets)] = held[:, i] / ks[i]
            covered[chosen + j * n + i] = -1
            rows.append(covered)
            low.append(0.0)
            high.append(np.inf)
    costs = np.concatenate([np.tile([loss(one) for one in sets], n), np.zeros(n * n)])
    found = milp(
        costs / n,
        integrality=(np.arange(width) < chosen).astype(np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.array(rows), low, high),
    )
    assert found.status == 0
    return float(found.fun)
