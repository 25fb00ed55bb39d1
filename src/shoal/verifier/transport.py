"""Filling of released groups from original groups: a maximum flow, or a proof that none exists.

Supply is the number of equal originals, demand the number of equal released records, and a
released group may take from the originals that it reaches. Groups that reach few originals are
offered all of them. The others are offered some, and more only where the flow falls short: the
many pairs of wide closures are never listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from shoal.verifier.grouping import rank_within
from shoal.verifier.reach import Pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.reach import Reach

    Watch = Callable[[str, float], None]

_MOST_PAIRS = 2**23
_FEWEST_OFFERS = 8
_FEWEST_PAIRS = 64
# As measured by benchmarks/verification.py, classes drawn at random.
_SECONDS_OF_WIDE_GROUP = 2e-3
_PAIRS_OF_UNIT = 8
_OFFERS_OF_ORIGINAL = 3
_ROUNDS_OF_OFFERS = 4
_OFFERS_OF_FREE = 16
_FIRST_BATCH = 4
_LARGEST_BATCH = 2**12
_PAIRS_OF_ORIGINAL = 4


@dataclass(frozen=True, slots=True)
class Filling:
    """How many records each released group takes from each original group.

    Parameters
    ----------
    released, original, amount
        One entry per pair that is used.
    short
        Released groups that together reach fewer originals than they hold records: the proof that
        they cannot be filled. Empty when all are filled.
    reached
        Number of originals that the groups in ``short`` reach.
    pairs
        Number of pairs that were offered to the flow.
    """

    released: NDArray[np.int64]
    original: NDArray[np.int64]
    amount: NDArray[np.int64]
    short: NDArray[np.int64]
    reached: int
    pairs: int


def fill(
    supply: NDArray[np.int64],
    demand: NDArray[np.int64],
    reach: Reach,
    *,
    times: int = 1,
    most_pairs: int = _MOST_PAIRS,
    watch: Watch | None = None,
) -> Filling:
    """Fill every released group, or name groups that provably cannot be filled.

    Every round fills more records than the one before, or ends with a proof, so that it ends.

    Parameters
    ----------
    supply, demand
        Records of each original and each released group.
    reach
        Which originals each released group may take from.
    times
        How often each record is wanted, and given, where no pair of records is used twice: the
        flow then divides into so many matchings, no two of which share a pair.
    most_pairs
        How many pairs are offered at first, more or less.
    watch
        Is told what is being done, with the minutes that it will take where those are many, and
        the share of the demand that is filled.
    """
    flow = _Flow(supply, demand, times)
    stage = "match"
    if watch is not None:
        watch(stage, 0.0)
    offers, wide = _first_offers(flow, reach, most_pairs)
    minutes = wide * _SECONDS_OF_WIDE_GROUP / 60
    if watch is not None and minutes >= 1:
        stage = f"match, about {minutes:.0f} minutes"
        watch(stage, 0.0)
    flow.start(offers)
    offered = len(offers.released)
    while True:
        missing = flow.missing()
        if watch is not None:
            watch(stage, 1.0 - float(missing.sum()) / max(1.0, float(flow.demand.sum())))
        if not missing.any():
            return flow.filling(np.empty(0, np.int64), 0, offered)
        found = _search(flow, missing, reach)
        if not found.free:
            return flow.filling(found.groups, flow.reached(found), offered)
        offered += len(found.pairs.released)
        flow.extend(found)


class _Flow:
    """A flow from original to released groups that grows."""

    def __init__(self, supply: NDArray[np.int64], demand: NDArray[np.int64], times: int) -> None:
        self.times = times
        self.supply = supply * times
        self.demand = demand * times
        self.released = np.empty(0, np.int64)
        self.original = np.empty(0, np.int64)
        self.amount = np.empty(0, np.int64)

    def missing(self) -> NDArray[np.int64]:
        """Return how much each released group still lacks."""
        filled = np.bincount(self.released, self.amount, len(self.demand))
        return self.demand - filled.astype(np.int64)

    def free(self) -> NDArray[np.int64]:
        """Return how much each original group still has."""
        given = np.bincount(self.original, self.amount, len(self.supply))
        return self.supply - given.astype(np.int64)

    def most(self, released: NDArray[np.int64], original: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how much may go through pairs of groups: one unit for each pair of records."""
        demand, supply = self.demand[released], self.supply[original]
        every = (demand // self.times) * (supply // self.times)
        return np.asarray(np.minimum(np.minimum(demand, supply), every))

    def full_keys(self) -> NDArray[np.int64]:
        """Return the pairs through which nothing more can go, though both ends may have more."""
        if self.times == 1:
            return np.empty(0, np.int64)
        full = self.amount == self.most(self.released, self.original)
        return np.sort(self.keys(self.released[full], self.original[full]))

    def keys(self, released: NDArray[np.int64], original: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return one number for each pair."""
        return released * len(self.supply) + original

    def start(self, offers: Pairs) -> None:
        """Find the largest flow over these pairs."""
        keys = np.unique(self.keys(*offers))
        released, original = keys // len(self.supply), keys % len(self.supply)
        arcs = (released, original, self.most(released, original))
        taken = _largest_flow(self.demand, self.supply, arcs)
        self._set(keys, taken)

    def extend(self, found: _Search) -> None:
        """Enlarge the flow by what the pairs found allow, exchanges among visited groups included.

        Only the part of the graph that the search visited is looked at. There an original can be
        taken over from the group that holds it, which then takes another.
        """
        keys = np.unique(self.keys(*found.pairs))
        own = self.keys(self.released, self.original)
        inside = np.isin(self.released, found.groups) & np.isin(self.original, found.originals)
        keys = np.union1d(keys, own[inside])
        held = np.zeros(len(keys), np.int64)
        held[np.searchsorted(keys, own[inside])] = self.amount[inside]
        released, original = keys // len(self.supply), keys % len(self.supply)
        groups, group = np.unique(released, return_inverse=True)
        originals, place = np.unique(original, return_inverse=True)
        arcs = (group, place, self.most(released, original) - held)
        change = _largest_flow(self.missing()[groups], self.free()[originals], arcs, held)
        assert change.sum() > 0, "every round must fill more records"
        keys = np.concatenate([own[~inside], keys])
        self._set(keys, np.concatenate([self.amount[~inside], held + change]))

    def _set(self, keys: NDArray[np.int64], amount: NDArray[np.int64]) -> None:
        used = amount > 0
        order = np.argsort(keys[used])
        keys, self.amount = keys[used][order], amount[used][order]
        self.released, self.original = keys // len(self.supply), keys % len(self.supply)

    def reached(self, found: _Search) -> int:
        """Return how much the groups of a search that found nothing free can have at most."""
        reached = int(self.supply[found.originals].sum())
        if self.times > 1:
            # Pairs used to the full lead out of the part that was searched.
            leaving = np.isin(self.released, found.groups)
            leaving &= ~np.isin(self.original, found.originals)
            reached += int(self.amount[leaving].sum())
        assert reached < self.demand[found.groups].sum(), "the shortfall must prove itself"
        return reached

    def filling(self, short: NDArray[np.int64], reached: int, pairs: int) -> Filling:
        """Return what was found."""
        return Filling(self.released, self.original, self.amount, short, reached, pairs)


def _largest_flow(
    demand: NDArray[np.int64],
    supply: NDArray[np.int64],
    arcs: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    held: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return how much of a maximum flow goes through each pair; pairs are distinct, ascending.

    Parameters
    ----------
    demand, supply
        How much each group still wants and each original still has.
    arcs
        Released group, original group and capacity of each pair.
    held
        How much already goes through each pair, and may be given back.
    """
    released, original, capacity = arcs
    groups, originals = len(demand), len(supply)
    sink = groups + originals + 1
    tails = [np.zeros(groups, np.int64), released + 1, np.arange(originals) + groups + 1]
    heads = [np.arange(groups) + 1, original + groups + 1, np.full(originals, sink)]
    amounts = [demand, capacity, supply]
    if held is not None:
        back = held > 0
        tails.append(original[back] + groups + 1)
        heads.append(released[back] + 1)
        amounts.append(held[back])
    amount = np.concatenate(amounts)
    used = amount > 0
    shape = (sink + 1, sink + 1)
    ends = (np.concatenate(tails)[used], np.concatenate(heads)[used])
    graph = csr_array(coo_array((amount[used].astype(np.int32), ends), shape=shape))
    flow = coo_array(maximum_flow(graph, 0, sink).flow)
    between = (flow.row >= 1) & (flow.row <= groups) & (flow.col > groups) & (flow.col < sink)
    taken = np.zeros(len(released), np.int64)
    keys = (flow.row[between].astype(np.int64) - 1) * originals + (flow.col[between] - groups - 1)
    taken[np.searchsorted(released * originals + original, keys)] = flow.data[between]
    return taken


def _first_offers(flow: _Flow, reach: Reach, most_pairs: int) -> tuple[Pairs, int]:
    """Choose the pairs that the first flow may use: all where they are few, else some.

    Every original is to be offered to a few groups, so that none is left out of every offer.
    Returns the number of groups that reach many, too.
    """
    many = np.maximum(_FEWEST_PAIRS, _PAIRS_OF_UNIT * flow.demand)
    offers, complete = reach.narrow_pairs(most_pairs, many)
    wide = np.flatnonzero(~complete)
    if not len(wide):
        return offers, 0
    rng = np.random.default_rng(0)
    wanted = 2 * flow.demand[wide] + _FEWEST_OFFERS
    parts = [offers, reach.some_pairs(wide, wanted, rng)]
    for _ in range(_ROUNDS_OF_OFFERS):
        count = sum(np.bincount(part.original, minlength=reach.originals) for part in parts)
        rare = np.asarray(count < _OFFERS_OF_ORIGINAL)
        if not rare.any():
            break
        share = -(-_OFFERS_OF_ORIGINAL * np.count_nonzero(rare) // len(wide))
        more = reach.some_pairs(wide, np.full(len(wide), share + 1), rng, rare)
        if not len(more.released):
            break
        parts.append(more)
    return Pairs(*(np.concatenate(side) for side in zip(*parts, strict=True))), len(wide)


@dataclass(frozen=True, slots=True)
class _Search:
    """What hungry groups can get by exchanges.

    Parameters
    ----------
    free
        Whether an original with something left was found.
    groups, originals
        What was visited; when nothing free was found, all that there is to visit.
    pairs
        Pairs by which originals were found.
    """

    free: bool
    groups: NDArray[np.int64]
    originals: NDArray[np.int64]
    pairs: Pairs


def _search(flow: _Flow, missing: NDArray[np.int64], reach: Reach) -> _Search:
    """Search the whole graph for originals that hungry groups could get by exchanges.

    From a group to every original it reaches, from an original to the groups that hold it, until
    as much is found free as is missing. When nothing is, the visited groups and originals prove
    the shortfall. Wide groups are visited a few at a time, since they leave little for the next.
    """
    free = flow.free()
    full = flow.full_keys()
    holders = csr_array(
        (flow.amount, (flow.original, flow.released)), shape=(reach.originals, reach.groups)
    )
    visited = np.zeros(reach.groups, bool)
    unseen = np.ones(reach.originals, bool)
    frontier = np.flatnonzero(missing)
    visited[frontier] = True
    enough = int(missing.sum())
    rng = np.random.default_rng(1)
    parts: list[Pairs] = []
    size = _FIRST_BATCH
    while len(frontier) and int(free[~unseen].sum()) < enough:
        batch, frontier = frontier[:size], frontier[size:]
        size = min(2 * size, _LARGEST_BATCH)
        found = _unseen_pairs(flow, reach, batch, unseen, full)
        parts.append(found)
        if (free > 0).any():
            some = reach.some_pairs(batch, np.full(len(batch), _OFFERS_OF_FREE), rng, free > 0)
            parts.append(_without(flow, some, full))
        holding = np.unique(holders[np.unique(found.original)].indices).astype(np.int64)
        new = holding[~visited[holding]]
        visited[new] = True
        frontier = np.concatenate([frontier, new])
    every = Pairs(*(np.concatenate(side) for side in zip(*parts, strict=True)))
    unseen[every.original] = False
    return _Search(
        bool((free[~unseen] > 0).any()),
        np.flatnonzero(visited),
        np.flatnonzero(~unseen),
        every,
    )


def _unseen_pairs(
    flow: _Flow,
    reach: Reach,
    groups: NDArray[np.int64],
    unseen: NDArray[np.bool_],
    full: NDArray[np.int64],
) -> Pairs:
    """Return pairs to every original that groups reach and that was not seen; marks them seen."""
    listed = []
    for pairs in reach.pairs(groups, unseen.copy()):
        some = _without(flow, pairs, full)
        order = np.argsort(some.original, kind="stable")
        few = order[rank_within(some.original[order]) < _PAIRS_OF_ORIGINAL]
        listed.append(Pairs(some.released[few], some.original[few]))
        unseen[some.original] = False
    nothing = np.empty(0, np.int64)
    return Pairs(
        np.concatenate([nothing, *(pairs.released for pairs in listed)]),
        np.concatenate([nothing, *(pairs.original for pairs in listed)]),
    )


def _without(flow: _Flow, pairs: Pairs, full: NDArray[np.int64]) -> Pairs:
    if not len(full):
        return pairs
    keys = flow.keys(*pairs)
    place = np.minimum(np.searchsorted(full, keys), len(full) - 1)
    good = full[place] != keys
    return Pairs(pairs.released[good], pairs.original[good])
