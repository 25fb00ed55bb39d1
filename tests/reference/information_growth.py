"""Greedy Search and k-member under any cost of a class, slow and obvious.

Rows are lists of equal records; costs that differ by rounding alone are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Cost = Callable[[Sequence[int]], float]

MARGIN = 1e-7


def grow_classes(
    cost: Cost,
    equal: Callable[[int, int], bool],
    rows: Sequence[Sequence[int]],
    k: int,
    *,
    start: int | None = None,
    centre: bool = False,
) -> list[list[int]]:
    """Return classes of records.

    Parameters
    ----------
    cost
        Total cost of a class.
    equal
        Whether two records show the same values; the private one may differ.
    rows
        In the order that breaks ties.
    start
        The first record of the first class of k-member; None is Greedy Search.
    """
    left = [list(row) for row in rows]
    classes: list[list[int]] = []
    last = -1

    def added(members: Sequence[int], record: int) -> float:
        return cost([*members, record]) - cost(members) - cost([record])

    def nearest(kept: Sequence[int], taken: int) -> list[int]:
        least = min(added(kept, row[0]) for row in left)
        tied = [row for row in left if added(kept, row[0]) <= least + MARGIN]
        return next((row for row in tied if equal(row[0], taken)), tied[0])

    def furthest(record: int) -> list[int]:
        most = max(added([record], row[0]) for row in left)
        return next(row for row in left if added([record], row[0]) >= most - MARGIN)

    while sum(map(len, left)) >= k:
        if start is None:
            row = left[0]
        elif not classes:
            row = next(row for row in left if start in row)
        else:
            row = furthest(last)
        members: list[int] = []
        while True:
            room = k - len(members)
            members += row[:room]
            last = members[-1]
            del row[:room]
            left = [each for each in left if each]
            if len(members) == k:
                break
            row = nearest(members[:1] if centre else members, last)
        classes.append(members)
    for record in [record for row in left for record in row]:
        growth = [cost([*members, record]) - cost(members) for members in classes]
        best = next(at for at, each in enumerate(growth) if each <= min(growth) + MARGIN)
        classes[best].append(record)
    return classes
