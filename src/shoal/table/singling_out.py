"""Which columns, alone and together, single people out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.cells import distinct_cells, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

LARGEST_COMBINATION = 3
RISKY = (3, 5, 10)
_WORK = 20_000_000
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """How far a combination of columns singles people out.

    Parameters
    ----------
    columns
        The columns.
    unique
        Records that no other record equals in them.
    below_five
        Records that fewer than four others equal in them.
    """

    columns: tuple[str, ...]
    unique: int
    below_five: int


def singling_out(frame: pl.DataFrame, names: Sequence[str]) -> tuple[SinglingOut, ...]:
    """Return the columns and combinations of up to three that single out most, the worst first.

    Of a wide or long table only combinations of the columns that single out most alone are
    counted.
    """
    codes = {name: _codes(frame[name]) for name in names}
    alone = [_count((name,), codes) for name in names]
    alone.sort(key=lambda one: (-one.unique, -one.below_five, -_values(codes[one.columns[0]])))
    width = len(names)
    while width > 3 and frame.height * width**3 / 6 > _WORK:
        width -= 1
    leading = [one.columns[0] for one in alone[:width]]
    found = []
    for size in range(1, LARGEST_COMBINATION + 1):
        counted = alone if size == 1 else [_count(c, codes) for c in combinations(leading, size)]
        counted = [one for one in counted if one.unique or one.below_five]
        found += sorted(counted, key=lambda one: (-one.unique, -one.below_five))[:_SHOWN]
    return tuple(sorted(found, key=lambda one: (-one.unique, -one.below_five, len(one.columns))))


def group_sizes(frame: pl.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the sizes of the groups of records that are equal in all these columns."""
    if not names:
        return np.array([frame.height], dtype=np.int64)
    codes = {name: _codes(frame[name]) for name in names}
    return _sizes(tuple(names), codes)


def _codes(series: pl.Series) -> NDArray[np.int64]:
    return distinct_cells(texts(series)).codes.astype(np.int64)


def _values(codes: NDArray[np.int64]) -> int:
    return int(codes.max(initial=0)) + 1


def _count(names: tuple[str, ...], codes: dict[str, NDArray[np.int64]]) -> SinglingOut:
    sizes = _sizes(names, codes)
    return SinglingOut(names, int((sizes == 1).sum()), int(sizes[sizes < 5].sum()))


def _sizes(names: tuple[str, ...], codes: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
    key = codes[names[0]]
    for name in names[1:]:
        width = _values(codes[name])
        if _values(key) * width > 2**62:
            key = np.unique(key, return_inverse=True)[1]
        key = key * width + codes[name]
    if _values(key) <= 4 * len(key) + 1000:
        sizes = np.bincount(key)
        return np.asarray(sizes[sizes > 0])
    return np.unique(key, return_counts=True)[1].astype(np.int64)
