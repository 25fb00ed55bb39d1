"""Columns of a release: which notation they are in, and what each distinct cell says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.table.cells import distinct_cells, texts
from shoal.table.schema import Attribute, Kind, Schema
from shoal.verifier.cells import (
    Closure,
    Unreadable,
    read_bounds,
    read_json_cell,
    read_json_closure,
    read_label_cell,
    read_list_cell,
    read_text_cell,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

TEXT_NOTATION = "text"
BOUNDS_NOTATION = "min_max"
LABEL_NOTATION = "label"
JSON_NOTATION = "json"


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """One quasi-identifier of a release.

    Parameters
    ----------
    closures
        What each distinct cell says.
    codes
        For each row the place of its cell in ``closures``. Two cells have the same code exactly
        when a reader of the release cannot tell them apart.
    spelled_as_text
        Whether the cells were texts in the file, not typed dates or numbers.
    """

    closures: tuple[Closure, ...]
    codes: NDArray[np.uint32]
    spelled_as_text: bool


def bounds_columns(attribute: Attribute) -> tuple[str, str]:
    """Return the names of the two columns of a numeric attribute in bounds notation."""
    return f"{attribute.name}_min", f"{attribute.name}_max"


def columns_of(attribute: Attribute, released: pl.DataFrame, declared: set[str]) -> list[str]:
    """Return the columns that hold an attribute in the release; none when they are missing.

    A column that the schema declares in its own right is never taken for a bound of another.
    """
    if attribute.name in released.columns:
        return [attribute.name]
    bounds = list(bounds_columns(attribute))
    free = all(name in released.columns and name not in declared for name in bounds)
    if attribute.kind is not Kind.NUMERIC or not free:
        return []
    return bounds + missing_flag(attribute, released, declared)


def missing_flag(
    attribute: Attribute, released: pl.DataFrame, declared: Collection[str]
) -> list[str]:
    """Return the column that tells which empty numbers of an attribute are missing, if any."""
    name = f"{attribute.name}_missing"
    return [name] if name in released.columns and name not in declared else []


def read_flag(released: pl.DataFrame, flag: list[str]) -> NDArray[np.uint32]:
    """Return for each row whether its value is missing: 0 or 1, and 2 if that cannot be read."""
    if not flag:
        return np.zeros(len(released), np.uint32)
    read = {"false": 0, "true": 1, "0": 0, "1": 1}  # numbers in databases without truth values
    shown = released[flag[0]].cast(pl.String).str.to_lowercase()
    return shown.replace_strict(read, default=2, return_dtype=pl.UInt32).to_numpy()


def notation_of(schema: Schema, released: pl.DataFrame, named: str = TEXT_NOTATION) -> str:
    """Return the notation of a release whose columns are all there.

    Labels and JSON must be named. Otherwise columns of bounds or lists decide. A release without a
    numeric attribute shows no such columns in a CSV file: it is in bounds notation when its sets
    are JSON lists throughout.
    """
    if named in (LABEL_NOTATION, JSON_NOTATION):
        return named
    categorical = [attribute for attribute in schema.quasi if attribute.kind is Kind.CATEGORICAL]
    if any(isinstance(released[a.name].dtype, pl.List) for a in categorical):
        return BOUNDS_NOTATION
    numeric = [attribute for attribute in schema.quasi if attribute.kind is Kind.NUMERIC]
    if numeric:
        whole = all(attribute.name in released.columns for attribute in numeric)
        return TEXT_NOTATION if whole else BOUNDS_NOTATION
    shown = [texts(released[attribute.name]).drop_nulls().unique() for attribute in categorical]
    cells = [cell for column in shown for cell in column]
    lists = bool(cells) and all(
        cell.startswith("[") and not isinstance(read_json_cell(cell), Unreadable) for cell in cells
    )
    return BOUNDS_NOTATION if lists else TEXT_NOTATION


def read_column(
    attribute: Attribute,
    released: pl.DataFrame,
    notation: str,
    declared: Collection[str] = (),
) -> ReleasedColumn:
    """Return what the cells of an attribute say; cost and memory are linear in the rows."""
    if attribute.name not in released.columns:
        return _read_bounds_columns(attribute, released, declared)
    series = released[attribute.name]
    if series.dtype == pl.List(pl.String) and attribute.kind is Kind.CATEGORICAL:
        return _read_lists(series)
    if _shows_no_text(series):
        return _unreadable(series)
    distinct = distinct_cells(texts(series))
    cells: list[str | None] = [*distinct.cells.to_list(), None]
    codes = distinct.codes
    spells_both = series.dtype == pl.String and series.null_count() > 0
    empty = spells_both and (series == "").fill_null(value=False).to_numpy()
    if np.any(empty):
        # Both say missing, but a reader of the file can tell them apart.
        codes = np.where(empty, np.uint32(len(cells)), codes)
        cells.append(None)
    if notation == LABEL_NOTATION:
        closures = tuple(read_label_cell(cell, attribute.kind) for cell in cells)
    elif notation == JSON_NOTATION:
        closures = tuple(read_json_closure(cell, attribute.kind) for cell in cells)
    elif attribute.kind is Kind.CATEGORICAL and notation == BOUNDS_NOTATION:
        closures = tuple(read_json_cell(cell) for cell in cells)
    else:
        closures = tuple(read_text_cell(cell, attribute.kind) for cell in cells)
    return ReleasedColumn(closures, codes, spelled_as_text=series.dtype == pl.String)


def _read_bounds_columns(
    attribute: Attribute, released: pl.DataFrame, declared: Collection[str]
) -> ReleasedColumn:
    low_column, high_column = (released[name] for name in bounds_columns(attribute))
    if _shows_no_text(low_column) or _shows_no_text(high_column):
        return _unreadable(low_column)
    low, high = distinct_cells(texts(low_column)), distinct_cells(texts(high_column))
    width = len(high.cells) + 1
    flag = read_flag(released, missing_flag(attribute, released, declared))
    pairs = low.codes.astype(np.int64) * width + high.codes
    distinct = distinct_cells(pl.Series(pairs * 3 + flag))
    lows: list[str | None] = [*low.cells.to_list(), None]
    highs: list[str | None] = [*high.cells.to_list(), None]
    closures = tuple(
        Unreadable("neither true nor false tells whether it is missing")
        if code % 3 == 2
        else read_bounds(lows[code // 3 // width], highs[code // 3 % width], missing=code % 3 == 1)
        for code in distinct.cells.to_list()
    )
    return ReleasedColumn(
        closures,
        distinct.codes,
        spelled_as_text=low_column.dtype == pl.String and high_column.dtype == pl.String,
    )


def _shows_no_text(series: pl.Series) -> bool:
    return series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object)


def _unreadable(series: pl.Series) -> ReleasedColumn:
    closure = Unreadable(f"a column of type {series.dtype}")
    return ReleasedColumn((closure,), np.zeros(len(series), np.uint32), spelled_as_text=False)


def _read_lists(series: pl.Series) -> ReleasedColumn:
    groups = (
        series.alias("cell")
        .to_frame()
        .with_row_index("row")
        .group_by("cell", maintain_order=True)
        .agg("row")
    )
    closures = tuple(read_list_cell(cell) for cell in groups["cell"].to_list())
    codes = np.empty(len(series), np.uint32)
    rows = groups["row"].explode().to_numpy()
    codes[rows] = np.repeat(np.arange(len(groups)), groups["row"].list.len().to_numpy())
    return ReleasedColumn(closures, codes, spelled_as_text=False)
