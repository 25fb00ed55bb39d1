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
    matches: NDArray[np.int64], witness: NDArray[np.int64], tables: Tables, ks: NDArray[np.int64]
) -> AnonymitySet:
    """Check given matches: for each released row the k originals that it covers.

    Rows without matches, all negative, are records whose cells say nothing; they must be k or more,
    and count as matched with each other. Under a personal k some rows have more matches than
    others, which are filled up with negative numbers. All matches of a row must require no more
    than it has, and stand in as many rows, which have as many: then each is as likely.

    Parameters
    ----------
    ks
        Among how many each original is to hide.
    """
    k, most = int(ks.min()), int(ks.max())
    needed = f"{k}" if most == k else f"{k} to {most}"
    name = f"{needed} matches of each record"
    proof = "the given matches were checked one by one"
    fits = matches.ndim == 2 and len(matches) == len(tables.released)
    fits = fits and (matches.shape[1] == k if most == k else matches.shape[1] >= k)
    if not fits or not np.issubdtype(matches.dtype, np.integer):
        detail = (
            f"the matches have shape {matches.shape}, not {len(tables.released):,} rows of "
            f"{needed} whole numbers"
        )
        return AnonymitySet((Check(name, passed=False, detail=detail),), 0, proof)
    apart = np.asarray((matches < 0).all(axis=1))
    rows = np.flatnonzero(~apart)
    wrong = [
        *_faults_of_rows_apart(apart, witness, tables, ks),
        *_faults_of_graph(matches[rows], witness[rows], tables, rows, ks),
    ]
    if wrong:
        fault = "; ".join(wrong)
        return AnonymitySet((Check(name, passed=False, detail=fault),), 0, proof)
    detail = (
        f"each of {len(rows):,} released records has {needed} different originals, its own among "
        f"them, and no original is matched more than {needed} times"
    )
    if apart.any():
        detail += f"; {np.count_nonzero(apart):,} show nothing and are a class of their own"
    faults = []
    flat = matches[rows].ravel()
    owner = np.repeat(rows, matches.shape[1])[flat >= 0]
    flat = flat[flat >= 0]
    for coverage in tables.coverages:
        bad = np.unique(owner[uncovered_rows(coverage, flat, coverage.cells[owner])])
        if len(bad):
            faults.append(f"column {coverage.attribute.name!r}: release {name_rows(bad)}")
    covering = Check(
        "cells cover all matches",
        passed=not faults,
        detail=f"cells that do not cover a match: {'; '.join(faults)}"
        if faults
        else f"all cells cover all {needed} originals they are matched with",
    )
    divides = f"they divide into {k} matchings without a common pair, and a draw among these gives"
    if most > k:
        divides = (
            "each part of them divides into as many matchings without a common pair as its "
            "records have matches, no fewer than any of its originals requires, and a draw among "
            "these gives"
        )
    return AnonymitySet(
        (Check(name, passed=True, detail=detail), covering),
        0 if faults else k,
        f"{proof}: {divides} each counterpart the same chance",
    )


def _faults_of_rows_apart(
    apart: NDArray[np.bool_], witness: NDArray[np.int64], tables: Tables, ks: NDArray[np.int64]
) -> Iterator[str]:
    rows = np.flatnonzero(apart)
    telling = np.zeros(len(rows), bool)
    for coverage in tables.coverages:
        telling |= ~coverage.starred[coverage.cells[rows]]
    if telling.any():
        yield f"release {name_rows(rows[telling])}: no matches, though cells say something"
    k = int(ks[witness[rows]].max(initial=0))
    if len(rows) < k:
        yield f"release {name_rows(rows)}: no matches, and fewer than {k} such rows"


def _faults_of_graph(
    matches: NDArray[np.int64],
    witness: NDArray[np.int64],
    tables: Tables,
    rows: NDArray[np.int64],
    ks: NDArray[np.int64],
) -> Iterator[str]:
    k, most = int(ks.min()), int(ks.max())
    originals = len(tables.original)
    outside = matches >= originals
    if most == k:
        outside |= matches < 0
    if outside.any():
        yield (
            f"release {name_rows(rows[outside.any(axis=1)])}: matched with no row of the original"
        )
        return
    given = matches >= 0
    ordered = np.sort(matches, axis=1)
    twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    if twice.any():
        yield f"release {name_rows(rows[twice])}: matched with an original twice"
    own = rows[~(matches == witness[:, None]).any(axis=1)]
    if len(own):
        yield f"release {name_rows(own)}: its own original is not among its matches"
    aside = rows[~(tables.kept[matches] | ~given).all(axis=1)]
    if len(aside):
        yield f"release {name_rows(aside)}: matched with an original that is to be dropped"
    number = given.sum(axis=1)
    few = rows[number < np.where(given, ks[matches], 0).max(axis=1, initial=0)]
    if len(few):
        yield f"release {name_rows(few)}: fewer matches than one of them requires"
    uses = np.bincount(matches[given], minlength=originals)
    # Of each row, how often its matches are used beyond, or short of, its own number of matches.
    surplus = np.where(given, uses[matches] - number[:, None], 0)
    much = np.unique(matches[surplus > 0])
    if len(much):
        limit = f"more than {k} times"
        if most > k:
            limit = "more often than a record that it is matched with"
        yield f"original {name_rows(much)}: matched {limit}"
    short = len(np.unique(matches[surplus < 0]))
    if short:
        limit = f"fewer than {k} times"
        if most > k:
            limit = "less often than a record that they are matched with"
        yield f"{short:,} originals are matched, but {limit}"
