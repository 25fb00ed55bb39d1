"""The grouping that the annealing paper prints as its example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from shoal.algorithms import Problem

FOUR_YEARS = frozenset({"Bachelors", "Masters", "Prof-school", "Doctorate"})
SOME_COLLEGE = frozenset({"Some-college", "Assoc-acdm", "Assoc-voc"})
MARRIED = frozenset({"Married-civ-spouse", "Married-AF-spouse"})
ABSENT = "Married-spouse-absent"


def group(name: str, value: str, married: AbstractSet[str]) -> int:
    """Return the group of a value: the five attributes that the paper does not name have one.

    Whether an absent spouse counts as married is left open there.
    """
    if name == "age":
        return int(float(value) <= 39)
    if name == "education":
        return 2 * (value in FOUR_YEARS) + (value in SOME_COLLEGE)
    if name == "marital-status":
        return 2 * (value in married) + (value == "Never-married")
    return 0


def printed_groups(
    problem: Problem, married: AbstractSet[str] = MARRIED
) -> tuple[NDArray[np.int32], ...]:
    """Return the group of each value of each attribute of Adult."""
    return tuple(
        np.array(
            [group(domain.attribute.name, text, married) for text in domain.texts], dtype=np.int32
        )
        for domain in problem.domains
    )
