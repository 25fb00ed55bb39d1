"""Agglomerative clustering with every pair of clusters looked at in every step."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Cluster = tuple[int, list[list[int]]]
"""A number that grows with youth, and rows as lists of equal records."""


class NearTieError(Exception):
    """Two choices were so close that rounding decides between them."""


def agglomerative(  # noqa: C901 (one step after the other, as the paper tells it)
    loss: Callable[[list[int]], float],
    rows: Sequence[list[int]],
    k: int,
    *,
    shrink: bool,
    margin: float = 0.0,
) -> list[list[int]]:
    """Return classes of records.

    Parameters
    ----------
    loss
        Total loss of a class of records.
    rows
        Lists of equal records.
    margin
        If positive, choices that are closer than this raise :class:`NearTieError`.
    """

    known: dict[tuple[int, ...], Fraction] = {}

    def total(members: list[list[int]]) -> Fraction:
        records = tuple(sorted(record for row in members for record in row))
        if records not in known:
            known[records] = Fraction(loss(list(records)))
        return known[records]

    def least(choices: list[tuple[Fraction, int, int]]) -> tuple[Fraction, int, int]:
        best, *others = sorted(choices)
        if margin and others and others[0][0] - best[0] < margin:
            raise NearTieError
        return best

    def size(members: list[list[int]]) -> int:
        return sum(map(len, members))

    def distance(one: Cluster, other: Cluster) -> Fraction:
        return total(one[1] + other[1]) - total(one[1]) - total(other[1])

    closed = [[row] for row in rows if len(row) >= k]
    clusters: list[Cluster] = []
    numbers = 0
    for row in rows:
        if len(row) < k:
            clusters.append((numbers, [row]))
            numbers += 1
    while len(clusters) > 1:
        _, young, old = least(
            [
                (distance(one, other), one[0], other[0])
                for one in clusters
                for other in clusters
                if other[0] < one[0]
            ]
        )
        named = dict(clusters)
        united = named[old] + named[young]
        clusters = [each for each in clusters if each[0] not in {old, young}]
        number, numbers = numbers, numbers + 1
        if size(united) < k:
            clusters.append((number, united))
            continue
        while shrink:
            fitting = [row for row in united if len(row) <= size(united) - k]
            if not fitting:
                break
            rests = [
                (total([each for each in united if each != row]) / (size(united) - len(row)),
                 rows.index(row), 0)
                for row in fitting
            ]  # fmt: skip
            returned = rows[least(rests)[1]]
            united = [row for row in united if row != returned]
            clusters.append((numbers, [returned]))
            numbers += 1
        closed.append(united)
    for _, members in clusters:
        for row in members:
            _, where, _ = least(
                [(total([*each, row]) - total(each), place, 0) for place, each in enumerate(closed)]
            )
            closed[where].append(row)
    return [[record for row in members for record in row] for members in closed]
