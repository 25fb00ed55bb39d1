"""Groups that a release shows, level by level: what is left of a hierarchy made from a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def nested_sets(groups: Iterable[frozenset[str]]) -> list[list[list[str]]]:
    """Return for each level, finest first, the groups that are not inside another of that level.

    Parameters
    ----------
    groups
        Sets of values, nested or disjoint; single values are left aside.

    Examples
    --------
    >>> nested_sets([frozenset("ab"), frozenset("abc"), frozenset("xy")])
    [[['a', 'b'], ['x', 'y']], [['a', 'b', 'c'], ['x', 'y']]]
    """
    depth = _depths(groups)
    return [
        [sorted(group) for group in _largest(depth, level)]
        for level in range(1, max(depth.values(), default=0) + 1)
    ]


def nested_cuts(groups: Iterable[frozenset[str]], order: Sequence[str]) -> list[list[int]]:
    """Return for each level, finest first, the places in an order at which a group begins.

    Parameters
    ----------
    groups
        Sets of values that are consecutive in the order, nested or disjoint.

    Examples
    --------
    >>> nested_cuts([frozenset("bc"), frozenset("abc")], "abcde")
    [[1, 3], [3]]
    """
    depth = _depths(groups)
    place = {value: index for index, value in enumerate(order)}

    def ends(group: frozenset[str]) -> set[int]:
        places = [place[value] for value in group]
        return {min(places), max(places) + 1} - {0, len(order)}

    levels = []
    for level in range(1, max(depth.values(), default=0) + 1):
        # Those of coarser levels too, so that levels nest.
        shown = {*_largest(depth, level), *(one for one in depth if depth[one] > level)}
        levels.append(sorted({end for group in shown for end in ends(group)}))
    return [cuts for cuts in levels if cuts]


def _depths(groups: Iterable[frozenset[str]]) -> dict[frozenset[str], int]:
    """Return how many groups lie inside one another up to each group, itself included."""
    depth: dict[frozenset[str], int] = {}
    holders: dict[str, list[frozenset[str]]] = {}
    several = {one for one in groups if len(one) > 1}
    for group in sorted(several, key=lambda one: (len(one), min(one))):
        inside = {other for member in group for other in holders.get(member, ())}
        depth[group] = 1 + max((depth[other] for other in inside), default=0)
        for member in group:
            holders[member] = [group]  # the largest so far speaks for those inside it
    return depth


def _largest(depth: dict[frozenset[str], int], level: int) -> list[frozenset[str]]:
    """Return the groups up to a level that no other of them holds, in the order of their texts."""
    held: set[str] = set()
    found = []
    for group in sorted((one for one in depth if depth[one] <= level), key=len, reverse=True):
        if held.isdisjoint(group):
            found.append(group)
            held |= group
    return sorted(found, key=min)
