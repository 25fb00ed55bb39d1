"""Reach: which originals each released group covers, found by an index instead of by trying all."""

from __future__ import annotations

import time
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from shoal.verifier.grouping import ranges, rank_within
from shoal.verifier.point_tree import PointTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.coverage import Coverage, Covering
    from shoal.verifier.point_tree import Runs

_PAIRS_AT_ONCE = 2**22
_MOST_NODES = 48
_NODES_OF_SAMPLE = 24
_MIXED = 2**24  # places at which the pairs of a group may come, drawn at random
_GROUPS_AT_ONCE = 2**6
_PROBED = (64, 256, 1024)
_SECONDS_OF_PROBE = 0.1
_SECONDS_BETWEEN_REPORTS = 0.5


class Report(Protocol):
    """Whoever waits for a stage of a verdict."""

    def __call__(self, share: float, expected: float | None = None, /) -> None:
        """Take how much of it is done, and the seconds that all of it probably takes."""


class Pairs(NamedTuple):
    """Pairs of a released group and an original group that its cells cover."""

    released: NDArray[np.int64]
    original: NDArray[np.int64]


class Condition(NamedTuple):
    """A dimension beside the quasi-identifiers: where originals stand, what groups may take."""

    positions: NDArray[np.int64]
    covering: Covering


class Reach:
    """Which original groups each released group may take from.

    Parameters
    ----------
    coverages
        The quasi-identifiers.
    originals
        One row of each original group.
    released
        One row of each released group.
    conditions
        Further dimensions, by group.
    """

    def __init__(
        self,
        coverages: Sequence[Coverage],
        originals: NDArray[np.int64],
        released: NDArray[np.int64],
        conditions: Sequence[Condition] = (),
    ) -> None:
        self.originals = len(originals)
        self.groups = len(released)
        points = [coverage.positions[coverage.values[originals]] for coverage in coverages]
        boxes = [coverage.covering.take(coverage.cells[released]) for coverage in coverages]
        points += [condition.positions.astype(np.int32) for condition in conditions]
        boxes += [condition.covering for condition in conditions]
        self._tree = PointTree(np.stack(points), boxes)
        self._place = np.argsort(self._tree.order)

    def renumbered(self) -> tuple[Reach, NDArray[np.int64], NDArray[np.int64]]:
        """Return the same with other numbers, and the groups and originals that now have them.

        Originals that are alike then have numbers that are close to each other, and so have groups
        that reach the same ones: what is looked at together is close together in memory.
        """
        other = copy(self)
        tree, groups = self._tree.renumbered()
        vars(other).update(_tree=tree, _place=np.arange(self.originals))
        return other, groups, self._tree.order

    def pairs(
        self, groups: NDArray[np.int64], among: NDArray[np.bool_] | None = None
    ) -> Iterator[Pairs]:
        """Yield every pair of these groups, a bounded number at a time.

        Parameters
        ----------
        among
            For each original group whether it is wanted; unless given, all are.
        """
        marked = None if among is None else self._counted(among)
        for runs in self._tree.search(groups, marked):
            for pairs in self._expand(runs):
                yield pairs if among is None else Pairs(*(p[among[pairs.original]] for p in pairs))

    def originals_of_each(
        self, groups: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each of these groups with the originals that it reaches."""
        for start in range(0, len(groups), _GROUPS_AT_ONCE):
            some = groups[start : start + _GROUPS_AT_ONCE]
            found = _joined(list(self.pairs(some)))
            order = np.argsort(found.released, kind="stable")
            released, original = found.released[order], found.original[order]
            for group in some.tolist():
                first, last = np.searchsorted(released, [group, group + 1])
                yield group, original[first:last]

    def drawn_pairs(self, groups: NDArray[np.int64], draws: int, rng: np.random.Generator) -> Pairs:
        """Return the pairs among so many originals drawn for each of these groups.

        It takes no index, and finds some pairs of groups that reach a good part of all originals.
        """
        listed = []
        size = max(1, _PAIRS_AT_ONCE // draws)
        for start in range(0, len(groups), size):
            box = np.repeat(groups[start : start + size], draws)
            box, place = self._tree.held(box, rng.integers(0, self.originals, len(box)))
            listed.append(Pairs(box, self._tree.order[place]))
        return _joined(listed)

    def holding(self, pairs: Pairs) -> Pairs:
        """Return those pairs whose group reaches the original."""
        box, place = self._tree.held(pairs.released, self._place[pairs.original])
        return Pairs(box, self._tree.order[place])

    def holding_pairs(
        self,
        originals: NDArray[np.int64],
        groups: NDArray[np.int64],
        draws: int,
        rng: np.random.Generator,
    ) -> Pairs:
        """Return the pairs among so many of some groups drawn for each of these originals.

        As many draws as there are groups are all of them.
        """
        place = self._place[originals]
        listed = []
        size = max(1, _PAIRS_AT_ONCE // draws)
        for start in range(0, len(place), size):
            tested = np.repeat(place[start : start + size], draws)
            drawn = rng.integers(0, len(groups), len(tested))
            if draws == len(groups):
                drawn = np.tile(np.arange(draws), len(tested) // draws)
            box, tested = self._tree.held(groups[drawn], tested)
            listed.append(Pairs(box, self._tree.order[tested]))
        return _joined(listed)

    def first_pairs(
        self,
        groups: NDArray[np.int64],
        wanted: NDArray[np.int64],
        most_of_group: NDArray[np.int64],
        most: int,
        rng: np.random.Generator,
        *,
        report: Callable[[float], None] | None = None,
    ) -> tuple[Pairs, NDArray[np.bool_]]:
        """Return every pair of groups that reach few originals, some of others, and who has all.

        Parameters
        ----------
        groups
            The groups to search.
        wanted
            How many pairs those of all groups get that reach more; they may get fewer.
        most_of_group
            How many pairs each of all groups may have to get all of them.
        most
            How many pairs groups may get that get all of theirs.
        report
            Called with the share of the groups that were searched.
        """
        few = np.zeros(self.groups, bool)
        listed = []
        for runs, some, cut in self._tree.search_some(groups, _MOST_NODES, rng, report=report):
            sizes = np.zeros(self.groups, np.int64)
            for one in runs:
                np.add.at(sizes, one.box, one.last - one.first)
            narrow = some[~cut & (sizes[some] <= most_of_group[some])]
            narrow = narrow[np.argsort(sizes[narrow], kind="stable")]
            narrow = narrow[np.cumsum(sizes[narrow]) <= most]
            most -= int(sizes[narrow].sum())
            few[narrow] = True
            listed += [pairs for one in runs for pairs in self._expand(one, few)]
            listed.append(self._draw([one.of(~few) for one in runs], wanted, rng))
        return _joined(listed), few

    def some_pairs(
        self,
        groups: NDArray[np.int64],
        wanted: NDArray[np.int64],
        rng: np.random.Generator,
        among: NDArray[np.bool_] | None = None,
    ) -> Pairs:
        """Return up to the wanted number of pairs of each of these groups, at random.

        Groups may get fewer than they could.
        """
        limit = np.zeros(self.groups, np.int64)
        limit[groups] = wanted
        marked = None if among is None else self._counted(among)
        searched = self._tree.search_some(groups, _NODES_OF_SAMPLE, rng, marked)
        return _joined([self._draw(runs, limit, rng, marked) for runs, _, _ in searched])

    def _draw(
        self,
        found: Sequence[Runs],
        limit: NDArray[np.int64],
        rng: np.random.Generator,
        marked: NDArray[np.int64] | None = None,
    ) -> Pairs:
        """Return some of the pairs that were found, up to a limit for each group."""
        places = np.arange(self.originals) if marked is None else np.flatnonzero(np.diff(marked))
        listed = []
        for runs in found:
            # Of a long run, as many as are wanted in a row from a place drawn at random.
            first = runs.first if marked is None else marked[runs.first]
            last = runs.last if marked is None else marked[runs.last]
            length = np.minimum(last - first, limit[runs.box])
            spare = last - first - length
            begin = first + (rng.random(len(first)) * (spare + 1)).astype(np.int64)
            box = np.repeat(runs.box, length)
            place = places[ranges(begin, begin + length)]
            listed.append(Pairs(box, self._tree.order[place]))
        pairs = _joined(listed)
        # What is far beyond the limit goes first, since sorting takes longest.
        count = np.bincount(pairs.released, minlength=self.groups)
        share = 2 * limit / np.maximum(count, 1)
        kept = rng.random(len(pairs.released)) < share[pairs.released]
        pairs = Pairs(pairs.released[kept], pairs.original[kept])
        order = np.argsort(pairs.released * _MIXED + rng.integers(0, _MIXED, len(pairs.released)))
        box = pairs.released[order]
        order = order[rank_within(box) < limit[box]]
        return Pairs(pairs.released[order], pairs.original[order])

    def count(
        self,
        sizes_of_originals: NDArray[np.int64],
        sizes_of_groups: NDArray[np.int64],
        report: Report | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many released records cover each original, and the other way round."""
        at_once = None
        if report is not None:
            seconds = self._seconds_of_search()
            report(0.0, seconds)
            at_once = 1 + int(_SECONDS_BETWEEN_REPORTS * self.groups / seconds)
        before = np.concatenate(([0], np.cumsum(sizes_of_originals[self._tree.order])))
        covered = np.zeros(self.groups, np.int64)
        change = np.zeros(self.originals + 1, np.int64)
        for runs in self._tree.search(np.arange(self.groups), None, report, at_once):
            np.add.at(covered, runs.box, before[runs.last] - before[runs.first])
            np.add.at(change, runs.first, sizes_of_groups[runs.box])
            np.subtract.at(change, runs.last, sizes_of_groups[runs.box])
        covers = np.empty(self.originals, np.int64)
        covers[self._tree.order] = np.cumsum(change)[:-1]
        return covers, covered

    def _seconds_of_search(self) -> float:
        """Return about how long it takes to search all groups, from a few drawn at random."""
        drawn = np.random.default_rng(6).permutation(self.groups)
        for size in _PROBED:
            some = drawn[:size]
            start = time.perf_counter()
            for _ in self._tree.search(some):
                pass
            seconds = time.perf_counter() - start
            if seconds > _SECONDS_OF_PROBE:
                break
        return seconds / len(some) * self.groups

    def _counted(self, among: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(among[self._tree.order])))

    def _expand(self, runs: Runs, few: NDArray[np.bool_] | None = None) -> Iterator[Pairs]:
        if few is not None:
            runs = runs.of(few)
        box, first, last = runs.box, runs.first, runs.last
        ends = np.cumsum(last - first)
        cuts = np.searchsorted(ends, np.arange(0, int(ends[-1:].sum()), _PAIRS_AT_ONCE))
        for begin, end in pairwise([*np.unique(cuts).tolist(), len(box)]):
            part = slice(begin, end)
            place = ranges(first[part], last[part])
            yield Pairs(np.repeat(box[part], last[part] - first[part]), self._tree.order[place])


def _joined(listed: Sequence[Pairs]) -> Pairs:
    nothing = np.empty(0, np.int64)
    return Pairs(
        np.concatenate([nothing, *(pairs.released for pairs in listed)]),
        np.concatenate([nothing, *(pairs.original for pairs in listed)]),
    )
