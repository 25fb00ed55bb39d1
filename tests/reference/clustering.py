"""Clustering record by record, slow and obvious: the oracles of the compiled kernels.

Nothing is folded, nothing is cached: a class is a list of record numbers, its loss is computed
anew from all its records, and every choice looks at every record.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Sides = tuple[list[int], list[int]]


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
    keep: bool = True,
    cost: Callable[[list[int]], float] | None = None,
) -> list[list[int]]:
    """Cut the widest attribute where both sides are most equal; lower side first.

    Both sides need k records and should be allowed; of each attribute the 16 most equal cuts are
    tried. Relaxed cutting halves the widest attribute that can be where no attribute has such a
    cut between values; records that share the median go left in their order. If ``keep`` is off,
    a cut that is not allowed is the last resort, and above 8 k records none asks. With ``cost``,
    the widest attribute is the one whose most equal cut saves most cost a record.
    """
    members = list(records)
    if len(members) < 2 * k:
        return [members]
    values = [{attribute.codes[record] for record in members} for attribute in attributes]
    cuts = [
        _equal_cuts(attribute, members, values[place], k)
        for place, attribute in enumerate(attributes)
    ]

    def width(place: int) -> float:
        attribute = attributes[place]
        if cost is None:
            return attribute.weight * attribute.loss(values[place])
        if not cuts[place]:
            return -inf
        saved = cost(members) - sum(map(cost, cuts[place][0]))
        return round(saved / len(members), 7)

    widest = sorted(
        (place for place in range(len(attributes)) if len(values[place]) > 1),
        key=lambda place: -width(place),
    )
    between = [sides for place in widest for sides in cuts[place]]
    halves = [] if strict else [_halves(attributes[place], members) for place in widest]
    chosen: Sides | None = None
    for tried in (between, halves):
        sound = [sides for sides in tried if all(map(allowed, sides))]
        if not keep and (not sound or len(members) > 8 * k):
            sound = tried
        if sound:
            chosen = sound[0]
            break
    if chosen is None:
        return [members]
    return [
        part
        for side in chosen
        for part in mondrian(
            attributes, side, k, strict=strict, allowed=allowed, keep=keep, cost=cost
        )
    ]


def _equal_cuts(attribute: Attribute, members: list[int], values: set[int], k: int) -> list[Sides]:
    sides = [
        (
            [record for record in members if attribute.codes[record] <= cut],
            [record for record in members if attribute.codes[record] > cut],
        )
        for cut in attribute.cuts(values)
    ]
    large = [each for each in sides if min(map(len, each)) >= k]
    return sorted(large, key=lambda each: -min(map(len, each)))[:16]


def _halves(attribute: Attribute, members: list[int]) -> Sides:
    ordered = sorted(members, key=lambda record: attribute.codes[record])
    lower = set(ordered[: len(members) // 2])
    return (
        [record for record in members if record in lower],
        [record for record in members if record not in lower],
    )
