"""How much detail is left in each column of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.reports.distributions import Counted
from shoal.reports.report import ColumnDetail
from shoal.risks.covers import MISSING, Records, ordered_spans, read_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.encoding.parse import Cell
    from shoal.hierarchies import Hierarchy
    from shoal.risks.covers import Column

_DAY = 86_400_000_000.0


def column_detail(
    column: Column, kind: str, released: pl.DataFrame, *, ordered: bool, loss: float | None
) -> ColumnDetail:
    """Return how many cells of a column are exact, missing, generalized or hidden, and how wide."""
    counted = Counted.of(Records(released), column)
    total = max(int(counted.counts.sum()), 1)
    stars = np.array([cell is None for cell in counted.cells])
    missing = np.array([cell == [MISSING] for cell in counted.cells])
    exact = np.array([_is_exact(cell, column.hierarchy) for cell in counted.cells]) & ~missing
    several = ~stars & ~exact & ~missing
    return ColumnDetail(
        column=column.name,
        kind=kind,
        exact=int(counted.counts[exact].sum()) / total,
        missing=int(counted.counts[missing].sum()) / total,
        generalized=int(counted.counts[several].sum()) / total,
        hidden=int(counted.counts[stars].sum()) / total,
        typical=_typical(column, counted, several, ordered=ordered),
        loss=loss,
    )


def generalized_rows(columns: Sequence[Column], released: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which records show a cell that covers several values, or nothing."""
    records = Records(released)
    found = np.zeros(released.height, dtype=np.bool_)
    for column in columns:
        cells, codes = records.cells(column)
        exact = np.array([_is_exact(cell, column.hierarchy) for cell in cells], dtype=np.bool_)
        found |= ~exact[codes]
    return found


def _duration(days: float) -> str:
    """Return a time for people.

    >>> _duration(0.5), _duration(55), _duration(2922)
    ('12 hours', '55 days', '8 years')
    """
    if days < 2:
        return f"{24 * days:.3g} hours"
    return f"{days:.0f} days" if days < 730 else f"{days / 365.25:.3g} years"


def _is_exact(cell: Cell, tree: Hierarchy | None) -> bool:
    if cell is None:
        return False
    if isinstance(cell, tuple):
        return cell[0] == cell[1]
    return len(cell) == 1 and (tree is None or cell[0] in tree.position)


def _typical(
    column: Column, counted: Counted, several: np.ndarray[tuple[int], np.dtype[np.bool_]],
    *, ordered: bool,
) -> str:  # fmt: skip
    counts = counted.counts[several]
    if not counts.sum():
        return "–"
    cells = [cell for cell, one in zip(counted.cells, several, strict=True) if one]
    if column.hierarchy is not None:
        return "nodes of its hierarchy"
    scale = read_scale([counted.used], column) if ordered else None
    if scale is None:
        members = np.array([len(cell or ()) for cell in cells])
        return f"{float(members @ counts) / counts.sum():.1f} values on average"
    spans = ordered_spans(cells, scale)
    widths = spans.high - spans.low
    order = np.argsort(widths)
    middle = int(np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2))
    width = float(widths[order][min(middle, len(order) - 1)])
    if scale.kind == "time":
        return f"median width {_duration(width / _DAY)}"
    return f"median width {width:,.4g}" + (" ranks" if scale.kind == "rank" else "")
