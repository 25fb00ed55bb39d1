"""The least loss of tiny tables with withheld records, and all classes there are."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from tests.reference.loss import class_loss
from tests.reference.optimum import divisions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from shoal.table import Schema


def least_loss_with(
    frame: pl.DataFrame,
    schema: Schema,
    k: int,
    *,
    withheld: int = 0,
    sound: Callable[[list[int]], bool] = lambda _: True,
) -> float:
    """Return the least loss per record when some records may be withheld, at a loss of 1 each.

    Parameters
    ----------
    withheld
        Most records that may be withheld.
    sound
        Whether a class meets every privacy model.
    """
    n = frame.height
    best = float("inf")
    for gone in range(1 << n):
        if gone.bit_count() > withheld:
            continue
        rest = [row for row in range(n) if not gone >> row & 1]
        for division in divisions(rest, k):
            if all(map(sound, division)):
                cost = sum(len(rows) * class_loss(frame, schema, rows) for rows in division)
                best = min(best, cost + gone.bit_count())
    return best / n


def multisets(counts: Sequence[int], least: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of rows of such a size that the counts allow."""
    for size in range(least, most + 1):
        for rows in combinations_with_replacement(range(len(counts)), size):
            if all(rows.count(row) <= counts[row] for row in set(rows)):
                yield rows
