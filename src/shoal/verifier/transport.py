"""Filling of released groups from original groups: a maximum flow, or a proof that none exists.

Supply is the number of equal originals, demand the number of equal released records, and a
released group may take from the originals that it reaches. The flow runs on a small part of the
graph that grows only where it falls short, so the many edges of wide closures are never listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_BATCH_BYTES = 2**18
_FIRST_PAIRS = 2**18
_FEWEST_OFFERS = 8
_MOST_EDGES_TO_FREE = 32


class Reach(Protocol):
    """Which originals each released group may take from."""

    def __call__(self, groups: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return a bitmap of originals for each group, packed, the lowest bit first."""


@dataclass(frozen=True, slots=True)
class Filling:
    """How many records each released group takes from each original group.

    Parameters
    ----------
    released, original, amount
        One entry a pair that is used.
    short
        Released groups that together reach fewer originals than they hold records: the proof that
        they cannot be filled. Empty when all are filled.
    reached
        Number of originals that the groups in ``short`` reach.
    edges
        Number of pairs that the flow looked at.
    """

    released: NDArray[np.int64]
    original: NDArray[np.int64]
    amount: NDArray[np.int64]
    short: NDArray[np.int64]
    reached: int
    edges: int


def fill(
    supply: NDArray[np.int64],
    demand: NDArray[np.int64],
    reach: Reach,
    offers: int | None = None,
    times: int = 1,
) -> Filling:
    """Fill every released group, or name groups that provably cannot be filled.

    With ``times`` each record is wanted, and given, that often, and no pair of records is used
    twice: the flow that divides into so many matchings, no two of which share a pair.

    Each round either fills more records than the one before, or ends: in no more rounds than
    there are records, and in practice a few. Memory is that of one batch of bitmaps and of the
    pairs chosen so far. ``offers`` is the number of originals that the first round offers to each
    group; groups that hold more records are offered as many as they hold.
    """
    if offers is None:
        offers = max(_FEWEST_OFFERS, _FIRST_PAIRS // max(1, len(demand)))
    supply, demand = supply * times, demand * times
    wanted = demand if times == 1 else 2 * demand + _FEWEST_OFFERS
    released, original = _first_pairs(supply, np.maximum(wanted, offers), reach)
    filled = -1
    while True:
        released, original = _distinct_pairs(released, original, len(supply))
        taken = largest_flow(supply, demand, released, original, times)
        assert taken.sum() > filled, "every round must fill more records"
        filled = int(taken.sum())
        missing = demand - np.bincount(released, weights=taken, minlength=len(demand)).astype(
            np.int64
        )
        used = taken > 0
        full = taken == _most_of_pair(supply, demand, released, original, times)
        if not missing.any():
            return Filling(
                released[used], original[used], taken[used], np.empty(0, np.int64), 0, len(taken)
            )
        search = _search(
            np.flatnonzero(missing),
            supply - np.bincount(original, weights=taken, minlength=len(supply)).astype(np.int64),
            csr_array(
                (taken[used], (original[used], released[used])), shape=(len(supply), len(demand))
            ),
            _Without(reach, released[full], original[full], (len(demand), len(supply)))
            if times > 1
            else reach,
        )
        if not search.found_free:
            reached = int(supply[search.originals].sum())
            if times > 1:
                # Pairs used to the full lead out of the part that was searched.
                inside = np.isin(released, search.groups) & full
                reached += int(taken[inside & ~np.isin(original, search.originals)].sum())
            assert reached < demand[search.groups].sum(), "the shortfall must prove itself"
            return Filling(
                released[used], original[used], taken[used], search.groups, reached, len(taken)
            )
        released = np.concatenate([released, search.new_released])
        original = np.concatenate([original, search.new_original])


def batches(groups: NDArray[np.int64], originals: int) -> Iterator[NDArray[np.int64]]:
    """Split groups so that the bitmaps of a batch stay small."""
    size = max(1, _BATCH_BYTES // (originals // 8 + 1))
    for start in range(0, len(groups), size):
        yield groups[start : start + size]


def unpack(bits: NDArray[np.uint8], originals: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and original of every set bit."""
    rows, columns = np.nonzero(bits)
    expanded = np.unpackbits(bits[rows, columns][:, None], axis=1, bitorder="little")
    place, bit = np.nonzero(expanded)
    original = columns[place] * 8 + bit
    assert not len(original) or original.max() < originals
    return rows[place], original


def _first_pairs(
    supply: NDArray[np.int64], wanted: NDArray[np.int64], reach: Reach
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose the pairs the first flow may use: all when they are few, else a spread of them.

    A group with many candidates takes those that have been offered to the fewest groups so far,
    so that no original is left out of every offer.
    """
    offers = np.zeros(len(supply), np.int64)
    released: list[NDArray[np.int64]] = []
    original: list[NDArray[np.int64]] = []
    for batch in batches(np.arange(len(wanted)), len(supply)):
        bits = reach(batch)
        degrees = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        wide = degrees > wanted[batch]
        rows, columns = unpack(bits[~wide], len(supply))
        released.append(batch[~wide][rows])
        original.append(columns)
        np.add.at(offers, columns, 1)
        for place in np.flatnonzero(wide):
            candidates = unpack(bits[place][None, :], len(supply))[1]
            few = int(wanted[batch[place]])
            chosen = candidates[np.argpartition(offers[candidates], few - 1)[:few]]
            offers[chosen] += 1
            released.append(np.full(len(chosen), batch[place]))
            original.append(chosen)
    return np.concatenate(released), np.concatenate(original)


def _distinct_pairs(
    released: NDArray[np.int64], original: NDArray[np.int64], originals: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    keys = np.unique(released * originals + original)
    return keys // originals, keys % originals


class _Without:
    """A reach that leaves out pairs which are used to the full."""

    def __init__(
        self,
        reach: Reach,
        released: NDArray[np.int64],
        original: NDArray[np.int64],
        shape: tuple[int, int],
    ) -> None:
        self._reach = reach
        self._full = csr_array((np.ones(len(released), np.int8), (released, original)), shape=shape)

    def __call__(self, groups: NDArray[np.int64], /) -> NDArray[np.uint8]:
        bits = self._reach(groups).copy()
        full = coo_array(self._full[groups])
        mask = ~np.left_shift(1, full.col % 8).astype(np.uint8)
        np.bitwise_and.at(bits, (full.row, full.col // 8), mask)
        return bits


def _most_of_pair(
    supply: NDArray[np.int64],
    demand: NDArray[np.int64],
    released: NDArray[np.int64],
    original: NDArray[np.int64],
    times: int,
) -> NDArray[np.int64]:
    """Return how much may go through each pair of groups: one unit for each pair of records."""
    pairs = (demand[released] // times) * (supply[original] // times)
    return np.asarray(np.minimum(np.minimum(demand[released], supply[original]), pairs))


def largest_flow(
    supply: NDArray[np.int64],
    demand: NDArray[np.int64],
    released: NDArray[np.int64],
    original: NDArray[np.int64],
    times: int = 1,
) -> NDArray[np.int64]:
    """Return how much of a maximum flow goes through each pair; pairs are distinct, ascending.

    Supply and demand are those of records, each counted ``times``.
    """
    groups, originals = len(demand), len(supply)
    sink = groups + originals + 1
    tail = np.concatenate(
        [np.zeros(groups, np.int64), released + 1, np.arange(originals) + groups + 1]
    )
    head = np.concatenate(
        [np.arange(groups) + 1, original + groups + 1, np.full(originals, sink, np.int64)]
    )
    between_groups = _most_of_pair(supply, demand, released, original, times)
    capacity = np.concatenate([demand, between_groups, supply])
    shape = (sink + 1, sink + 1)
    graph = csr_array(coo_array((capacity.astype(np.int32), (tail, head)), shape=shape))
    flow = coo_array(maximum_flow(graph, 0, sink).flow)
    between = (flow.row >= 1) & (flow.row <= groups) & (flow.col > groups) & (flow.data > 0)
    taken = np.zeros(len(released), np.int64)
    keys = (flow.row[between].astype(np.int64) - 1) * originals + (flow.col[between] - groups - 1)
    taken[np.searchsorted(released * originals + original, keys)] = flow.data[between]
    return taken


@dataclass(frozen=True, slots=True)
class _Search:
    found_free: bool
    groups: NDArray[np.int64]
    originals: NDArray[np.int64]
    new_released: NDArray[np.int64]
    new_original: NDArray[np.int64]


def _search(
    hungry: NDArray[np.int64], free: NDArray[np.int64], holders: csr_array, reach: Reach
) -> _Search:
    """Search the whole graph for originals that hungry groups could get by exchanges.

    From a group to every original it reaches, from an original to the groups that hold it. When
    no original with free supply is found, the visited groups and originals prove the shortfall.
    The pairs by which originals were found, and some to free ones, let the next flow fill more.
    """
    visited_groups = np.zeros(holders.shape[1], bool)
    visited_groups[hungry] = True
    unvisited = np.packbits(np.ones(len(free), bool), bitorder="little")
    free_bits = np.packbits(free > 0, bitorder="little")
    originals: list[NDArray[np.int64]] = []
    new_released: list[NDArray[np.int64]] = []
    new_original: list[NDArray[np.int64]] = []
    frontier = hungry
    found_free = False
    while len(frontier):
        reached: list[NDArray[np.int64]] = []
        for batch in batches(frontier, len(free)):
            bits = reach(batch)
            rows, columns = unpack(bits & unvisited, len(free))
            columns, firsts = np.unique(columns, return_index=True)
            new_released.append(batch[rows[firsts]])
            new_original.append(columns)
            reached.append(columns)
            unvisited &= ~np.bitwise_or.reduce(bits, axis=0)
            rows, columns = unpack(bits & free_bits, len(free))
            found_free = found_free or len(columns) > 0
            starts = np.searchsorted(rows, np.arange(len(batch)))
            few = np.arange(len(rows)) - starts[rows] < _MOST_EDGES_TO_FREE
            new_released.append(batch[rows[few]])
            new_original.append(columns[few])
        found = np.concatenate(reached)
        originals.append(found)
        holding = np.unique(holders[found].indices).astype(np.int64)
        frontier = holding[~visited_groups[holding]]
        visited_groups[frontier] = True
    return _Search(
        found_free,
        np.flatnonzero(visited_groups),
        np.concatenate(originals),
        np.concatenate(new_released),
        np.concatenate(new_original),
    )
