"""What users declare about sensitive values, for models that need distances between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import HierarchyError, SchemaError
from shoal.hierarchies import Recipe, is_recipe
from shoal.table.cells import present_numbers, texts
from shoal.table.schema import Attribute, Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.hierarchies import Hierarchy


def distinct_categories(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Return the categories of an order, lowest first, or raise that one is named twice."""
    order = tuple(given)
    if len(set(order)) < len(order) or not order:
        raise SchemaError(
            f"Column {name!r}: its order is empty or names a category twice.",
            remedy="Name each category once, lowest first.",
        )
    return order


def sensitive_order(series: pl.Series, given: Sequence[str]) -> tuple[str, ...]:
    """Return the order of a sensitive column's values, or raise that it lacks some."""
    order = distinct_categories(series.name, given)
    present_numbers(series, Attribute(series.name, Kind.NUMERIC, Reading.RANK, order=order))
    return order


def sensitive_tree(series: pl.Series, given: Hierarchy | Recipe | str | Path) -> Hierarchy:
    """Return the tree of a sensitive column; values that it lacks are counted, never named."""
    if isinstance(given, Recipe) or (isinstance(given, str) and is_recipe(given)):
        raise HierarchyError(
            f"The hierarchy of the sensitive column {series.name!r} says how near its values are; "
            f"it cannot be built on the fly from {given}.",
            remedy="Make a file of it with `shoal hierarchy build`, look at it, and name the file.",
        )
    # Imported here: few models have a hierarchy of their own.
    from shoal.hierarchies import Hierarchy, read_hierarchy

    tree = given if isinstance(given, Hierarchy) else read_hierarchy(given)
    shown = texts(series)
    known = shown.is_in(pl.Series(tree.leaves, dtype=pl.String).implode()) | shown.is_null()
    if not known.all():
        rows = (~known).arg_true() + 1
        raise HierarchyError(
            f"The hierarchy of column {series.name!r} lacks values of {len(rows)} records, the "
            f"first in data row {rows[0]}.",
            remedy="Add a row for each of its values, ending in *.",
        )
    return tree
