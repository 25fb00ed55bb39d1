"""Covers: releases in which every record has cells of its own, and hides among k nevertheless.

What a freeform release promises is that each original has k released records that could be its
own, all equally likely to someone who knows the whole table and the algorithm. That can be kept
exactly when a graph can be chosen among the pairs of original and covering released record in
which every record has k partners: such a graph divides into k matchings without a common pair, and
a draw among these gives each partner the chance 1/k. A maximum flow of k units for each record
finds such a graph, or proves that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from shoal.verifier.anonymity_set import Crowd
from shoal.verifier.assignment import Bitmaps
from shoal.verifier.grouping import group_rows
from shoal.verifier.transport import batches, fill, unpack
from shoal.verifier.verdict import Check, name_rows
from shoal.verifier.witness import uncovered_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.grouping import Groups
    from shoal.verifier.witness import Tables


class CoverGraph:
    """Which released records cover which originals, equal ones folded.

    Parameters
    ----------
    tables
        Both tables.
    counted
        For each released row whether it counts as a cover; suppressed records do not.
    """

    def __init__(self, tables: Tables, counted: NDArray[np.bool_]) -> None:
        self.kept = np.flatnonzero(tables.kept)
        self.rows = np.flatnonzero(counted)
        coverages = tables.coverages
        self.originals: Groups = group_rows([c.values[self.kept] for c in coverages])
        self.released: Groups = group_rows([c.cells[self.rows] for c in coverages])
        self.reach = Bitmaps(
            coverages, self.kept[self.originals.first], self.rows[self.released.first]
        )

    def count(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many released records cover each original group, and the other way round."""
        covers = np.zeros(len(self.originals), np.int64)
        covered = np.zeros(len(self.released), np.int64)
        sizes = self.originals.sizes
        for batch in batches(np.arange(len(self.released)), len(self.originals)):
            bits = np.unpackbits(
                self.reach(batch), axis=1, bitorder="little", count=len(self.originals)
            )
            covers += self.released.sizes[batch] @ bits
            covered[batch] = bits @ sizes
        return covers, covered

    def rows_of_originals(self, groups: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the original rows of some groups."""
        return self.kept[np.flatnonzero(groups[self.originals.of_row()])]

    def rows_of_released(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the released rows of some groups."""
        chosen = np.zeros(len(self.released), bool)
        chosen[groups] = True
        return self.rows[np.flatnonzero(chosen[self.released.of_row()])]


def search_crowd(tables: Tables, counted: NDArray[np.bool_], k: int) -> Crowd:
    """Show from the tables alone that every record hides among k, or that it cannot."""
    graph = CoverGraph(tables, counted)
    covers, _ = graph.count()
    away = len(graph.kept) - len(graph.rows)
    few = covers < k
    alone = int(graph.originals.sizes[few].sum())
    fewest = int(covers.min()) if len(covers) else 0
    if alone > away:
        rows = graph.rows_of_originals(few)
        detail = (
            f"{alone:,} originals are covered by fewer than {k} released records, one of them by "
            f"{fewest}: original {name_rows(rows)}"
        )
        return Crowd(
            (Check(f"{k} counterparts of each original", passed=False, detail=detail),),
            fewest,
            "the covers of every original were counted",
        )
    # What goes beyond k is an accident of cells that happen to fit; nothing is built on it.
    many = np.repeat(covers[~few], graph.originals.sizes[~few])
    checks = [
        Check(
            f"{k} counterparts of each original",
            passed=True,
            detail=f"each released original is covered by at least {k} released records (by "
            f"{many.mean():,.1f} on average and up to {many.max():,}; more than {k} are not "
            "counted on)",
        )
    ]
    found = fill(graph.originals.sizes, graph.released.sizes, graph.reach, times=k)
    effort = (
        f"{len(graph.kept):,} originals folded into {len(graph.originals):,} groups and "
        f"{len(graph.rows):,} released records into {len(graph.released):,}, a flow of {k} units a "
        f"record over {found.edges:,} pairs"
    )
    name = f"{k} disjoint perfect matchings"
    if len(found.short):
        rows = graph.rows_of_released(found.short)
        detail = (
            f"no {k} perfect matchings without a common pair exist: release {name_rows(rows)} "
            f"({len(rows):,} in all) need {k * len(rows):,} pairs and can have {found.reached:,}; "
            "so some counterparts are likelier than others"
        )
        return Crowd(
            (*checks, Check(name, passed=False, detail=detail)),
            min(k - 1, fewest),
            f"{effort}, fell short",
        )
    checks.append(
        Check(
            name,
            passed=True,
            detail=f"every released record has {k} originals and no original more than {k} "
            f"released records, which divides into {k} matchings without a common pair",
        )
    )
    return Crowd(
        tuple(checks),
        k,
        f"{effort}, found {k} matchings: a draw among them gives each of a record's {k} "
        "counterparts the same chance; that the published one was drawn so, no file can show",
    )


def check_crowd(
    matches: NDArray[np.int64],
    witness: NDArray[np.int64],
    tables: Tables,
    counted: NDArray[np.bool_],
    k: int,
) -> Crowd:
    """Check given matches: for each released row the k originals that it covers."""
    name = f"{k} matches of each record"
    proof = "the given matches were checked one by one"
    rows = np.flatnonzero(counted)
    fault = _fault_of_shape(matches, len(counted), len(tables.original), rows, k)
    if fault is None:
        fault = _fault_of_graph(matches[rows], witness[rows], tables, rows, k)
    if fault is not None:
        return Crowd((Check(name, passed=False, detail=fault),), 0, proof)
    checks = [
        Check(
            name,
            passed=True,
            detail=f"each of the {len(rows):,} released records has {k} different originals, its "
            f"own among them, and no original is matched more than {k} times",
        )
    ]
    faults = []
    flat = matches[rows].ravel()
    owner = np.repeat(rows, k)
    for coverage in tables.coverages:
        bad = np.unique(owner[uncovered_rows(coverage, flat, coverage.cells[owner])])
        if len(bad):
            faults.append(f"column {coverage.attribute.name!r}: release {name_rows(bad)}")
    checks.append(
        Check(
            "cells cover all matches",
            passed=not faults,
            detail=f"cells that do not cover a match: {'; '.join(faults)}"
            if faults
            else f"all cells cover all {k} originals they are matched with",
        )
    )
    return Crowd(
        tuple(checks),
        0 if faults else k,
        f"{proof}: they divide into {k} matchings without a common pair, and a draw among these "
        "gives each counterpart the same chance",
    )


def _fault_of_shape(
    matches: NDArray[np.int64], released: int, originals: int, rows: NDArray[np.int64], k: int
) -> str | None:
    if matches.shape != (released, k) or not np.issubdtype(matches.dtype, np.integer):
        return f"the matches have shape {matches.shape}, not {released:,} rows of {k} whole numbers"
    given = matches[rows]
    outside = rows[((given < 0) | (given >= originals)).any(axis=1)]
    if len(outside):
        return f"release {name_rows(outside)}: matched with no row of the original"
    return None


def _fault_of_graph(
    matches: NDArray[np.int64],
    witness: NDArray[np.int64],
    tables: Tables,
    rows: NDArray[np.int64],
    k: int,
) -> str | None:
    ordered = np.sort(matches, axis=1)
    twice = rows[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    if len(twice):
        return f"release {name_rows(twice)}: matched with an original twice"
    own = rows[~(matches == witness[:, None]).any(axis=1)]
    if len(own):
        return f"release {name_rows(own)}: its own original is not among its matches"
    aside = rows[~tables.kept[matches].all(axis=1)]
    if len(aside):
        return f"release {name_rows(aside)}: matched with an original that is to be dropped"
    uses = np.bincount(matches.ravel(), minlength=len(tables.original))
    much = np.flatnonzero(uses > k)
    if len(much):
        return f"original {name_rows(much)}: matched more than {k} times"
    few = np.count_nonzero((uses > 0) & (uses < k))
    if few:
        return f"{few:,} originals are matched, but fewer than {k} times"
    return None


def count_crowd(tables: Tables, counted: NDArray[np.bool_], k: int, form: str) -> Crowd:
    """Check the weaker promises of the literature, which count covers but weigh none.

    ``(1,k)``: every original is covered by k released records. ``(k,1)``: every released record
    covers k originals. ``(k,k)``: both. ``concealment``: every original has k released records
    that could be its own when all others have theirs.
    """
    graph = CoverGraph(tables, counted)
    covers, covered = graph.count()
    away = len(graph.kept) - len(graph.rows)
    checks = []
    least = []
    if form != "(k,1)":
        checks.append(_enough_covers(graph, covers, away, k, "covered by", "released records"))
        least.append(covers)
    if form in ("(k,1)", "(k,k)"):
        few = np.flatnonzero(covered < k)
        rows = graph.rows_of_released(few)
        detail = (
            f"release {name_rows(rows)}: fewer than {k} originals are covered"
            if len(rows)
            else f"each released record covers at least {k} originals"
        )
        checks.append(Check(f"{k} originals of each record", passed=not len(rows), detail=detail))
        least.append(covered)
    if form == "concealment":
        possible = _possible(graph, away)
        checks.append(
            _enough_covers(graph, possible, away, k, "left with", "possible counterparts")
        )
        least.append(possible)
    fewest = min(int(np.sort(counts)[min(away, len(counts) - 1)]) for counts in least)
    return Crowd(
        tuple(checks),
        fewest,
        f"the covers of every record were counted, as {form} asks; their chances may differ, so "
        "this is less than k-anonymity",
    )


def _enough_covers(  # noqa: PLR0917 (what is counted, and how to say it)
    graph: CoverGraph, covers: NDArray[np.int64], away: int, k: int, verb: str, noun: str
) -> Check:
    few = covers < k
    alone = int(graph.originals.sizes[few].sum())
    detail = (
        f"{alone:,} originals are {verb} fewer than {k} {noun}: original "
        f"{name_rows(graph.rows_of_originals(few))}"
        if alone > away
        else f"each released original is {verb} at least {k} {noun}"
    )
    return Check(f"{k} {noun}", passed=alone <= away, detail=detail)


def _possible(graph: CoverGraph, away: int) -> NDArray[np.int64]:
    """Return for each original group how many released records lie in a perfect matching with it.

    Given one perfect matching, a pair lies in another exactly when an alternating cycle leads
    through it: its ends are in one strongly connected component.
    """
    # Originals that are withheld are matched with nobody: one more released group reaches all.
    groups, originals = len(graph.released) + 1, len(graph.originals)
    everyone = np.packbits(np.ones(originals, bool), bitorder="little")

    def reach(asked: NDArray[np.int64], /) -> NDArray[np.uint8]:
        bits = graph.reach(np.minimum(asked, groups - 2)).copy()
        bits[asked == groups - 1] = everyone
        return bits

    demand = np.append(graph.released.sizes, away)
    found = fill(graph.originals.sizes, demand, reach)
    if len(found.short):
        return np.zeros(originals, np.int64)
    listed = [
        (batch[rows], columns)
        for batch in batches(np.arange(groups if away else groups - 1), originals)
        for rows, columns in [unpack(reach(batch), originals)]
    ]
    released = np.concatenate([part[0] for part in listed])
    original = np.concatenate([part[1] for part in listed])
    tail = np.concatenate([released, found.original + groups])
    head = np.concatenate([original + groups, found.released])
    size = groups + originals
    graph_of_exchanges = csr_array((np.ones(len(tail), np.int8), (tail, head)), shape=(size, size))
    _, component = connected_components(graph_of_exchanges, directed=True, connection="strong")
    good = (component[released] == component[original + groups]) & (released < groups - 1)
    counts = np.append(graph.released.sizes, 0)[released[good]]
    return np.bincount(original[good], weights=counts, minlength=originals).astype(np.int64)
