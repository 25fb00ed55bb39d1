"""The linear check of given matches: the k originals that each freeform record covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.anonymity_set import AnonymitySet
from shoal.verifier.verdict import Check, name_rows
from shoal.verifier.witness import uncovered_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.verifier.witness import Tables


def check_matches(
    matches: NDArray[np.int64], witness: NDArray[np.int64], tables: Tables, k: int
) -> AnonymitySet:
    """Check given matches: for each released row the k originals that it covers.

    Rows without matches, all negative, are records whose cells say nothing; they must be k or more,
    and count as matched with each other.
    """
    name = f"{k} matches of each record"
    proof = "the given matches were checked one by one"
    shape = (len(tables.released), k)
    if matches.shape != shape or not np.issubdtype(matches.dtype, np.integer):
        detail = (
            f"the matches have shape {matches.shape}, not {shape[0]:,} rows of {k} whole numbers"
        )
        return AnonymitySet((Check(name, passed=False, detail=detail),), 0, proof)
    apart = np.asarray((matches < 0).all(axis=1))
    rows = np.flatnonzero(~apart)
    wrong = [
        *_faults_of_rows_apart(apart, tables, k),
        *_faults_of_graph(matches[rows], witness[rows], tables, rows, k),
    ]
    if wrong:
        fault = "; ".join(wrong)
        return AnonymitySet((Check(name, passed=False, detail=fault),), 0, proof)
    detail = (
        f"each of {len(rows):,} released records has {k} different originals, its own among them, "
        f"and no original is matched more than {k} times"
    )
    if apart.any():
        detail += f"; {np.count_nonzero(apart):,} show nothing and are a class of their own"
    faults = []
    flat = matches[rows].ravel()
    owner = np.repeat(rows, k)
    for coverage in tables.coverages:
        bad = np.unique(owner[uncovered_rows(coverage, flat, coverage.cells[owner])])
        if len(bad):
            faults.append(f"column {coverage.attribute.name!r}: release {name_rows(bad)}")
    covering = Check(
        "cells cover all matches",
        passed=not faults,
        detail=f"cells that do not cover a match: {'; '.join(faults)}"
        if faults
        else f"all cells cover all {k} originals they are matched with",
    )
    return AnonymitySet(
        (Check(name, passed=True, detail=detail), covering),
        0 if faults else k,
        f"{proof}: they divide into {k} matchings without a common pair, and a draw among these "
        "gives each counterpart the same chance",
    )


def _faults_of_rows_apart(apart: NDArray[np.bool_], tables: Tables, k: int) -> Iterator[str]:
    rows = np.flatnonzero(apart)
    telling = np.zeros(len(rows), bool)
    for coverage in tables.coverages:
        telling |= ~coverage.starred[coverage.cells[rows]]
    if telling.any():
        yield f"release {name_rows(rows[telling])}: no matches, though cells say something"
    if 0 < len(rows) < k:
        yield f"release {name_rows(rows)}: no matches, and fewer than {k} such rows"


def _faults_of_graph(
    matches: NDArray[np.int64],
    witness: NDArray[np.int64],
    tables: Tables,
    rows: NDArray[np.int64],
    k: int,
) -> Iterator[str]:
    outside = rows[((matches < 0) | (matches >= len(tables.original))).any(axis=1)]
    if len(outside):
        yield f"release {name_rows(outside)}: matched with no row of the original"
        return
    ordered = np.sort(matches, axis=1)
    twice = rows[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    if len(twice):
        yield f"release {name_rows(twice)}: matched with an original twice"
    own = rows[~(matches == witness[:, None]).any(axis=1)]
    if len(own):
        yield f"release {name_rows(own)}: its own original is not among its matches"
    aside = rows[~tables.kept[matches].all(axis=1)]
    if len(aside):
        yield f"release {name_rows(aside)}: matched with an original that is to be dropped"
    uses = np.bincount(matches.ravel(), minlength=len(tables.original))
    much = np.flatnonzero(uses > k)
    if len(much):
        yield f"original {name_rows(much)}: matched more than {k} times"
    few = np.count_nonzero((uses > 0) & (uses < k))
    if few:
        yield f"{few:,} originals are matched, but fewer than {k} times"
