"""Exchanges that fill released groups, found from both ends at once.

A group that lacks something can take an original from the group that holds it, which takes another
in its place, and so on, up to an original that is left. A tree grows from every group that lacks
something, and one from every original that is left; where two meet, there is an exchange. Both
stay small, where a search from one end alone would visit nearly everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.grouping import ranges, rank_within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.flow import Flow, Offers

# Trees that have met go on until they are so many times as large, or a good part of them has met:
# several exchanges of one search are cheaper than several searches.
_FURTHER = 4
_SHARE_OF_TREES = 0.5
_ROUNDS_OF_PAIRING = 8


@dataclass(frozen=True, slots=True)
class Closed:
    """A part of the flow that no exchange leads out of.

    Parameters
    ----------
    groups
        Released groups, some of which lack something.
    originals
        The originals that these groups could take, by the pairs that are offered.
    """

    groups: NDArray[np.int64]
    originals: NDArray[np.int64]


def exchange(flow: Flow, report: Callable[[], None]) -> Closed | None:
    """Exchange along the pairs that are offered, until nobody lacks anything or nothing helps.

    Returns the part that no exchange can fill, if there is one.
    """
    offers = flow.offers()
    rng = np.random.default_rng(4)
    while flow.missing.any():
        wanting = _Trees(offers, np.flatnonzero(flow.missing), wanting=True)
        leaving = _Trees(offers, np.flatnonzero(flow.free) + offers.groups, wanting=False)
        meeting = _grow(wanting, leaving)
        if not len(meeting):
            wanting.grow_fully()
            return Closed(*wanting.visited())
        ends = _pair_up(wanting, leaving, rng.permutation(meeting), flow)
        entries, changes = _paths(wanting, leaving, ends)
        if len(entries):
            flow.change(entries, changes)
        else:
            groups = np.union1d(wanting.visited()[0], leaving.visited()[0])
            filled = flow.improve(groups)
            assert filled, "trees that meet must fill some group"
        report()
    return None


class _Trees:
    """Trees of groups and originals, one from each root, without a common node.

    Nodes are released groups by number, and then originals. A wanting tree goes from a group to the
    originals that it could take, and from an original to the groups that hold it; a leaving tree
    goes the other way, from what is left to those who could take it.
    """

    def __init__(self, offers: Offers, roots: NDArray[np.int64], *, wanting: bool) -> None:
        nodes = offers.groups + offers.originals
        self.root = np.full(nodes, -1, np.int32)
        """The root of each node's tree; below zero where none has come by."""
        self.parent = np.full(nodes, -1, np.int32)
        """The pair through which a node was found; below zero for roots."""
        self.root[roots] = roots
        self.trees = len(roots)
        self.size = 0
        """Number of pairs that were looked at."""
        self.work = offers.count_of(roots)
        """Number of pairs that the next layer looks at."""
        self._offers = offers
        self._frontier = roots
        self._wanting = wanting

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing more to visit."""
        return not len(self._frontier)

    def grow(self) -> NDArray[np.int64]:
        """Visit one more layer, and return its nodes."""
        offers = self._offers
        from_groups = bool(self._frontier[0] < offers.groups)
        first, last = offers.starts[self._frontier], offers.starts[self._frontier + 1]
        entries = ranges(first, last)  # which are the pairs themselves, in front of groups
        if not from_groups:
            entries = offers.entries[entries].astype(np.int64)
        self.size += len(entries)
        taking = from_groups is self._wanting
        amount = offers.amount[entries]
        place = np.flatnonzero(amount < offers.most[entries] if taking else amount > 0)
        entries = entries[place]
        heads = (offers.original if from_groups else offers.group)[entries].astype(np.int64)
        heads += offers.groups if from_groups else 0
        unseen = self.root[heads] < 0
        place, entries, heads = place[unseen], entries[unseen], heads[unseen]
        tails = np.repeat(self._frontier, last - first)[place]
        self.parent[heads] = entries
        # Of several ways to a node, the one that was written last.
        last = self.parent[heads] == entries
        heads = heads[last]
        self.root[heads] = self.root[tails[last]]
        self._frontier = heads
        self.work = offers.count_of(self._frontier)
        return self._frontier

    def grow_fully(self) -> None:
        """Visit all that can be reached."""
        while not self.exhausted:
            self.grow()

    def visited(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the groups and originals that were visited."""
        nodes = np.flatnonzero(self.root >= 0)
        is_group = nodes < self._offers.groups
        return nodes[is_group], nodes[~is_group] - self._offers.groups

    def trace(
        self, nodes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs from nodes back to their roots: which path, which pair, what changes."""
        offers = self._offers
        path = np.arange(len(nodes))
        paths, entries, changes = [], [], []
        while len(nodes):
            entry = self.parent[nodes]
            path, nodes, entry = path[entry >= 0], nodes[entry >= 0], entry[entry >= 0]
            is_group = nodes < offers.groups
            paths.append(path)
            entries.append(entry)
            # A wanting tree finds originals to take, and groups that give one up.
            changes.append(np.where(is_group == self._wanting, -1, 1))
            nodes = np.where(is_group, offers.original[entry] + offers.groups, offers.group[entry])
        return np.concatenate(paths), np.concatenate(entries), np.concatenate(changes)


def _grow(wanting: _Trees, leaving: _Trees) -> NDArray[np.int64]:
    """Let trees grow until enough of them have met, and return the nodes where they do."""
    meeting: list[NDArray[np.int64]] = []
    sides = [(trees, np.zeros(len(trees.root), bool)) for trees in (wanting, leaving)]
    fewer = min(wanting.trees, leaving.trees)
    enough = np.inf
    while not wanting.exhausted and not leaving.exhausted:
        trees, others = (wanting, leaving) if wanting.work <= leaving.work else (leaving, wanting)
        new = trees.grow()
        met = new[others.root[new] >= 0]
        if len(met):
            meeting.append(met)
            enough = min(enough, _FURTHER * (wanting.size + leaving.size))
            for side, has_met in sides:
                has_met[side.root[met]] = True
            if min(np.count_nonzero(has_met) for _, has_met in sides) >= _SHARE_OF_TREES * fewer:
                break
        if wanting.size + leaving.size >= enough:
            break
    return np.concatenate(meeting) if meeting else np.empty(0, np.int64)


def _pair_up(
    wanting: _Trees, leaving: _Trees, meeting: NDArray[np.int64], flow: Flow
) -> NDArray[np.int64]:
    """Choose nodes where trees meet, such that no group gets more than it lacks."""
    left = flow.free.copy()
    lacking = flow.missing.copy()
    groups = len(lacking)
    chosen = []
    for _ in range(_ROUNDS_OF_PAIRING):
        some = meeting[np.unique(leaving.root[meeting], return_index=True)[1]]
        some = some[np.argsort(wanting.root[some], kind="stable")]
        root = wanting.root[some]
        some = some[rank_within(root) < lacking[root]]
        chosen.append(some)
        left[leaving.root[some] - groups] -= 1
        np.subtract.at(lacking, wanting.root[some], 1)
        meeting = meeting[
            (lacking[wanting.root[meeting]] > 0) & (left[leaving.root[meeting] - groups] > 0)
        ]
        if not len(meeting):
            break
    return np.concatenate(chosen)


def _paths(
    wanting: _Trees, leaving: _Trees, nodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs and their changes along exchanges through nodes, no pair in two of them."""
    path, entries, changes = (
        np.concatenate(sides)
        for sides in zip(wanting.trace(nodes), leaving.trace(nodes), strict=True)
    )
    order = np.lexsort([path, entries])
    again = np.zeros(len(order), bool)
    again[1:] = entries[order][1:] == entries[order][:-1]
    clashing = np.zeros(len(nodes), bool)
    clashing[path[order][again]] = True
    good = ~clashing[path]
    return entries[good], changes[good]
