"""Covers: releases in which every record has cells of its own, and hides among k nevertheless.

What a freeform release guarantees is that each released original has k released records that could
be its own, all equally likely to someone who knows the whole table and the algorithm. That can be
kept exactly when a graph can be chosen among the pairs of original and covering released record in
which every record has k partners: such a graph divides into k matchings without a common pair, and
a draw among these gives each partner the chance 1/k. A maximum flow of k units for each record
finds such a graph, or proves that there is none.

Who is released and who is withheld matters: the graph must hold the very originals that the
one-to-one match takes for released.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.guarantees import Guarantee
from shoal.verifier.anonymity_set import AnonymitySet
from shoal.verifier.assignment import exactly
from shoal.verifier.components import exchangeable
from shoal.verifier.grouping import group_rows
from shoal.verifier.reach import Condition, Reach
from shoal.verifier.transport import fill
from shoal.verifier.verdict import Check, name_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.grouping import Groups
    from shoal.verifier.reach import Report
    from shoal.verifier.transport import Watch
    from shoal.verifier.witness import Tables

# What a flow can carry through a pair of groups: its solver counts in 32 bits.
_LARGEST_FLOW = 2**31 - 1


class CoverGraph:
    """Which released records cover which originals, equal ones folded.

    Parameters
    ----------
    ks
        Among how many each original is to hide; those that differ in it are not folded.
    """

    def __init__(self, tables: Tables, ks: NDArray[np.int64], watch: Watch | None = None) -> None:
        self._watch = watch
        self._coverages = tables.coverages
        self.kept = np.flatnonzero(tables.kept)
        shown = [c.values[self.kept] for c in tables.coverages]
        self.originals: Groups = group_rows([*shown, ks[self.kept]])
        self.ks = ks[self.kept[self.originals.first]]
        self.released: Groups = group_rows([c.cells for c in tables.coverages])
        self.withheld = len(self.kept) - len(tables.released)
        self.reach = Reach(tables.coverages, self.kept[self.originals.first], self.released.first)
        # How many released records cover each original group, and the other way round.
        self.covers, self.covered = self._count(self.reach)

    def counterparts(self, guarantee: str) -> NDArray[np.int64]:
        """Return among how many released records each original group hides.

        ``(1,k)`` and ``(k,k)`` count the records that cover it, ``concealment`` those that could be
        its own when all others have theirs. ``(k,1)`` requires nothing of originals.
        """
        if guarantee == Guarantee.K_1:
            return np.full(len(self.originals), np.iinfo(np.int64).max)
        return self._possible() if guarantee == Guarantee.CONCEALMENT else self.covers

    def rows_of_originals(self, groups: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the original rows of some groups."""
        return self.kept[np.flatnonzero(groups[self.originals.of_row()])]

    def rows_of_released(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the released rows of some groups."""
        chosen = np.zeros(len(self.released), bool)
        chosen[groups] = True
        return np.flatnonzero(chosen[self.released.of_row()])

    def groups_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the original group of each of these original rows."""
        place = np.searchsorted(self.kept, rows)
        return self.originals.of_row()[place]

    def _possible(self) -> NDArray[np.int64]:
        """Return how many released records lie in a perfect matching with each original group.

        Given one perfect matching, a pair lies in another exactly when an alternating cycle leads
        through it: its ends are in one strongly connected component.
        """
        found = fill(self.originals.sizes, self.released.sizes, self.reach, watch=self._watch)
        if len(found.short):
            return np.zeros(len(self.originals), np.int64)
        used = np.bincount(found.original, found.amount, len(self.originals)).astype(np.int64)
        released, originals = exchangeable(
            self.reach,
            found,
            self.originals.sizes - used,
            self.covered,
            report=self._reporting("exchanges"),
            warn=None if self._watch is None else partial(self._watch, "many exchanges", 0.0),
        )
        if (originals == released[0]).all():
            return self.covers  # everybody can be exchanged for everybody
        same = Condition(originals, exactly(released))
        rows = self.kept[self.originals.first]
        return self._count(Reach(self._coverages, rows, self.released.first, [same]))[0]

    def _count(self, reach: Reach) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return reach.count(self.originals.sizes, self.released.sizes, self._reporting("count"))

    def _reporting(self, stage: str) -> Report | None:
        return None if self._watch is None else partial(self._watch, stage)


def count_counterparts(
    graph: CoverGraph,
    counterparts: NDArray[np.int64],
    used: NDArray[np.int64],
    guarantee: str,
    k: int,
) -> AnonymitySet:
    """Check the weaker guarantees of the literature, which count covers but weigh none.

    Parameters
    ----------
    counterparts
        For each original group how many records it hides among.
    used
        The original rows that are released.
    """
    checks = []
    least = []
    if guarantee != Guarantee.K_1:
        groups = graph.groups_of(used)
        counts, ks = counterparts[groups], graph.ks[groups]
        verb = "left with" if guarantee == Guarantee.CONCEALMENT else "covered by"
        noun = "possible counterparts" if guarantee == Guarantee.CONCEALMENT else "released records"
        few = np.sort(used[counts < ks])
        most = int(ks.max(initial=k))
        enough = (
            f"at least {k} {noun}" if most == k else f"as many {noun} as it requires, up to {most}"
        )
        fewer = f"fewer than {k} {noun}" if most == k else f"fewer {noun} than they require"
        detail = (
            f"{len(few):,} released originals are {verb} {fewer}: original {name_rows(few)}"
            if len(few)
            else f"each released original is {verb} {enough}"
        )
        checks.append(Check(f"{k} {noun}", passed=not len(few), detail=detail))
        least.append(int(counts.min()))
    if guarantee in (Guarantee.K_1, Guarantee.K_K):
        rows = graph.rows_of_released(np.flatnonzero(graph.covered < k))
        detail = (
            f"release {name_rows(rows)}: fewer than {k} originals are covered"
            if len(rows)
            else f"each released record covers at least {k} originals"
        )
        checks.append(Check(f"{k} originals of each record", passed=not len(rows), detail=detail))
        least.append(int(graph.covered.min()))
    return AnonymitySet(
        tuple(checks),
        min(least),
        f"the covers of every record were counted, as {guarantee} requires; their chances may "
        "differ, so this is less than k-anonymity",
    )


def find_matchings(
    graph: CoverGraph,
    used: NDArray[np.int64],
    k: int,
    *,
    certain: bool,
    watch: Watch | None = None,
) -> AnonymitySet:
    """Show that every released record hides among k of the released originals, or that it cannot.

    Where originals require more than k, there are more matchings, and pairs of an original that
    requires less may be in several of them: its chances are then at most one over its own k.

    Parameters
    ----------
    used
        The original rows that are released.
    certain
        Whether these are known to be the released ones, not only one way to choose them.
    """
    groups = graph.groups_of(used)
    supply = np.bincount(groups, minlength=len(graph.originals))
    counts = np.repeat(graph.covers, supply)
    # What goes beyond k is an accident of cells that happen to fit; nothing is built on it.
    many = f"by {counts.mean():,.1f} on average and up to {counts.max():,}"
    most = int(graph.ks[groups].max(initial=k))
    needed = f"{k}" if most == k else f"{k} to {most}"
    few = np.sort(used[graph.covers[groups] < graph.ks[groups]])
    name = f"{needed} counterparts of each original"
    if len(few):
        least = int(graph.covers[graph.groups_of(few)].min())
        fewer = f"fewer than {k} released records"
        if most > k:
            fewer = "fewer released records than they require"
        detail = (
            f"{len(few):,} released originals are covered by {fewer}, one of them by {least}: "
            f"original {name_rows(few)}"
        )
        proof = "the covers of every released original were counted"
        return AnonymitySet((Check(name, passed=False, detail=detail),), min(k, least), proof)
    enough = Check(
        name,
        passed=True,
        detail=f"each released original is covered by at least {needed} released records ({many}; "
        f"more than {needed} are not counted on)",
    )
    times, of_pair = _matchings_wanted(graph, supply, k)
    found = fill(
        supply, graph.released.sizes, graph.reach, times=times, of_pair=of_pair, watch=watch
    )
    effort = (
        f"{len(used):,} released originals folded into {np.count_nonzero(supply):,} groups and as "
        f"many released records into {len(graph.released):,}, a flow of {times} units for each "
        f"record over {found.pairs:,} pairs"
    )
    shared = "without a common pair"
    name = f"{times} disjoint perfect matchings"
    if most > k:
        shared = "in which no pair is more often than its original allows"
        name = f"{times} perfect matchings, no pair too often"
    if len(found.short):
        rows = graph.rows_of_released(found.short)
        detail = (
            f"no {times} perfect matchings {shared} exist: release {name_rows(rows)} "
            f"({len(rows):,} in all) need {times * len(rows):,} pairs and can have "
            f"{found.reached:,}; so some counterparts are likelier than others"
        )
        if not certain and graph.withheld:
            detail = (
                "that each released record has the same chance among its counterparts cannot be "
                "shown from the two files alone, which do not show who was withheld; give the "
                f"custody file. With the originals that were taken for released, {detail}"
            )
        checks = (enough, Check(name, passed=False, detail=detail))
        return AnonymitySet(checks, k - 1, f"{effort}, fell short")
    regular = Check(
        name,
        passed=True,
        detail=f"every released record has {times} originals and no original more than {times} "
        f"released records, which divides into {times} matchings {shared}",
    )
    gives = f"gives each of a record's {k} counterparts the same chance"
    if most > k:
        gives = "ties no original to a released record with a chance of more than one over its k"
    return AnonymitySet(
        (enough, regular),
        k,
        f"{effort}, found {times} matchings: a draw among them {gives}; that the published one was "
        "drawn so, no file can show",
    )


def _matchings_wanted(
    graph: CoverGraph, supply: NDArray[np.int64], k: int
) -> tuple[int, NDArray[np.int64]]:
    """Return how many matchings there are to be, and in how many each original's pairs may be.

    An original that requires l counterparts has each in at most one of l matchings. Where the ks
    have no common multiple that a flow can carry, k, 2k, 4k and so on take their place, the next
    for each: who hides among more than required hides among as many as required.
    """
    wanted = np.unique(graph.ks[supply > 0])
    times = math.lcm(*wanted.tolist())
    if times * int(max(supply.max(), graph.released.sizes.max())) > _LARGEST_FLOW:
        doubled = k * 2 ** np.arange(math.ceil(math.log2(wanted[-1] / k)) + 1)
        return int(doubled[-1]), doubled[-1] // doubled[np.searchsorted(doubled, graph.ks)]
    return times, times // graph.ks
