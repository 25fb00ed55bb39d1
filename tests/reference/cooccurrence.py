"""Grouping by co-occurrence, slowly: unite the pair after which the most information is left."""

from __future__ import annotations

from itertools import combinations
from math import log


def information(groups: list[tuple[str, ...]], records: list[tuple[str, ...]]) -> float:
    """Return the mutual information of the group and each other column, summed over columns."""
    total = 0.0
    group_of = {value: group for group in groups for value in group}
    n = len(records)
    for column in range(1, len(records[0])):
        joint: dict[tuple[object, str], int] = {}
        first: dict[object, int] = {}
        second: dict[str, int] = {}
        for record in records:
            group, other = group_of[record[0]], record[column]
            joint[group, other] = joint.get((group, other), 0) + 1
            first[group] = first.get(group, 0) + 1
            second[other] = second.get(other, 0) + 1
        total += sum(
            count / n * log(count * n / (first[group] * second[other]))
            for (group, other), count in joint.items()
        )
    return total


def grouped(records: list[tuple[str, ...]], size: int) -> list[tuple[str, ...]]:
    """Return this many groups of the values in the first column, by uniting two at a time."""
    count = {value: sum(record[0] == value for record in records) for value, *_ in records}
    groups: list[tuple[str, ...]] = [(value,) for value in sorted(count)]
    while len(groups) > size:

        def key(pair: tuple[tuple[str, ...], tuple[str, ...]]) -> tuple[float, int]:
            rest = [group for group in groups if group not in pair]  # noqa: B023
            left = information([*rest, tuple(sorted(pair[0] + pair[1]))], records)
            return -round(left, 9), sum(count[value] for group in pair for value in group)

        best = min(combinations(groups, 2), key=key)
        groups = [group for group in groups if group not in best]
        groups = sorted([*groups, tuple(sorted(best[0] + best[1]))])
    return groups
