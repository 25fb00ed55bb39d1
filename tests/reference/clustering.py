"""Clustering record by record, slow and obvious: the oracles of the compiled kernels.

Nothing is folded, nothing is cached: a class is a list of record numbers, its loss is computed
anew from all its records, and every choice looks at every record.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Attribute(Protocol):
    """Codes of all records, a weight, and the loss of a set of codes."""

    @property
    def codes(self) -> Sequence[int]:
        """Code of each record."""

    @property
    def weight(self) -> float:
        """Share of this attribute in the loss of a class."""

    def loss(self, values: set[int]) -> float:
        """Loss of the closure of some codes, not weighted."""

    def cuts(self, values: set[int]) -> list[int]:
        """Codes after which a top-down cut may go, ascending."""


@dataclass(frozen=True, slots=True)
class Interval:
    codes: Sequence[int]
    weight: float
    positions: Sequence[float]

    def loss(self, values: set[int]) -> float:
        return min(1.0, self.positions[max(values)] - self.positions[min(values)])

    def cuts(self, values: set[int]) -> list[int]:
        return sorted(values)[:-1]


@dataclass(frozen=True, slots=True)
class Set:
    codes: Sequence[int]
    weight: float
    code_count: int
    step: float

    def loss(self, values: set[int]) -> float:
        return min(1.0, (len(values) - 1) * self.step)

    def cuts(self, values: set[int]) -> list[int]:
        return sorted(values)[:-1]


@dataclass(frozen=True, slots=True)
class AllOrNothing:
    codes: Sequence[int]
    weight: float
    code_count: int

    def loss(self, values: set[int]) -> float:
        return 0.0 if len(values) == 1 else 1.0

    def cuts(self, values: set[int]) -> list[int]:
        return sorted(values)[:-1]


@dataclass(frozen=True, slots=True)
class Tree:
    """``paths[code]`` names the nodes above a leaf, itself first, the root last."""

    codes: Sequence[int]
    weight: float
    paths: Sequence[Sequence[int]]
    node_loss: Sequence[float]

    def common(self, values: set[int]) -> int:
        """Return the lowest node that stands above all values."""
        shared = set.intersection(*(set(self.paths[value]) for value in values))
        return next(node for node in self.paths[min(values)] if node in shared)

    def loss(self, values: set[int]) -> float:
        return self.node_loss[self.common(values)]

    def cuts(self, values: set[int]) -> list[int]:
        if len(values) == 1:
            return []
        top = self.common(values)
        ordered = sorted(values)
        child = [self.paths[value][self.paths[value].index(top) - 1] for value in ordered]
        return [
            value
            for value, (here, after) in zip(ordered[:-1], pairwise(child), strict=True)
            if here != after
        ]


def class_loss(attributes: Sequence[Attribute], records: Iterable[int]) -> float:
    """Loss per record of the class that these records form."""
    members = list(records)
    total = 0.0
    for attribute in attributes:
        values = {attribute.codes[record] for record in members}
        total += attribute.weight * attribute.loss(values)
    return total


def greedy(attributes: Sequence[Attribute], order: Sequence[int], k: int) -> list[list[int]]:
    """Greedy Search (MILP paper, Algorithm 2) over records in the given order.

    Ties go to a record equal to the one just taken, then to the earliest in the order.
    """
    left = list(order)
    classes: list[list[int]] = []
    while len(left) >= k:
        classes.append(_grow(attributes, left, 0, k, centre=False))
    return _place_leftovers(attributes, classes, left)


def k_member(
    attributes: Sequence[Attribute], order: Sequence[int], start: int, k: int, *, centre: bool
) -> list[list[int]]:
    """Open each class at the record furthest from the last one taken; the first at ``start``."""
    left = list(order)
    classes: list[list[int]] = []
    while len(left) >= k:
        if classes:
            last = classes[-1][-1]
            distances = [class_loss(attributes, (last, record)) for record in left]
            opener = distances.index(max(distances))
        else:
            opener = left.index(start)
        classes.append(_grow(attributes, left, opener, k, centre=centre))
    return _place_leftovers(attributes, classes, left)


def _grow(
    attributes: Sequence[Attribute], left: list[int], opener: int, k: int, *, centre: bool
) -> list[int]:
    members = [left.pop(opener)]
    while len(members) < k:
        kept = members[:1] if centre else members
        best = min(
            range(len(left)),
            key=lambda place: (
                class_loss(attributes, [*kept, left[place]]),
                not _equal(attributes, left[place], members[-1]),
                place,
            ),
        )
        members.append(left.pop(best))
    return members


def _equal(attributes: Sequence[Attribute], one: int, other: int) -> bool:
    return all(attribute.codes[one] == attribute.codes[other] for attribute in attributes)


def _place_leftovers(
    attributes: Sequence[Attribute], classes: list[list[int]], left: list[int]
) -> list[list[int]]:
    for record in left:
        growth = [
            (len(members) + 1) * class_loss(attributes, [*members, record])
            - len(members) * class_loss(attributes, members)
            for members in classes
        ]
        classes[growth.index(min(growth))].append(record)
    return classes


def mondrian(
    attributes: Sequence[Attribute],
    records: Sequence[int],
    k: int,
    *,
    strict: bool,
    allowed: Callable[[list[int]], bool] = lambda _: True,
    width: Callable[[Attribute, list[int]], float] | None = None,
) -> list[list[int]]:
    """Cut the widest attribute where both sides are most equal; lower side first.

    Both sides need k records and must be allowed; of each attribute the 16 most equal cuts are
    tried. Relaxed cutting halves the widest attribute that can be where no attribute has such a
    cut between values; records that share the median go left in their order. Width is the weighted
    loss unless given; widths that differ by rounding are equal.
    """
    members = list(records)
    values = [{attribute.codes[record] for record in members} for attribute in attributes]

    def width_of(place: int) -> float:
        attribute = attributes[place]
        if width is None:
            return attribute.weight * attribute.loss(values[place])
        return round(width(attribute, members), 7)

    widest = sorted(
        (place for place in range(len(attributes)) if len(values[place]) > 1),
        key=lambda place: -width_of(place),
    )
    if len(members) < 2 * k:
        return [members]
    tried: list[tuple[list[int], list[int]]] = []
    for place in widest:
        codes = attributes[place].codes
        sides = [
            (
                [record for record in members if codes[record] <= cut],
                [record for record in members if codes[record] > cut],
            )
            for cut in attributes[place].cuts(values[place])
        ]
        large = [each for each in sides if min(map(len, each)) >= k]
        tried += sorted(large, key=lambda each: -min(map(len, each)))[:16]
    for place in [] if strict else widest:
        codes = attributes[place].codes
        lower = set(sorted(members, key=lambda record: codes[record])[: len(members) // 2])
        tried.append(
            (
                [record for record in members if record in lower],
                [record for record in members if record not in lower],
            )
        )
    for left, right in tried:
        if allowed(left) and allowed(right):
            return [
                part
                for side in (left, right)
                for part in mondrian(
                    attributes, side, k, strict=strict, allowed=allowed, width=width
                )
            ]
    return [members]
