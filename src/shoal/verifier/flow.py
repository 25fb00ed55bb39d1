"""A flow from original groups to released groups that grows, never more than a part at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from shoal.verifier.grouping import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.reach import Pairs


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


@dataclass(frozen=True, slots=True)
class Holders:
    """For each original group the released groups that hold some of it."""

    starts: NDArray[np.int64]
    groups: NDArray[np.int64]

    def of(self, originals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the groups that hold some of these originals."""
        return self.groups[ranges(self.starts[originals], self.starts[originals + 1])]


@dataclass(frozen=True, slots=True)
class Offers:
    """The pairs that are offered to a flow, by released group and by original.

    Nodes are released groups by number, and then originals. Pairs are identified by their place.

    Parameters
    ----------
    groups, originals
        How many there are.
    group, original
        The two sides of each pair; those of a group stand together.
    amount, most
        What goes through each pair, and how much may.
    starts, entries
        For each node where its pairs stand in ``entries``.
    """

    groups: int
    originals: int
    group: NDArray[np.int32]
    original: NDArray[np.int32]
    amount: NDArray[np.int32]
    most: NDArray[np.int32]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]

    def count_of(self, nodes: NDArray[np.int64]) -> int:
        """Return how many pairs these nodes have."""
        return int((self.starts[nodes + 1] - self.starts[nodes]).sum())


class Flow:
    """A flow from original to released groups, over the pairs that are offered to it.

    Parameters
    ----------
    supply, demand
        Records of each original and each released group.
    times
        How often each record is given and wanted.
    of_pair
        For each original group how much of one of its records may go to one released record; once
        unless given, so that no pair of records is used twice.
    """

    def __init__(
        self,
        supply: NDArray[np.int64],
        demand: NDArray[np.int64],
        times: int,
        of_pair: NDArray[np.int64] | None = None,
    ) -> None:
        self.times = times
        self._of_pair = np.ones(len(supply), np.int64) if of_pair is None else of_pair
        self.supply = supply * times
        self.demand = demand * times
        self.free = self.supply.copy()
        """How much each original group still has."""
        self.missing = self.demand.copy()
        """How much each released group still lacks."""
        # The pairs offered, those of a released group together, and what goes through each.
        self._starts = np.zeros(len(demand) + 1, np.int64)
        self._keys = np.empty(0, np.int64)
        self._original = np.empty(0, np.int32)
        self._amount = np.empty(0, np.int32)

    @property
    def pairs_offered(self) -> int:
        """Number of pairs that are offered."""
        return len(self._original)

    def offer(self, pairs: Pairs) -> int:
        """Let the flow use these pairs as well, and return how many of them are new."""
        new = distinct(self.keys(*pairs))
        if not len(self._keys):
            released, original = np.divmod(new, len(self.supply))
            self._keys, self._original = new, original.astype(np.int32)
            self._amount = np.zeros(len(new), np.int32)
            self._starts = np.searchsorted(released, np.arange(len(self.demand) + 1))
            return len(new)
        place = np.searchsorted(self._keys, new)
        there = place < len(self._keys)
        there[there] = self._keys[place[there]] == new[there]
        new, place = new[~there], place[~there]
        released, original = np.divmod(new, len(self.supply))
        self._keys = np.insert(self._keys, place, new)
        self._original = np.insert(self._original, place, original.astype(np.int32))
        self._amount = np.insert(self._amount, place, np.int32(0))
        self._starts[1:] += np.cumsum(np.bincount(released, minlength=len(self.demand)))
        return len(new)

    def offers(self) -> Offers:
        """Return the pairs that are offered, to walk along them in both directions."""
        groups = np.repeat(np.arange(len(self.demand), dtype=np.int32), np.diff(self._starts))
        every = np.arange(len(groups), dtype=np.int32)
        shape = (len(self.demand), len(self.supply))
        starts = self._starts.astype(np.int32)
        turned = csr_array((every, self._original, starts), shape=shape).tocsc()
        return Offers(
            groups=shape[0],
            originals=shape[1],
            group=groups,
            original=self._original,
            amount=self._amount,
            most=self._most_of_offers(groups),
            starts=np.concatenate([self._starts, turned.indptr[1:].astype(np.int64) + len(every)]),
            entries=np.concatenate([every, turned.data]),
        )

    def change(self, entries: NDArray[np.int64], changes: NDArray[np.int64]) -> None:
        """Change what goes through some pairs, each named by its place, and once."""
        offered = np.searchsorted(self._starts, entries, side="right") - 1
        self._amount[entries] += changes.astype(np.int32)
        np.subtract.at(self.missing, offered, changes)
        np.subtract.at(self.free, self._original[entries], changes)

    def windows(self, pairs: int, shift: float = 0.0) -> list[NDArray[np.int64]]:
        """Return all groups, divided such that parts have about so many pairs.

        Parameters
        ----------
        shift
            Where the first part ends, as a share of the others' length.
        """
        part = (self._starts[1:] + int(shift * pairs)) // pairs
        return np.split(np.arange(len(part)), np.flatnonzero(np.diff(part)) + 1)

    def improve(self, groups: NDArray[np.int64], only: Pairs | None = None) -> bool:
        """Enlarge the flow of some groups, and return whether that was possible.

        Only these groups are looked at. Among them, one can take over an original from the group
        that holds it, which then takes another.

        Parameters
        ----------
        groups
            Groups, ascending.
        only
            Pairs to use beside those that are in use; all that are offered without it.
        """
        entries = self._entries(groups)
        released = np.repeat(groups, self._starts[groups + 1] - self._starts[groups])
        original = self._original[entries].astype(np.int64)
        held = self._amount[entries].astype(np.int64)
        if only is not None:
            used = held > 0
            used[np.searchsorted(self.keys(released, original), self.keys(*only))] = True
            entries, released, original = entries[used], released[used], original[used]
            held = held[used]
        some, group = _numbered(released, len(self.demand))
        others, place = _numbered(original, len(self.supply))
        arcs = (group, place, self._most(released, original) - held)
        change = _largest_flow(self.missing[some], self.free[others], arcs, held)
        if not change.any():
            return False
        self._amount[entries] += change.astype(np.int32)
        np.subtract.at(self.missing, released, change)
        np.subtract.at(self.free, original, change)
        return True

    def holders(self) -> Holders:
        """Return for each original group the released groups that hold some of it."""
        released, original, _ = self._used()
        order = np.argsort(original, kind="stable")
        starts = np.searchsorted(original[order], np.arange(len(self.supply) + 1))
        return Holders(starts, released[order])

    def held_outside(self, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each original group whether a group other than these holds some of it."""
        released, original, _ = self._used()
        return _marked(original[~_marked(groups, len(self.demand))[released]], len(self.supply))

    def keys(self, released: NDArray[np.int64], original: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one number for each pair."""
        return np.asarray(released * len(self.supply) + original, np.int64)

    def full_keys(self) -> NDArray[np.int64]:
        """Return the pairs through which nothing more can go, though both ends may have more."""
        if self.times == 1:
            return np.empty(0, np.int64)
        released, original, amount = self._used()
        full = amount == self._most(released, original)
        return self.keys(released[full], original[full])

    def reached(self, groups: NDArray[np.int64], originals: NDArray[np.int64]) -> int:
        """Return how much groups can have at most whose search found nothing free."""
        reached = int(self.supply[originals].sum())
        if self.times > 1:
            # Pairs used to the full lead out of the part that was searched.
            released, original, amount = self._used()
            leaving = _marked(groups, len(self.demand))[released]
            leaving &= ~_marked(originals, len(self.supply))[original]
            reached += int(amount[leaving].sum())
        assert reached < self.demand[groups].sum(), "the shortfall must prove itself"
        return reached

    def filling(self, short: NDArray[np.int64], reached: int) -> Filling:
        """Return what was found.

        A verdict rests on it, so it is counted again, apart from the search that found it.
        """
        released, original, amount = self._used()
        given = np.bincount(original, amount, minlength=len(self.supply))
        taken = np.bincount(released, amount, minlength=len(self.demand))
        sound = (amount > 0).all() and (amount <= self._most(released, original)).all()
        sound = sound and (given <= self.supply).all() and (taken <= self.demand).all()
        if not sound or not (len(short) or (taken == self.demand).all()):
            raise RuntimeError("the matching that was found is not possible")
        return Filling(released, original, amount, short, reached, self.pairs_offered)

    def _entries(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        return ranges(self._starts[groups], self._starts[groups + 1])

    def _used(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return released group, original group and amount of every pair that is used."""
        entries = np.flatnonzero(self._amount)
        released = np.searchsorted(self._starts, entries, side="right") - 1
        original = self._original[entries].astype(np.int64)
        return released, original, self._amount[entries].astype(np.int64)

    def _most_of_offers(self, groups: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return how much may go through each pair that is offered."""
        if self.times > 1:
            return self._most(groups, self._original).astype(np.int32)
        demand, supply = (
            np.minimum(one, 2**31 - 1).astype(np.int32) for one in (self.demand, self.supply)
        )
        return np.minimum(np.repeat(demand, np.diff(self._starts)), supply[self._original])

    def _most(
        self, released: NDArray[np.integer], original: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Return how much may go through pairs of groups: so much for each pair of records."""
        demand, supply = self.demand[released], self.supply[original]
        if self.times == 1:
            return np.asarray(np.minimum(demand, supply))  # there are as many pairs of records
        # No flow is larger, and the product stays below 2**62.
        pairs = np.minimum((demand // self.times) * (supply // self.times), 2**31)
        every = pairs * self._of_pair[original]
        return np.asarray(np.minimum(np.minimum(demand, supply), every))


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct keys, ascending; sorting is quicker than the hash table of NumPy."""
    keys = np.sort(keys)
    return np.asarray(keys[np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)]])


def _numbered(places: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct places below a size, ascending, and the number of each place."""
    found = np.flatnonzero(_marked(places, size))
    number = np.zeros(size, np.int64)
    number[found] = np.arange(len(found))
    return found, number[places]


def _marked(places: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    marked = np.zeros(size, bool)
    marked[places] = True
    return marked


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
