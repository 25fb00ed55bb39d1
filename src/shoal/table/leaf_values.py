"""The values of a column as leaves of its hierarchy: how they are spelled, how often they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import SchemaError, did_you_mean
from shoal.table.cells import DistinctCells, distinct_cells, texts
from shoal.table.kind_detection import is_readable

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.hierarchies import Hierarchy


def require_column(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column of a table, or raise if it does not exist or has no values."""
    if name not in frame.columns:
        raise SchemaError(f"There is no column {name!r}.", remedy=did_you_mean(name, frame.columns))
    if not is_readable(frame[name].dtype):
        raise SchemaError(
            f"Column {name!r} holds cells of the type {frame[name].dtype}: they cannot be grouped.",
            remedy="Turn it into texts, numbers or dates first.",
        )
    return frame[name]


def values_of(series: pl.Series) -> list[str]:
    """Return the distinct present values of a column as its hierarchy must spell them."""
    # In order, as `distinct_cells` does it: of 0.0 and -0.0, which are equal, the first stays.
    distinct = series.drop_nulls().unique(maintain_order=True)
    return texts(distinct).drop_nulls().unique().sort().to_list()


def counts_of(series: pl.Series) -> dict[str, int]:
    """Return how many records hold each present value of a column, by its text."""
    leaves, counts, _ = distinct_leaves(distinct_cells(series))
    return dict(zip(leaves, counts, strict=True))


def distinct_leaves(distinct: DistinctCells) -> tuple[list[str], list[int], NDArray[np.int64]]:
    """Return the distinct texts in order, the records of each, and a cell that shows it."""
    shown = texts(distinct.cells).to_list()
    each = np.bincount(distinct.codes, minlength=len(shown) + 1)[: len(shown)].tolist()
    held: dict[str, int] = {}
    place: dict[str, int] = {}
    for cell, (text, count) in enumerate(zip(shown, each, strict=True)):
        held[text] = held.get(text, 0) + count
        place.setdefault(text, cell)
    leaves = sorted(held)
    return leaves, [held[leaf] for leaf in leaves], np.array([place[leaf] for leaf in leaves], int)


def leaf_codes(distinct: DistinctCells, leaves: list[str]) -> NDArray[np.int64]:
    """Return for each row the place of its text among the leaves; after the last if missing."""
    place = {leaf: code for code, leaf in enumerate(leaves)}
    codes = [*(place[text] for text in texts(distinct.cells)), len(leaves)]
    return np.array(codes, dtype=np.int64)[distinct.codes]


def match_spelling(tree: Hierarchy, series: pl.Series) -> Hierarchy:
    """Return the tree with its leaves spelled as a column of numbers spells them.

    A file says 35 where a frame with missing cells shows 35.0. Columns of texts are left alone:
    there 35 and 35.0 are two values.
    """
    if not series.dtype.is_numeric():
        return tree
    shown = {text: _as_float(text) for text in values_of(series) if text not in tree.position}
    if not shown:
        return tree
    kept = set(values_of(series)) & tree.position.keys()
    by_number: dict[float, list[str]] = {}
    for leaf in tree.leaves:
        number = _as_float(leaf)
        if number is not None and leaf not in kept:
            by_number.setdefault(number, []).append(leaf)
    renamed = {
        by_number[number][0]: text
        for text, number in shown.items()
        if number is not None and len(by_number.get(number, ())) == 1
    }
    if not renamed:
        return tree
    # Imported here: many tables have no hierarchy.
    from shoal.hierarchies import Hierarchy

    return Hierarchy.from_rows(
        [
            [renamed[row[0]] if name == row[0] else name for name in row]
            if row[0] in renamed
            else row
            for row in tree.rows()
        ],
        where=f"The hierarchy of column {series.name!r}",
    )


def _as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
