"""The freeform paper's algorithms 1 and 2, round by round, from all pairs of records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]


def width(values: Values, rows: set[int]) -> float:
    """Return what the box around some rows loses, summed over attributes."""
    held = values[sorted(rows)]
    return float((held.max(axis=0) - held.min(axis=0)).sum())


def by_originals(values: Values, k: int, names: Sequence[int]) -> list[set[int]]:
    """Return algorithm 1 as printed: in each round every original chooses a released record.

    Originals come in lexicographic order. Weight (i, j) is how much released record j grows by
    original i. At a dead end the originals served before are visited backwards: the first one
    whose released record suits, and that has another free one, takes the lightest of these. An
    original inside several closures weighs nothing there; the least of ``names`` has it.
    """
    n = len(values)
    order = np.lexsort(values.T[::-1]).tolist()
    covered = [{j} for j in range(n)]
    for _ in range(k - 1):
        before = [width(values, rows) for rows in covered]
        weight = [
            [round(width(values, {*covered[j], i}) - before[j], 6) for j in range(n)]
            for i in range(n)
        ]
        match: dict[int, int] = {}

        def lightest(
            i: int, match: dict[int, int] = match, weight: list[list[float]] = weight
        ) -> int | None:
            free = [j for j in range(n) if j not in match.values() and i not in covered[j]]
            return min(free, key=lambda j: (weight[i][j], names[j]), default=None)

        for place, i in enumerate(order):
            found = lightest(i)
            if found is None:
                for other in reversed(order[:place]):
                    instead = lightest(other)
                    if i not in covered[match[other]] and instead is not None:
                        found, match[other] = match[other], instead
                        break
            assert found is not None  # Theorem 5.2, for k below (n + 3) / 2
            match[i] = found
        for i, j in match.items():
            covered[j].add(i)
    return covered


def by_released(values: Values, k: int) -> list[set[int]]:
    """Return algorithm 1 with sides exchanged; empty at a dead end, which may be left many ways."""
    n = len(values)
    covered = [{j} for j in range(n)]
    for _ in range(k - 1):
        taken: dict[int, int] = {}
        for j in np.lexsort(values.T[::-1]).tolist():
            free = [i for i in range(n) if i not in taken.values() and i not in covered[j]]
            if not free:
                return []
            taken[j] = min(free, key=lambda i: width(values, {*covered[j], i}))
        for j, i in taken.items():
            covered[j].add(i)
    return covered


def by_sorted_pairs(values: Values, k: int) -> list[set[int]]:
    """Return algorithm 2: pairs in ascending order of weight; empty at a dead end."""
    n = len(values)
    covered = [{j} for j in range(n)]
    for _ in range(k - 1):
        pairs = sorted(
            (width(values, {*covered[j], i}) - width(values, covered[j]), j, i)
            for j in range(n)
            for i in range(n)
            if i not in covered[j]
        )
        taken: dict[int, int] = {}
        for _, j, i in pairs:
            if j not in taken and i not in taken.values():
                taken[j] = i
        if len(taken) < n:
            return []
        for j, i in taken.items():
            covered[j].add(i)
    return covered


def in_pairs(values: Values, k: int, *, sort: bool) -> list[set[int]]:
    """Return the symmetric forms: in each round records are paired at what both lose.

    In lexicographic order each takes the cheapest free partner, or (``sort``) all pairs come in
    ascending order of cost. Empty if someone is left over.
    """
    n = len(values)
    covered = [{j} for j in range(n)]
    for _ in range(k - 1):
        cost = {
            (a, b): sum(
                width(values, {*covered[x], y}) - width(values, covered[x])
                for x, y in ((a, b), (b, a))
            )
            for a in range(n)
            for b in range(n)
            if b not in covered[a]
        }
        free = set(range(n))
        if sort:
            for a, b in sorted(cost, key=lambda pair: cost[pair]):
                if a in free and b in free:
                    free -= {a, b}
                    covered[a].add(b)
                    covered[b].add(a)
        else:
            for a in np.lexsort(values.T[::-1]).tolist():
                others = [b for b in free - {a} if (a, b) in cost]
                if a not in free or not others:
                    continue
                b = min(others, key=lambda b: cost[a, b])
                free -= {a, b}
                covered[a].add(b)
                covered[b].add(a)
        if free:
            return []
    return covered
