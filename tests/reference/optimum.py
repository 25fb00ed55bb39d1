"""The least loss of all divisions of a tiny table into classes, by trying every one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.loss import class_loss

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from shoal.table import Schema


def divisions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield every division of the rows into classes of at least k."""
    if not rows:
        yield []
        return
    head, rest = rows[0], rows[1:]
    for mask in range(1 << len(rest)):
        block = [head] + [row for place, row in enumerate(rest) if mask >> place & 1]
        left = [row for place, row in enumerate(rest) if not mask >> place & 1]
        if len(block) >= k and (not left or len(left) >= k):
            for others in divisions(left, k):
                yield [block, *others]


def least_loss(frame: pl.DataFrame, schema: Schema, k: int) -> float:
    """Return the least loss per record of any division into classes of at least k."""
    known: dict[tuple[int, ...], float] = {}

    def cost(rows: list[int]) -> float:
        key = tuple(rows)
        if key not in known:
            known[key] = len(rows) * class_loss(frame, schema, rows)
        return known[key]

    rows = list(range(frame.height))
    return min(sum(map(cost, division)) for division in divisions(rows, k)) / frame.height
