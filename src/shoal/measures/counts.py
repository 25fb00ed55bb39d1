"""Counting: pairs of codes, and the records that closures cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding.closures import Sets, Spans
from shoal.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.encoding.closures import Closures

_LARGEST_TABLE = 2**26
_PAIRS_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """How often each pair of codes occurs, for the pairs that do, sorted by first and second."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    count: NDArray[np.int64]


def count_pairs(
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    count: NDArray[np.integer] | None = None,
) -> PairCounts:
    """Count the pairs; each stands for ``count`` records, one where not given."""
    width = int(second.max(initial=0)) + 1
    keys = first.astype(np.int64) * width + second
    span = int(keys.max(initial=0)) + 1
    if span <= max(_LARGEST_TABLE // 64, 4 * len(keys)) and span <= _LARGEST_TABLE:
        table = np.bincount(keys, count, minlength=span)
        found = np.flatnonzero(table)
        return PairCounts(found // width, found % width, table[found].astype(np.int64))
    found, index = np.unique(keys, return_inverse=True)
    summed = np.bincount(index, count).astype(np.int64)
    return PairCounts(found // width, found % width, summed)


def covered(counts: NDArray[np.int64], closures: Closures) -> NDArray[np.int64]:
    """Return how many records each closure covers, given how many have each code."""
    if isinstance(closures, Spans):
        below = _below(counts)
        return below[closures.last + 1] - below[closures.first]
    owner = np.repeat(np.arange(len(closures)), closures.counts)
    found = np.bincount(owner, counts[closures.members], minlength=len(closures))
    return found.astype(np.int64)


def _below(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    # A closure that covers everything may end at the code after the last one.
    return np.concatenate(([0], np.cumsum(counts), [counts.sum()])).astype(np.int64)


def covered_with(
    joint: PairCounts,
    size: int,
    closures: Closures,
    places: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many records have both a code in a closure and a value, for each pair of them.

    Parameters
    ----------
    joint
        How often each value (first) occurs with each code (second).
    size
        Number of codes.
    closures, places, values
        Pair i is the closure ``closures[places[i]]`` and ``values[i]``.
    """
    if isinstance(closures, Spans):
        keys = joint.first * (size + 1) + joint.second
        below = np.concatenate(([0], np.cumsum(joint.count)))
        lowest = np.searchsorted(keys, values * (size + 1) + closures.first[places])
        beyond = np.searchsorted(keys, values * (size + 1) + closures.last[places], side="right")
        return np.asarray(below[beyond] - below[lowest], np.int64)
    return _covered_with_sets(joint, size, closures, places, values)


def _covered_with_sets(
    joint: PairCounts,
    size: int,
    sets: Sets,
    places: NDArray[np.int64],
    values: NDArray[np.int64],
) -> NDArray[np.int64]:
    width = int(max(joint.first.max(initial=0), values.max(initial=0))) + 1
    by_code = np.argsort(joint.second, kind="stable")
    held = np.bincount(joint.second, minlength=size)
    first = np.cumsum(held) - held
    owner = np.repeat(np.arange(len(sets)), sets.counts)
    # The pairs of every member of every set, a bounded number at a time.
    spent = np.cumsum(held[sets.members])
    found: list[PairCounts] = []
    begin = 0
    while begin < len(owner):
        before = int(spent[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(spent, before + _PAIRS_AT_ONCE, side="right")))
        members = sets.members[begin:end]
        times = held[members]
        place = np.repeat(first[members] - (np.cumsum(times) - times), times)
        pairs = by_code[place + np.arange(len(place))]
        owners = np.repeat(owner[begin:end], times)
        found.append(count_pairs(owners, joint.first[pairs], joint.count[pairs]))
        begin = end
    every = _sum_pairs(found)
    keys = every.first * width + every.second
    wanted = places * width + values
    where = np.searchsorted(keys, wanted)
    known = np.append(keys, -1)[where] == wanted
    return np.where(known, np.append(every.count, 0)[where], 0).astype(np.int64)


def _sum_pairs(parts: list[PairCounts]) -> PairCounts:
    if len(parts) == 1:
        return parts[0]
    first, second, count = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, name) for part in parts)])
        for name in ("first", "second", "count")
    )
    return count_pairs(first, second, count)


def log2_ratio(
    part: NDArray[np.integer], whole: NDArray[np.integer] | int, column: str
) -> NDArray[np.float64]:
    """Return log2(part / whole).

    Raises
    ------
    InputError
        If a part is nothing: then the release shows what the original never had.
    """
    if (part == 0).any():
        raise InputError(
            f"The release's column {column!r} shows cells that cover no record of the original, "
            f"or none with the target value beside them.",
            remedy="Give the two tables that belong together; shoal verify names the rows.",
        )
    return np.log2(part / whole)


def entropy_of_counts(counts: NDArray[np.integer]) -> float:
    """Return the entropy in bits of a distribution given by counts."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares @ np.log2(shares))) + 0.0
