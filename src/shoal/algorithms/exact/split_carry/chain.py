"""The chain of Split & Carry: which records make up a sub-problem, and which it hands on.

Records are known by their place in sorted order. A sub-problem is an ascending list of places; its
answer is a class for each of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Classes = list[Places]


class Link(Protocol):
    """How a chain takes records in and hands them on."""

    def number(self, records: int) -> int:
        """Return about how many sub-problems a chain of so many records has."""

    def intake(self, carried: int, left: int) -> int:
        """Return how many of the records that are left join those that were carried."""

    def settle(self, classes: Classes, pool: Places, left: int) -> tuple[Classes, Places]:
        """Return the classes that are final, and the places of the records to carry.

        So many records are still left: at least one.
        """


@dataclass(frozen=True, slots=True)
class BoundaryCarry:
    """Algorithm 1: the classes of the last records are solved again with the records that follow.

    A sub-problem holds at most ``boundary``·(2k - 1) + k·S records (Lemma 2 with boundary = k).

    Parameters
    ----------
    sets
        S, how many times k records are read at a time.
    boundary
        How many of the last records are the boundary.
    cheap_part
        From a class of k + r records, 0 < r < k, only the r that add least to its loss are carried.
    least_missed
        Returns so many places of a class: those without which its loss falls least.
    """

    k: int
    sets: int
    boundary: int
    cheap_part: bool
    least_missed: Callable[[Places, int], Places]

    def number(self, records: int) -> int:
        """Return ⌈n / kS⌉."""
        return -(-records // (self.k * self.sets))

    def intake(self, carried: int, left: int) -> int:
        """Return kS, or what is left."""
        del carried
        return min(left, self.k * self.sets)

    def settle(self, classes: Classes, pool: Places, left: int) -> tuple[Classes, Places]:
        """Carry the classes of the last records; of one of 2k or more only as many as needed."""
        edge = pool[-min(self.boundary, len(pool))]
        final: Classes = []
        carried: list[Places] = []
        for places in classes:
            at_edge = int(np.count_nonzero(places >= edge))
            if at_edge == 0:
                final.append(places)
                continue
            taken = max(self.k, at_edge)
            beyond = len(places) - self.k
            # A few records alone could not hide at the end of the chain.
            if self.cheap_part and 0 < beyond < self.k <= left + beyond:
                part = self.least_missed(places, beyond)
                carried.append(part)
                final.append(np.setdiff1d(places, part))
            elif len(places) - taken >= self.k:
                carried.append(places[-taken:])
                final.append(places[:-taken])
            else:
                carried.append(places)
        return final, np.sort(np.concatenate(carried))


@dataclass(frozen=True, slots=True)
class BubbleCarry:
    """Sub-problems of exactly P records, of which the best A classes are final.

    Outliers rise through the chain until similar records arrive; the last sub-problem takes the
    rest.
    """

    k: int
    size: int
    accepted: int
    loss: Callable[[Places], float]

    def number(self, records: int) -> int:
        """Return how many it takes if every class has k records."""
        return 1 + -(-max(0, records - self.size) // (self.accepted * self.k))

    def intake(self, carried: int, left: int) -> int:
        """Fill up to P, but leave none or at least k for the next."""
        wanted = min(left, self.size - carried)
        return wanted if left == wanted else min(wanted, max(0, left - self.k))

    def settle(self, classes: Classes, pool: Places, left: int) -> tuple[Classes, Places]:
        """Accept the classes that lose least a record; the earlier first where equal."""
        del left
        order = sorted(classes, key=lambda places: (self.loss(places), int(places[0])))
        final = order[: self.accepted]
        return final, np.setdiff1d(pool, np.concatenate(final))


class Solve(Protocol):
    """Divides a sub-problem."""

    def __call__(self, pool: Places, *, rest: bool) -> Classes | None:
        """Return the classes; ``None`` if time is up, never when the rest is requested."""


def run_chain(link: Link, first: int, end: int, solve: Solve) -> Classes:
    """Return the classes of the records at places first, …, end - 1."""
    final: Classes = []
    carried = np.zeros(0, dtype=np.int64)
    begin = first
    while True:
        taken = link.intake(len(carried), end - begin)
        pool = np.concatenate((carried, np.arange(begin, begin + taken)))
        begin += taken
        classes = solve(pool, rest=False)
        if classes is None:
            rest = solve(np.concatenate((pool, np.arange(begin, end))), rest=True)
            assert rest is not None
            return final + rest
        if begin == end:
            return final + classes
        settled, carried = link.settle(classes, pool, end - begin)
        final += settled


def places_of_classes(
    pool: Places, rows: NDArray[np.integer], entries: list[tuple[int, int, int]], edge: int
) -> Classes:
    """Say which of several equal records is in which class, so that few classes reach the edge.

    Parameters
    ----------
    pool, rows
        Places of the sub-problem, ascending, and the row of each.
    entries
        (row, class, count): so many records of the row are in the class.
    edge
        How many of the last places are the boundary.
    """
    last = Counter(rows[-edge:].tolist())
    by_row: dict[int, list[tuple[int, int]]] = {}
    for row, owner, count in entries:
        by_row.setdefault(row, []).append((owner, count))
    touched = {parts[0][0] for row, parts in by_row.items() if row in last and len(parts) == 1}
    of_row: dict[int, list[int]] = {}
    for row in sorted(by_row):
        parts = sorted(by_row[row], key=lambda part: (part[0] not in touched, -part[1], part[0]))
        labels: list[int] = []
        for owner, count in parts:
            if len(labels) < last[row]:
                touched.add(owner)
            labels += [owner] * count
        of_row[row] = labels  # the last record of the row takes the first label
    found: dict[int, list[int]] = {}
    for place, row in zip(reversed(pool.tolist()), reversed(rows.tolist()), strict=True):
        found.setdefault(of_row[row].pop(0), []).append(place)
    return [np.array(found[owner][::-1], dtype=np.int64) for owner in sorted(found)]
