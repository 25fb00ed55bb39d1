"""Which records can be exchanged for each other, without a list of all pairs.

Given one perfect matching, a pair lies in another exactly when an alternating cycle leads through
it: both ends are in one strongly connected component of the exchanges. Their pairs come a bounded
number at a time, those of groups that cover few originals first. What turns out to be one component
becomes one node, and a component that no path leaves for pairs still to come is settled, so that
only the arcs between the others are held.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from shoal.errors import InputError
from shoal.verifier.flow import distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.flow import Filling
    from shoal.verifier.reach import Reach, Report

_ARCS_AT_ONCE = 2**22
# A merge takes about 50 bytes for each arc, and twice as many arcs may wait for it.
_MOST_ARCS = 2**24
_GROUPS_AT_ONCE = 2**12
_DRAWN_PAIRS = 8
_PROBED = 64
# A component with this share of the originals is left out when its own groups are searched.
_LARGE = 1 / 64


class Components:
    """Strongly connected components of a graph whose arcs come in parts.

    Parameters
    ----------
    nodes
        How many there are.
    arcs_at_once
        How many arcs wait for a merge.
    most_arcs
        How many arcs between components are held.
    """

    def __init__(self, nodes: int, arcs_at_once: int, most_arcs: int) -> None:
        self.of_node = np.arange(nodes)
        """The component of each node, so far."""
        self.settled = np.zeros(nodes, bool)
        """For each component whether it is final, and nothing that leads to it matters."""
        self._open = np.ones(nodes, bool)
        self._count = nodes
        self._arcs: list[NDArray[np.int64]] = []
        self._waiting = self._held = 0
        self._at_once = arcs_at_once
        self._most = most_arcs

    @property
    def held(self) -> int:
        """Number of arcs between components, as of the last merge."""
        return self._held

    def add(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> None:
        """Add arcs between nodes."""
        tails, heads = self.of_node[tails], self.of_node[heads]
        matters = (tails != heads) & ~self.settled[heads]
        self._arcs.append(tails[matters] * self._count + heads[matters])
        self._waiting += len(self._arcs[-1])
        if self._waiting > max(self._at_once, self._held):
            self.merge()

    def close(self, nodes: NDArray[np.int64]) -> None:
        """Take note that all arcs from these nodes were added."""
        self._open[nodes] = False

    def merge(self) -> None:
        """Make one node of each component, and settle those that are final.

        Raises
        ------
        InputError
            If too many arcs lead from component to component.
        """
        tails, heads = np.divmod(distinct(np.concatenate(self._arcs)), self._count)
        count, label = connected_components(
            self._graph(tails, heads), directed=True, connection="strong"
        )
        self.of_node = label[self.of_node].astype(np.int64)
        self._count = count
        tails, heads = label[tails].astype(np.int64), label[heads].astype(np.int64)
        keys = distinct((tails * count + heads)[tails != heads])
        tails, heads = np.divmod(keys, count)
        is_open = np.zeros(count, bool)
        is_open[self.of_node[self._open]] = True
        self.settled = ~_leading_to(is_open, tails, heads)
        # What leads from a settled component leads to settled ones.
        keys = keys[~self.settled[heads]]
        self._arcs, self._held, self._waiting = [keys], len(keys), 0
        if self._held > self._most:
            raise InputError(
                "Whether this release keeps k-concealment cannot be decided: more than "
                f"{self._most:,} ways to exchange records would have to be held in memory.",
                remedy="Verify a form that counts covers, such as (k,k); or release classes or a "
                "freeform cover, which promise more and take less to verify.",
            )

    def _graph(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> csr_array:
        """Return distinct arcs, ascending, as a matrix."""
        starts = np.searchsorted(tails, np.arange(self._count + 1)).astype(np.int32)
        shape = (self._count, self._count)
        return csr_array((np.ones(len(heads), np.int8), heads.astype(np.int32), starts), shape)


def _leading_to(
    wanted: NDArray[np.bool_], tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return the nodes from which a path leads to those wanted, themselves included."""
    count = len(wanted)
    goals = np.flatnonzero(wanted)
    # Backwards, from one node more that leads to all goals.
    ends = (
        np.concatenate([heads, np.full(len(goals), count)]),
        np.concatenate([tails, goals]),
    )
    backwards = csr_array((np.ones(len(ends[0]), np.int8), ends), (count + 1, count + 1))
    leading = np.zeros(count + 1, bool)
    leading[breadth_first_order(backwards, count, return_predecessors=False)] = True
    return leading[:count]


def exchangeable(
    reach: Reach,
    found: Filling,
    left: NDArray[np.int64],
    covered: NDArray[np.int64],
    *,
    arcs_at_once: int = _ARCS_AT_ONCE,
    most_arcs: int = _MOST_ARCS,
    groups_at_once: int = _GROUPS_AT_ONCE,
    drawn_pairs: int = _DRAWN_PAIRS,
    report: Report | None = None,
    warn: Callable[[], None] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the component of each released and of each original group.

    Parameters
    ----------
    reach
        Which originals each released group covers.
    found
        A match of all released records.
    left
        How many records of each original group it leaves over.
    covered
        How many originals each released group covers, more or less.
    arcs_at_once, most_arcs
        As of :class:`Components`.
    groups_at_once
        How many groups are searched before they are closed.
    drawn_pairs
        How many pairs of each group are drawn at first, which join most of what belongs together.
    report
        Called with the share of the groups that were searched.
    warn
        Called before the search if a few groups let expect more arcs than can be held.
    """
    groups, originals = reach.groups, reach.originals
    every = np.arange(groups)
    parts = Components(groups + originals + 1, arcs_at_once, most_arcs)
    # Who covers an original could take it from its holders. Originals that are withheld are held by
    # nobody, who could have any: one node more.
    parts.add(found.original + groups, found.released)
    parts.add(found.released, found.original + groups)
    free = np.flatnonzero(left)
    if len(free):
        nobody = np.full(originals, groups + originals)
        parts.add(free + groups, nobody[: len(free)])
        parts.add(nobody, np.arange(originals) + groups)
    parts.close(np.arange(groups, groups + originals + 1))
    drawn = reach.some_pairs(every, np.full(groups, drawn_pairs), np.random.default_rng(5))
    parts.add(drawn.released, drawn.original + groups)
    parts.merge()
    if report is not None:
        some = np.random.default_rng(6).permutation(groups)[:_PROBED]
        start, before = time.perf_counter(), parts.held
        _add_pairs(parts, reach, some)
        report(0.0, (time.perf_counter() - start) / len(some) * groups)
        parts.merge()
        # Components that are settled later hold fewer, so that this is no reason to refuse yet.
        expected = before + (parts.held - before) * groups / len(some)
        if warn is not None and expected > most_arcs:
            warn()
    narrow_first = np.argsort(covered, kind="stable")
    for start in range(0, groups, groups_at_once):
        if report is not None:
            report(start / groups)
        some = narrow_first[start : start + groups_at_once]
        _add_pairs(parts, reach, some)
        parts.close(some)
    parts.merge()
    return parts.of_node[:groups], parts.of_node[groups:-1]


def _add_pairs(parts: Components, reach: Reach, groups: NDArray[np.int64]) -> None:
    """Add the pairs of groups that lead to other components."""
    of_group = parts.of_node[groups]
    of_original = parts.of_node[reach.groups : -1]
    alive = ~parts.settled[of_original]
    large = np.flatnonzero(np.bincount(of_original) > _LARGE * reach.originals)
    searches = [(groups[of_group == one], alive & (of_original != one)) for one in large]
    searches.append((groups[~np.isin(of_group, large)], alive))
    for some, among in searches:
        if not len(some) or not among.any():
            continue
        for pairs in reach.pairs(some, among):
            parts.add(pairs.released, pairs.original + reach.groups)
