"""Privacy models straight from their definitions, one class at a time, in plain Python.

A class is a list of values; a distance is a function of two values. Distances between
distributions are solved as the transport problem that defines them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.hierarchies import Hierarchy

    Distance = Callable[[str, str], float]


def largest_share(values: Sequence[str]) -> Fraction:
    return Fraction(max(Counter(values).values()), len(values))


def entropy(values: Sequence[str]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * log(share) for share in shares)


def recursive_holds(values: Sequence[str], c: Fraction, rank: int) -> bool:
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < c * sum(counts[rank - 1 :])


def transport(values: Sequence[str], table: Sequence[str], distance: Distance) -> float:
    """Least work of carrying the shares of the table to those of a class."""
    names = sorted(set(table))
    size = len(names)
    costs = [distance(a, b) for a in names for b in names]
    leave = np.kron(np.eye(size), np.ones(size))
    arrive = np.kron(np.ones(size), np.eye(size))
    before = [table.count(name) / len(table) for name in names]
    after = [values.count(name) / len(values) for name in names]
    solved = linprog(costs, A_eq=np.vstack((leave, arrive)), b_eq=[*before, *after])
    assert solved.fun is not None
    return float(solved.fun)


def shares(values: Sequence[str]) -> dict[str, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def disclosure(values: Sequence[str], table: Sequence[str]) -> float:
    """Return the δ that a class stays below: |ln(q / p)| of the value where it is greatest."""
    inside = shares(values)
    if set(inside) != set(table):
        return inf
    return max(abs(log(inside[value] / share)) for value, share in shares(table).items())


def gains(values: Sequence[str], table: Sequence[str]) -> dict[str, Fraction]:
    """Return (q - p) / p of every value that a class holds."""
    usual = shares(table)
    return {value: share / usual[value] - 1 for value, share in shares(values).items()}


def likeness(values: Sequence[str], table: Sequence[str]) -> float:
    """Return the smallest β that a class meets."""
    return max(0.0, *(float(gain) for gain in gains(values, table).values()))


def enhanced_likeness(values: Sequence[str], table: Sequence[str]) -> float:
    """Return the smallest β that a class meets; none where a value gains more than -ln p."""
    usual = shares(table)
    if any(gain > -log(usual[value]) + 1e-12 for value, gain in gains(values, table).items()):
        return inf
    return likeness(values, table)


def equal_distance(a: str, b: str) -> float:
    return float(a != b)


def ordered_distance(order: Sequence[str]) -> Distance:
    steps = max(len(order) - 1, 1)
    return lambda a, b: abs(order.index(a) - order.index(b)) / steps


def tree_distance(tree: Hierarchy) -> Distance:
    """Level of the lowest node above both, over the height of the tree."""

    def distance(a: str, b: str) -> float:
        if a == b:
            return 0.0
        for level, nodes in enumerate(tree.ancestors):
            if nodes[tree.position[a]] == nodes[tree.position[b]]:
                return level / tree.height
        raise AssertionError("the root is above every leaf")

    return distance
