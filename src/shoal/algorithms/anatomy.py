"""Anatomy: records in groups whose sensitive values all differ, for releases in two tables."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InfeasibleError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.algorithms.run import Run

_ROUNDS_BETWEEN_REPORTS = 1024


def groups_of_different_values(
    values: NDArray[np.integer], least: int, run: Run
) -> NDArray[np.int64]:
    """Return for each record its group: at least ``least`` records, no two of the same value.

    The idea (Xiao & Tao, Anatomy, VLDB 2006): as long as that many values have records left, the
    values with most records left give one record each to a new group. What remains, fewer records
    than a group and no two of one value, joins groups that lack their value. Records, ties and
    the groups that take the rest are drawn at random. Time O(n log v) for v values.

    Parameters
    ----------
    values
        The sensitive value of each record, as a code.
    least
        The l of l-diversity.

    Raises
    ------
    ParameterError
        If l is below 2.
    InfeasibleError
        If a value is more frequent than one in l.
    """
    if least < 2:
        raise ParameterError(
            f"l is {least}, but a group with a single value hides nothing.", remedy="Choose l ≥ 2."
        )
    n = len(values)
    counts = np.bincount(values)
    if int(counts.max()) * least > n:
        feasible = n // int(counts.max())
        raise InfeasibleError(
            f"No groups of {least} different values can be made: the most frequent value has "
            f"{int(counts.max()):,} of {n:,} records.",
            remedy=f"The largest feasible l is {feasible}."
            if feasible > 1
            else "Merge or remove values: no l is feasible for this column as it is.",
            feasible=feasible,
        )
    rng = run.generator()
    mixed = rng.permutation(n)
    place = mixed[np.argsort(values[mixed], kind="stable")]
    left = [bucket.tolist() for bucket in np.split(place, np.cumsum(counts)[:-1])]
    tie = rng.permutation(len(counts)).tolist()
    heap = [(-len(bucket), tie[value], value) for value, bucket in enumerate(left) if bucket]
    heapq.heapify(heap)
    group = np.empty(n, dtype=np.int64)
    held: list[set[int]] = []
    run.report(0.0)
    while len(heap) >= least:
        chosen = [heapq.heappop(heap) for _ in range(least)]
        for size, order, value in chosen:
            group[left[value].pop()] = len(held)
            if size < -1:
                heapq.heappush(heap, (size + 1, order, value))
        held.append({value for _, _, value in chosen})
        if len(held) % _ROUNDS_BETWEEN_REPORTS == 0:
            run.report(min(1.0, len(held) * least / n))
    for _, _, value in heap:
        for record in left[value]:
            fitting = [number for number, one in enumerate(held) if value not in one]
            number = fitting[int(rng.integers(len(fitting)))]
            group[record] = number
            held[number].add(value)
    run.report(1.0)
    # The order in which groups were made tells how frequent their values are.
    return rng.permutation(len(held))[group]
