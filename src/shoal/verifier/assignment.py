"""Verification from files: find an original for every released record, or prove there is none.

Equal rows of both tables are folded. Records can only be matched when their sensitive and other
values are equal, so the block of equal such values is one more dimension beside the
quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.coverage import Intervals
from shoal.verifier.grouping import group_rows, rank_within
from shoal.verifier.reach import Condition, Reach
from shoal.verifier.transport import fill
from shoal.verifier.unchanged import common_codes
from shoal.verifier.verdict import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.flow import Filling
    from shoal.verifier.grouping import Groups
    from shoal.verifier.transport import Watch
    from shoal.verifier.witness import Tables


@dataclass(frozen=True, slots=True)
class Assignment:
    """An original row for every released row, or the rows that provably cannot all have one.

    Parameters
    ----------
    witness
        For each released row the row of its original; ``None`` when there is no assignment.
    short_rows
        Released rows that together are covered by fewer originals than they are.
    reached
        Number of originals that cover any of them.
    effort
        What was done, in words.
    """

    witness: NDArray[np.int64] | None
    short_rows: NDArray[np.int64]
    reached: int
    effort: str


def untouched_blocks(tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each original and each released row the block of its untouched values."""
    originals = len(tables.original)
    columns = [
        common_codes(tables.original[name], tables.released[name])
        for name in tables.schema.untouched
    ]
    if not columns:
        return np.zeros(originals, np.int64), np.zeros(len(tables.released), np.int64)
    blocks = group_rows(columns).of_row()
    return blocks[:originals], blocks[originals:]


def exactly(positions: NDArray[np.int64]) -> Intervals:
    """Return boxes that cover one position each."""
    return Intervals(positions.astype(np.int32), positions.astype(np.int32))


def assign(
    tables: Tables, eligible: NDArray[np.bool_], *, watch: Watch | None = None
) -> Assignment:
    """Find a one-to-one assignment of originals to all released records, or prove there is none.

    Parameters
    ----------
    eligible
        For each original row whether it may be assigned.
    """
    block_of_original, block_of_released = untouched_blocks(tables)
    kept = np.flatnonzero(eligible)
    if not len(kept):
        rows = np.arange(len(tables.released))
        return Assignment(None, rows, 0, "no original may be in the release")
    originals = group_rows(
        [block_of_original[kept], *(coverage.values[kept] for coverage in tables.coverages)]
    )
    released = group_rows([block_of_released, *(coverage.cells for coverage in tables.coverages)])
    original_rows = kept[originals.first]
    same_block = Condition(
        block_of_original[original_rows], exactly(block_of_released[released.first])
    )
    reach = Reach(tables.coverages, original_rows, released.first, [same_block])
    filling = fill(originals.sizes, released.sizes, reach, watch=watch)
    effort = (
        f"{counted(len(kept), 'original')} folded into {counted(len(originals), 'group')} and "
        f"{counted(len(tables.released), 'released record')} into {len(released):,}, "
        f"a maximum flow over {counted(filling.pairs, 'pair')}"
    )
    if len(filling.short):
        in_short = np.zeros(len(released), bool)
        in_short[filling.short] = True
        rows = np.flatnonzero(in_short[released.of_row()])
        return Assignment(None, rows, filling.reached, effort)
    witness = _expand(filling, originals, released, kept)
    return Assignment(witness, np.empty(0, np.int64), 0, effort)


def _expand(
    filling: Filling, originals: Groups, released: Groups, kept: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the original row of each released row, from amounts between folded groups."""
    from_group = np.repeat(filling.original, filling.amount)
    to_group = np.repeat(filling.released, filling.amount)
    order = np.argsort(from_group, kind="stable")
    ordered = from_group[order]
    row = np.empty(len(order), np.int64)
    row[order] = kept[originals.rows[originals.starts[ordered] + rank_within(ordered)]]
    witness = np.empty(len(released.rows), np.int64)
    witness[released.rows] = row[np.argsort(to_group, kind="stable")]
    return witness
