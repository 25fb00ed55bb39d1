"""A release that shows statistics of classes, with the intervals and sets behind them.

Only somebody who knows which record is whose can recover them: the classes are read from the
release, their values from the original.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.encoding import FoldedRows, encode, encode_values
from shoal.encoding.notation import STAR
from shoal.errors import InputError
from shoal.table import Kind, Table

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from shoal.table import Schema


def with_closures(
    released: pl.DataFrame,
    schema: Schema,
    aggregated: Collection[str],
    source: pl.DataFrame,
    rows: NDArray[np.int64],
) -> pl.DataFrame:
    """Return a release in which columns of statistics show intervals, sets and nodes instead.

    Parameters
    ----------
    aggregated
        The columns that show a statistic of their class.
    source
        The original.
    rows
        For each released row its row in the original.

    Raises
    ------
    InputError
        If the rows are not those of this release.
    """
    if len(rows) != released.height or (len(rows) and int(rows.max()) >= source.height):
        raise InputError(
            "The row map does not belong to this release and this original.",
            remedy="Give the custody file that was written with the release.",
        )
    attributes = tuple(one for one in schema.quasi if one.name in aggregated)
    alone = replace(
        schema, quasi=attributes, sensitive=(), other=(), identifiers=(), person=None, personal_k=()
    )
    behind = encode(Table.of(source.select(alone.quasi_names)[rows], alone))
    quasi = [name for name in released.columns if name not in schema.untouched]
    unit = FoldedRows.of([encode_values(released[name])[0] for name in quasi]).row_of
    order = np.argsort(unit, kind="stable")
    starts = np.flatnonzero(np.diff(unit[order], prepend=-1))
    shown = released
    for attribute, domain, codes in zip(attributes, behind.domains, behind.codes, strict=True):
        closures, index = domain.close(codes[order], starts)
        cells = np.array(domain.write(closures), dtype=object)[index][unit]
        column = pl.Series(attribute.name, cells.tolist(), dtype=pl.String)
        column = column.set(_silent(released, attribute.name, attribute.kind), STAR)
        shown = shown.with_columns(column.set(column == "", None))
        flag = f"{attribute.name}_missing"
        if attribute.kind is Kind.NUMERIC and flag not in schema.untouched:
            shown = shown.drop(flag, strict=False)
    return shown


def _silent(released: pl.DataFrame, name: str, kind: Kind) -> pl.Series:
    """Return which cells of a column of statistics show nothing."""
    if kind is not Kind.NUMERIC:
        return (released[name] == STAR).fill_null(value=False)
    empty = released[name].is_null() | (released[name].cast(pl.String) == "").fill_null(value=False)
    flag = f"{name}_missing"
    if flag not in released.columns:
        return empty
    return empty & (released[flag].cast(pl.String).str.to_lowercase() != "true")
