"""Agglomerative clustering with every pair of clusters looked at in every step."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tests.reference.clustering import class_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.reference.clustering import Attribute

Cluster = tuple[int, list[list[int]]]
"""A number that grows with youth, and rows as lists of equal records."""


def agglomerative(
    attributes: Sequence[Attribute], rows: Sequence[list[int]], k: int, *, shrink: bool
) -> list[list[int]]:
    """Return classes of records; ``rows`` are lists of equal records."""

    def total(members: list[list[int]]) -> Fraction:
        records = [record for row in members for record in row]
        return len(records) * Fraction(class_loss(attributes, records))

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
        _, _, _, younger, older = min(
            (distance(one, other), one[0], other[0], place, there)
            for place, one in enumerate(clusters)
            for there, other in enumerate(clusters)
            if other[0] < one[0]
        )
        united = clusters[older][1] + clusters[younger][1]
        clusters = [each for place, each in enumerate(clusters) if place not in {older, younger}]
        number, numbers = numbers, numbers + 1
        if size(united) < k:
            clusters.append((number, united))
            continue
        while shrink:
            fitting = [row for row in united if len(row) <= size(united) - k]
            if not fitting:
                break
            rests = {
                row[0]: class_loss(attributes, [r for each in united if each != row for r in each])
                for row in fitting
            }
            order = [row[0] for row in rows]
            gone = min(rests, key=lambda record: (rests[record], order.index(record)))
            returned = next(row for row in united if row[0] == gone)
            united = [row for row in united if row[0] != gone]
            clusters.append((numbers, [returned]))
            numbers += 1
        closed.append(united)
    for _, members in clusters:
        for row in members:
            growth = [total([*each, row]) - total(each) for each in closed]
            closed[growth.index(min(growth))].append(row)
    return [[record for row in members for record in row] for members in closed]
