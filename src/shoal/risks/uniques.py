"""Which columns single people out: minimal combinations on which a record is unique.

A minimal sample unique is a set of columns on which a record is unique, while it is not on any part
of the set. The smaller the set and the more of them a record has, the easier it is to single out.
Scores are those of SUDA (Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import FoldedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger]

# Groupings of records that a search for combinations may make, times records.
WORK = 100_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Uniques:
    """The minimal combinations of columns on which records are unique.

    Parameters
    ----------
    searched
        Largest number of columns in a combination that was looked for.
    combinations
        Each combination, as places of its columns, with the number of records for which it is
        minimal; the most frequent first.
    scores
        For each record its SUDA score: the sum over its combinations of Π (m - i) for i from the
        size of the combination to ``searched``, but below m, of m columns.
    contributions
        For each column the share of all scores that comes from combinations with it.
    alone
        For each column how many records are unique on it alone.
    without
        For each column how many records stay unique on the other columns.
    unique
        Records that are unique on all columns together.
    """

    searched: int
    combinations: tuple[tuple[tuple[int, ...], int], ...]
    scores: NDArray[np.float64]
    contributions: tuple[float, ...]
    alone: tuple[int, ...]
    without: tuple[int, ...]
    unique: int


def find_uniques(
    codes: Sequence[Codes],
    largest: int | None = None,
    work: int = WORK,
    *,
    persons: Codes | None = None,
) -> Uniques:
    """Search for the minimal combinations on which records are unique.

    Parameters
    ----------
    codes
        For each column the codes of its cells.
    largest
        Most columns in a combination; as many as ``work`` allows unless given.
    work
        Groupings times records that the search may take where ``largest`` is not given.
    persons
        For each record whose it is, where a person may have several: a record is unique when those
        that look the same are all of one person.
    """
    m, n = len(codes), len(codes[0])
    searched = min(m, largest if largest is not None else affordable(m, n, work))
    everything = _unique(codes, tuple(range(m)), persons)
    scores = np.zeros(n)
    shares = np.zeros(m)
    counted: dict[tuple[int, ...], int] = {}
    seen: dict[tuple[int, ...], NDArray[np.bool_]] = {(): np.zeros(n, dtype=np.bool_)}
    for size in range(1, searched + 1):
        found: dict[tuple[int, ...], NDArray[np.bool_]] = {}
        weight = float(prod(m - i for i in range(size, min(searched, m - 1) + 1)))
        for columns in combinations(range(m), size):
            smaller = np.zeros(n, dtype=np.bool_)
            for part in combinations(columns, size - 1):
                smaller |= seen[part]
            found[columns] = smaller
            if not (everything & ~smaller).any():
                continue  # nobody is left whom more columns could single out
            unique = everything if size == m else _unique(codes, columns, persons)
            minimal = unique & ~smaller
            found[columns] = unique
            if minimal.any():
                counted[columns] = int(np.count_nonzero(minimal))
                scores[minimal] += weight
                shares[list(columns)] += weight * counted[columns]
        seen = found
    total = float(scores.sum())
    alone = int(np.count_nonzero(everything))
    ranked = sorted(counted.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
    return Uniques(
        searched=searched,
        combinations=tuple(ranked),
        scores=scores,
        contributions=tuple((shares / total if total else shares).tolist()),
        alone=tuple(counted.get((column,), 0) for column in range(m)),
        without=tuple(_unique_without(codes, column, alone, persons) for column in range(m)),
        unique=alone,
    )


def affordable(columns: int, records: int, work: int = WORK) -> int:
    """Return the largest size of combinations that can be searched for this much work.

    >>> affordable(8, 30_000), affordable(8, 1_000_000)
    (8, 3)
    """
    size, spent = 1, columns * records
    while size < columns:
        spent += comb(columns, size + 1) * records
        if spent > work:
            break
        size += 1
    return size


def _unique(
    codes: Sequence[Codes], columns: tuple[int, ...], persons: Codes | None
) -> NDArray[np.bool_]:
    if not columns:
        alone = len(codes[0]) if persons is None else len(np.unique(persons))
        return np.full(len(codes[0]), alone == 1)
    folded = FoldedRows.of([codes[column] for column in columns])
    members = folded.counts.astype(np.int64)
    if persons is not None:
        pairs = FoldedRows.of([folded.row_of.astype(np.uint32), persons])
        members = np.bincount(folded.row_of[pairs.first], minlength=len(members)).astype(np.int64)
    return np.asarray(members[folded.row_of] == 1)


def _unique_without(codes: Sequence[Codes], column: int, unique: int, persons: Codes | None) -> int:
    if not unique:  # nobody whom all columns do not single out
        return 0
    others = tuple(place for place in range(len(codes)) if place != column)
    return int(np.count_nonzero(_unique(codes, others, persons)))
