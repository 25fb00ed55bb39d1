"""How many records of one table each record of another could be: compatible in every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import FoldedRows
from shoal.risks.covers import Column, CoveredColumn, Records, generalizes, read_covers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

# Pairs of distinct records that are compared at most; beyond, records are drawn at random.
MOST_PAIRS = 2_000_000_000
_AT_ONCE = 128
# What is drawn decides a figure, never a release, so it need not be secret.
_SEED = 1


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """For some records of a table the number of compatible records of another.

    Parameters
    ----------
    records
        The records that were looked at.
    counts
        How many records of the other table each of them could be.
    complete
        Whether these are all records, or some that were drawn at random.
    """

    records: NDArray[np.int64]
    counts: NDArray[np.int64]
    complete: bool


def overlaps_itself(table: pl.DataFrame, columns: Sequence[Column]) -> bool:
    """Return whether records of a table may match more than those that look the same."""
    return any(generalizes(column, table) for column in columns)


def count_matches(
    table: Records, others: Records, columns: Sequence[Column], most_pairs: int = MOST_PAIRS
) -> Matches:
    """Count for each record of a table the compatible records of another, or of itself.

    Two records are compatible when in every column one value could stand behind both cells: ``*``
    matches anything, ``[30..40]`` with ``[35..50]``, a node with its leaves.

    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["30", "[25..35]", "*", "60"]})
    >>> count_matches(Records(table), Records(table), [Column("age")]).counts.tolist()
    [3, 3, 4, 2]
    """
    n = table.table.height
    read = [read_covers(column, (table, others)) for column in columns]
    left, right = [pair[0] for pair in read], [pair[1] for pair in read]
    targets = FoldedRows.of([column.codes for column in right])
    drawn = np.arange(n, dtype=np.int64)
    complete = True
    folded = FoldedRows.of([column.codes for column in left])
    if len(folded.first) * len(targets.first) > most_pairs:
        size = max(1, min(n, most_pairs // max(len(targets.first), 1)))
        rng = np.random.default_rng(_SEED)
        drawn = np.sort(rng.choice(n, size=size, replace=False))
        folded = FoldedRows.of([column.codes[drawn] for column in left])
        complete = False
    counts = _counts(
        [column.codes[drawn[folded.first]] for column in left],
        [column.codes[targets.first] for column in right],
        targets.counts.astype(np.int64),
        list(zip(left, right, strict=True)),
    )
    return Matches(drawn, counts[folded.row_of], complete)


def _counts(
    rows: Sequence[NDArray[np.uint32]],
    targets: Sequence[NDArray[np.uint32]],
    weights: NDArray[np.int64],
    columns: Sequence[tuple[CoveredColumn, CoveredColumn]],
) -> NDArray[np.int64]:
    """Return for each row the weight of the compatible targets.

    Rows are taken in order, so that those of a block are alike and few targets are left after the
    first columns.
    """
    order = np.lexsort(rows[::-1])
    counts = np.empty(len(order), dtype=np.int64)
    for start in range(0, len(order), _AT_ONCE):
        block = order[start : start + _AT_ONCE]
        left = np.arange(len(weights))
        fits = np.ones((len(block), len(weights)), dtype=np.bool_)
        for codes, others, (column, other) in zip(rows, targets, columns, strict=True):
            cells, place = np.unique(codes[block], return_inverse=True)
            compatible = column.covers.compatible(cells.astype(np.int64), other.covers)
            fits &= compatible[:, others[left]][place]
            kept = fits.any(axis=0)
            if not kept.all():
                left, fits = left[kept], fits[:, kept]
        counts[block] = fits @ weights[left]
    return counts
