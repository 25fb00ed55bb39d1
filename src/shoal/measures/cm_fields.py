"""CM by fields, the classification metric of global recodings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.measures.counts import count_pairs, covered_with
from shoal.measures.measure import measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.measures.released import Released


@measure(
    "cm_fields",
    "The share of records whose target value would be guessed wrongly from some single attribute, "
    "by the majority of all people whom its released cell covers.",
    target=True,
    original=True,
)
def cm_fields(released: Released) -> float:
    """Return the share of records suppressed, or unlike the majority of one of their cells."""
    counts = released.target_counts
    right = np.ones(len(counts.count), dtype=np.bool_)
    for place, column in enumerate(released.recoding.columns):
        right &= _majorities(released, place)[column.index[counts.first]] == counts.second
    return (released.n - int(counts.count[right].sum())) / released.n


def _majorities(released: Released, place: int) -> NDArray[np.int64]:
    """Return the most frequent target value of the records that each closure covers."""
    assert released.target is not None
    closures = released.recoding.columns[place].closures
    values = len(released.target_totals)
    both = covered_with(
        count_pairs(released.target.original, released.codes[place]),
        released.domains[place].size,
        closures,
        np.repeat(np.arange(len(closures)), values),
        np.tile(np.arange(values), len(closures)),
    )
    return np.asarray(both.reshape(len(closures), values).argmax(axis=1), dtype=np.int64)
