"""Persons: how many different ones a class holds, for certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.table.cells import distinct_cells
from shoal.verifier.assignment import untouched_blocks
from shoal.verifier.grouping import Groups, group_rows, ranges
from shoal.verifier.reach import Reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.witness import Tables


def person_codes(tables: Tables) -> NDArray[np.int64]:
    """Return the person of each original row; rows without one count as one person together."""
    assert tables.schema.person is not None
    return distinct_cells(tables.original[tables.schema.person]).codes.astype(np.int64)


def persons_by_witness(
    tables: Tables, groups: Groups, witness: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of distinct persons in each group of released rows."""
    of_row = groups.of_row()
    pairs = group_rows([of_row, person_codes(tables)[witness]])
    return np.bincount(of_row[pairs.first], minlength=len(groups))


def fewest_persons(tables: Tables, groups: Groups, k: int) -> NDArray[np.int64]:
    """Return how many persons each group holds at least, whatever the assignment.

    A group is filled with the persons that could give it most rows. A person can give a row that
    the group's cells cover and whose sensitive and other values stand in the group, no more often
    than they stand there. Groups that are large enough for k persons even if everyone gave as
    many rows as anyone has are not looked at closer.
    """
    persons = person_codes(tables)
    kept = np.flatnonzero(tables.kept)
    most_rows = int(np.bincount(persons[kept]).max(initial=1))
    fewest = -(-groups.sizes // most_rows)
    close = np.flatnonzero((fewest < k) & (groups.sizes >= k))
    if not len(close):
        return fewest

    folded = group_rows([coverage.values[kept] for coverage in tables.coverages])
    block_of_original, block_of_released = untouched_blocks(tables)
    reach = Reach(tables.coverages, kept[folded.first], groups.first[close])
    for place, covered in reach.originals_of_each(np.arange(len(close))):
        group = close[place]
        rows = kept[folded.rows[ranges(folded.starts[covered], folded.starts[covered + 1])]]
        members = groups.rows[groups.starts[group] : groups.starts[group + 1]]
        possible = _possible_rows(
            persons[rows], block_of_original[rows], block_of_released[members]
        )
        gathered = np.cumsum(np.sort(possible)[::-1])
        needed = int(np.searchsorted(gathered, groups.sizes[group])) + 1
        fewest[group] = min(needed, len(possible))
    return fewest


def _possible_rows(
    persons: NDArray[np.int64],
    blocks: NDArray[np.int64],
    wanted_blocks: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many rows each person could give, at most as many of a block as are wanted."""
    wanted, wanted_counts = np.unique(wanted_blocks, return_counts=True)
    useful = np.isin(blocks, wanted)
    if not useful.any():
        return np.empty(0, np.int64)
    pairs = group_rows([persons[useful], blocks[useful]])
    limit = wanted_counts[np.searchsorted(wanted, blocks[useful][pairs.first])]
    given = np.minimum(pairs.sizes, limit)
    _, giver = np.unique(persons[useful][pairs.first], return_inverse=True)
    return np.bincount(giver, weights=given).astype(np.int64)
