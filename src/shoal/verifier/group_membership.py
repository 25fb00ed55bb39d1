"""Whose record is in which group of a release in two tables, found from the tables alone.

The first table tells who is in a group, the second which sensitive values it holds. The release is
true when every original can be given a place of a group that shows its values and a value that the
group holds. Where everybody shows something else there is one way only. Where people look alike,
what must be is worked out first, and the rest is an integer program over tables with given sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_CHOICES = 2**17
_SECONDS = 60.0


class Answer(Enum):
    """Whether groups can hold their originals."""

    FOUND = auto()
    IMPOSSIBLE = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Sums:
    """How often pairs occur; absent pairs occur never.

    Parameters
    ----------
    first, second
        The pairs, each once.
    count
        How often each occurs.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        first: NDArray[np.integer],
        second: NDArray[np.integer],
        count: NDArray[np.integer] | None = None,
    ) -> Sums:
        """Count pairs; those that do not occur are left out."""
        width = int(second.max(initial=0)) + 1
        keys, places = np.unique(first.astype(np.int64) * width + second, return_inverse=True)
        summed = np.bincount(places, count, minlength=len(keys)).astype(np.int64)
        used = summed != 0
        return cls(keys[used] // width, keys[used] % width, summed[used])


def find_membership(originals: Sums, people: Sums, values: Sums) -> Answer:
    """Decide whether everybody can have a group and a value.

    Parameters
    ----------
    originals
        How often what people show goes with each sensitive value.
    people
        How often what people show stands in each group.
    values
        How often each group holds each sensitive value.
    """
    choices = _choices(originals, people, values)
    if choices is None:
        return Answer.IMPOSSIBLE
    return choices.decide()


@dataclass(slots=True)
class _Choices:
    """Triples of look, value and group, and three sums each that they must come to.

    Parameters
    ----------
    members
        For each kind of sum (look and value, look and group, group and value) the sum that each
        triple adds to.
    left
        What is left to come of each sum.
    """

    members: list[NDArray[np.int64]]
    left: list[NDArray[np.int64]]

    def decide(self) -> Answer:
        """Settle what must be until nothing must, then search."""
        settled = True
        while settled:
            if not self._drop_spent():
                return Answer.IMPOSSIBLE
            settled = False
            for kind, member in enumerate(self.members):
                uses = np.bincount(member, minlength=len(self.left[kind]))
                forced = np.flatnonzero(uses[member] == 1)
                if len(forced):
                    if not self._take(forced, self.left[kind][member[forced]]):
                        return Answer.IMPOSSIBLE
                    settled = True
                    break
        if not len(self.members[0]):
            return Answer.FOUND
        return self._search()

    def _drop_spent(self) -> bool:
        """Leave out triples of sums that are full; return whether the others can still be met."""
        good = np.ones(len(self.members[0]), bool)
        for member, left in zip(self.members, self.left, strict=True):
            good &= left[member] > 0
        self.members = [member[good] for member in self.members]
        return all(
            bool((np.bincount(member, minlength=len(left))[left > 0] > 0).all())
            for member, left in zip(self.members, self.left, strict=True)
        )

    def _take(self, chosen: NDArray[np.int64], amount: NDArray[np.int64]) -> bool:
        """Give triples what they must have; return whether no sum is overdrawn."""
        for member, left in zip(self.members, self.left, strict=True):
            np.subtract.at(left, member[chosen], amount)
            if (left < 0).any():
                return False
        rest = np.ones(len(self.members[0]), bool)
        rest[chosen] = False
        self.members = [member[rest] for member in self.members]
        return True

    def _search(self) -> Answer:
        count = len(self.members[0])
        if count > _MOST_CHOICES:
            return Answer.UNKNOWN
        rows = []
        sums = []
        offset = 0
        for member, left in zip(self.members, self.left, strict=True):
            used, place = np.unique(member, return_inverse=True)
            rows.append(place + offset)
            sums.append(left[used])
            offset += len(used)
        triples = np.tile(np.arange(count), len(rows))
        ends = (np.concatenate(rows), triples)
        matrix = csr_array(coo_array((np.ones(len(triples)), ends), shape=(offset, count)))
        wanted = np.concatenate(sums)
        most = np.min([left[m] for m, left in zip(self.members, self.left, strict=True)], axis=0)
        found = milp(
            np.zeros(count),
            integrality=np.ones(count, np.int8),
            bounds=Bounds(0, most),
            constraints=LinearConstraint(matrix, wanted, wanted),
            options={"time_limit": _SECONDS},
        )
        if found.x is not None:
            whole = np.rint(found.x).astype(np.int64)
            true = (whole >= 0).all() and (matrix @ whole == wanted).all()
            return Answer.FOUND if true else Answer.UNKNOWN
        return Answer.IMPOSSIBLE if found.status == 2 else Answer.UNKNOWN


def _choices(originals: Sums, people: Sums, values: Sums) -> _Choices | None:
    """Return every triple that all three sums allow; ``None`` where a sum has none."""
    held = _by_first(values)
    width = int(max(originals.second.max(initial=0), values.second.max(initial=0))) + 1
    # For each look and group, each value that the group holds.
    groups = people.second
    if len(groups) and groups.max() >= len(held) - 1:
        return None
    length = held[groups + 1] - held[groups]
    pair = np.repeat(np.arange(len(groups)), length)
    begin = np.repeat(held[groups] - np.cumsum(length) + length, length)
    place = np.arange(len(pair)) + begin
    keys = originals.first * width + originals.second
    wanted = people.first[pair] * width + values.second[place]
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    good = keys[found] == wanted
    return _Choices(
        [found[good], pair[good], place[good]],
        [originals.count.copy(), people.count.copy(), values.count.copy()],
    )


def _by_first(sums: Sums) -> NDArray[np.int64]:
    """Return where the pairs of each first number begin; pairs are ascending."""
    groups = int(sums.first.max(initial=-1)) + 1
    return np.searchsorted(sums.first, np.arange(groups + 1))
