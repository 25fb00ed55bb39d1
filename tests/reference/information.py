"""The information measures of a class from their definition, record by record."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from tests.reference.clustering import AllOrNothing, Interval, Set, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.reference.clustering import Attribute


def closure(attribute: Attribute, values: set[int]) -> set[int]:
    """Return the codes that the closure of some codes covers, among those of the table."""
    every = set(attribute.codes)
    match attribute:
        case Set():
            return values
        case Interval():
            if attribute.positions[max(values)] - attribute.positions[min(values)] > 1.0:
                return every  # numbers mixed with the missing value
            return {code for code in every if min(values) <= code <= max(values)}
        case Tree():
            node = attribute.common(values)
            return {code for code in every if node in attribute.paths[code]}
        case AllOrNothing():
            return values if len(values) == 1 else every
    raise AssertionError(attribute)


def class_information(
    attributes: Sequence[Attribute], members: Sequence[int], secret: Sequence[int], w: float
) -> float:
    """Return w·MI + (1 - w)·PMI summed over the records of a class."""
    total = 0.0
    for attribute in attributes:
        held = closure(attribute, {attribute.codes[record] for record in members})
        covered = [record for record, code in enumerate(attribute.codes) if code in held]
        for record in members:
            same = sum(attribute.codes[record] == attribute.codes[other] for other in covered)
            alike = sum(secret[record] == secret[other] for other in covered)
            bits = w * log2(same / len(covered)) + (1 - w) * log2(alike / len(covered))
            total -= attribute.weight * bits
    return total
