"""Closures: the sets of values that a released cell may stand for, held in bulk.

A closure of an ordered domain is an interval of codes; of a plain categorical domain it is any
set of codes. Both are kept as arrays over many closures, never as one object a closure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Intervals of codes, both ends included."""

    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.first)

    def take(self, places: NDArray[np.integer]) -> Spans:
        """Return the closures at the given places."""
        return Spans(self.first[places], self.last[places])


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """Sets of codes; set ``i`` is ``members[offsets[i]:offsets[i + 1]]``, ascending."""

    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many codes each set holds."""
        return np.diff(self.offsets)

    def take(self, places: NDArray[np.integer]) -> Sets:
        """Return the closures at the given places."""
        counts = self.counts[places]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
        return Sets(offsets, self.members[np.repeat(self.offsets[places], counts) + within])


Closures = Spans | Sets
WORD = 64


def spans_of_units(codes: NDArray[np.integer], starts: NDArray[np.int64]) -> Spans:
    """Return lowest and highest code of each unit; units are consecutive runs of ``codes``."""
    return Spans(
        np.minimum.reduceat(codes, starts).astype(np.int32),
        np.maximum.reduceat(codes, starts).astype(np.int32),
    )


def distinct_spans(spans: Spans) -> tuple[Spans, NDArray[np.int32]]:
    """Return the distinct intervals, and for each given one its place among them."""
    keys = spans.first.astype(np.int64) << 32 | spans.last
    _, places, index = np.unique(keys, return_index=True, return_inverse=True)
    return spans.take(places), index.astype(np.int32)


def distinct_sets_of_units(
    codes: NDArray[np.integer], starts: NDArray[np.int64], size: int
) -> tuple[Sets, NDArray[np.int32]]:
    """Return the distinct sets of codes that units hold, and for each unit its place among them.

    Units are consecutive runs of ``codes``. Up to 64 codes a set is one machine word, which makes
    millions of units cheap; beyond that the sets are compared as sorted members.
    """
    if size <= WORD:
        bits = np.uint64(1) << codes.astype(np.uint64)
        words, index = np.unique(np.bitwise_or.reduceat(bits, starts), return_inverse=True)
        held = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        owner, members = np.nonzero(held)
        return _sets(owner, members, len(words)), index.astype(np.int32)
    lengths = np.diff(np.concatenate((starts, [len(codes)])))
    keys = np.repeat(np.arange(len(starts), dtype=np.int64), lengths) * size + codes
    keys = np.unique(keys)
    return _distinct_sets(_sets(keys // size, keys % size, len(starts)))


def _sets(owner: NDArray[np.int64], members: NDArray[np.int64], count: int) -> Sets:
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=count))))
    return Sets(offsets.astype(np.int64), members.astype(np.int32))


def _distinct_sets(sets: Sets) -> tuple[Sets, NDArray[np.int32]]:
    index = np.empty(len(sets), dtype=np.int32)
    places: list[int] = []
    seen: dict[bytes, int] = {}
    width = sets.members.itemsize
    raw = sets.members.tobytes()
    cuts = (sets.offsets * width).tolist()
    for place, (start, end) in enumerate(pairwise(cuts)):
        known = seen.setdefault(raw[start:end], len(places))
        if known == len(places):
            places.append(place)
        index[place] = known
    return sets.take(np.array(places, dtype=np.int64)), index
